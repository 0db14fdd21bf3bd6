"""`generative-ik solve --poses`: every row is true by pinocchio, whatever the file's kind."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from printed import read_rows, strict_json
from real_robots import PinocchioChain
from robots import NONE, Z, pose_gap, urdf
from scipy.spatial.transform import Rotation

from generative_ik_ros.robot.known import known_robot, load_robot
from generative_ik_ros.robot.random_poses import random_reachable_poses

PANDA = ("solve", "--robot", "panda")
NAMES = load_robot("panda").joint_names
COLUMNS = ["pose", "status", "position_error", "orientation_error", "positions"]


def panda_poses(count):
    return random_reachable_poses(load_robot("panda"), count, 5)


def seven(poses):
    return np.c_[poses[:, :3, 3], Rotation.from_matrix(poses[:, :3, :3]).as_quat()]


def text(numbers, header="x,y,z,qx,qy,qz,qw"):
    file = io.StringIO()
    np.savetxt(file, numbers, delimiter=",", header=header, comments="", fmt="%.17g")
    return file.getvalue()


def read(file):
    """Index, status and numbers of each row of a CSV, JSON lines or .npz file."""
    columns = read_rows(file, NAMES)
    assert list(columns) == COLUMNS
    numbers = np.column_stack([columns[name] for name in COLUMNS[2:]])
    return columns["pose"].astype(int).tolist(), columns["status"].tolist(), numbers


def assert_true(poses, file):
    """Check all solutions in a file by pinocchio; return the statuses by the pose."""
    robot, chain = known_robot("panda"), load_robot("panda")
    truth = PinocchioChain(robot.urdf.read_text(), robot.base_link, robot.tip_link)
    indices, statuses, numbers = read(file)
    solved = np.isfinite(numbers).all(axis=1)
    assert np.isnan(numbers[~solved]).all()
    positions, targets = numbers[solved, 2:], poses[indices][solved]
    assert ((positions >= chain.lower) & (positions <= chain.upper)).all()
    tips = np.array([truth.tip_in_base(NAMES, q) for q in positions]).reshape(-1, 4, 4)
    distance, angle = pose_gap(tips, targets)
    assert distance.max(initial=0.0) < 1.001e-5 and angle.max(initial=0.0) < 1.001e-5
    np.testing.assert_allclose(distance, numbers[solved, 0], rtol=0.01, atol=1e-12)
    by_status = {"SOLVED": True, "PARTIAL": True, "NO_SOLUTION": False, "TIMED_OUT": False}
    assert [by_status[one] for one in statuses] == solved.tolist()
    return dict(zip(indices, statuses, strict=True))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".npz"])
def test_every_row_is_true_in_every_kind_of_file(ending, shell, tmp_path):
    poses = panda_poses(2500)
    poses[[7, 1400], 0, 3] += 4.0
    (tmp_path / "poses.csv").write_text(text(seven(poses)))
    file = tmp_path / f"found{ending}"
    reply = shell(*PANDA, "--poses", tmp_path / "poses.csv", "--output", file)
    assert reply.code == 0 and reply.out == ""
    assert re.fullmatch(
        rf"2500 poses: 2498 solved, 2 unreachable in [\d.]+ s -> {file}\n", reply.err
    )
    statuses = assert_true(poses, file)
    assert sorted(statuses) == list(range(2500))
    assert [i for i, status in statuses.items() if status != "SOLVED"] == [7, 1400]


def angles_in_any_order(poses):
    angles = Rotation.from_matrix(poses[:, :3, :3]).as_euler("xyz")
    columns = np.c_[angles[:, 2], poses[:, :3, 3], angles[:, :2], np.arange(len(poses))]
    return "\ufeff" + text(columns, '"Yaw", x ,y,z,roll,pitch,stamp') + "\n"


@pytest.mark.parametrize("kind", ["angles.csv", "seven.npy", "matrices.npy", "named.npz", "-"])
def test_poses_of_every_kind(kind, shell, tmp_path, monkeypatch):
    poses, file = panda_poses(50), tmp_path / kind
    if kind == "angles.csv":
        file.write_text(angles_in_any_order(poses), encoding="utf-8")
    elif kind == "seven.npy":
        np.save(file, seven(poses).astype(np.float64))
    elif kind == "matrices.npy":
        np.save(file, poses)
    elif kind == "named.npz":
        np.savez(file, other=np.zeros(3), poses=seven(poses))
    else:
        # Spreadsheets begin with a byte order mark, in files and in pipes.
        monkeypatch.setattr("sys.stdin", io.StringIO("\ufeff" + text(seven(poses))))
        file = "-"
    found = tmp_path / "found.npz"
    assert shell(*PANDA, "--poses", file, "--output", found).code == 0
    assert set(assert_true(poses, found).values()) == {"SOLVED"}
    assert read(found)[0] == list(range(50))


def test_standard_output_and_several_solutions(shell, tmp_path):
    poses = panda_poses(20)
    np.save(tmp_path / "poses.npy", poses)
    words = (*PANDA, "--poses", tmp_path / "poses.npy", "-n", 3)
    for ending, options in ((".csv", ()), (".jsonl", ("--json",))):
        reply = shell(*words, *options)
        assert reply.code == 0 and reply.err.startswith("20 poses: 20 solved, 0 unreachable in ")
        file = tmp_path / f"found{ending}"
        file.write_text(reply.out)
        assert_true(poses, file)
        indices, _, numbers = read(file)
        assert indices == np.repeat(np.arange(20), 3).tolist()
        assert len(np.unique(numbers[:, 2:].round(3), axis=0)) == 60


def test_options_reach_the_solver(shell, tmp_path):
    poses = panda_poses(2100)
    np.save(tmp_path / "poses.npy", poses)
    file = tmp_path / "found.npz"
    words = (*PANDA, "--poses", tmp_path / "poses.npy", "--output", file)
    seed = load_robot("panda").lower / 2.0
    limits = ("--seed-state", *seed, "--consistency-limits", "2")
    reply = shell(*words, *limits)
    numbers = read(file)[2]
    near = np.isfinite(numbers).all(axis=1)
    assert 0 < near.sum() < 2100 and f"{near.sum()} solved" in reply.err
    assert (np.abs(numbers[near, 2:] - seed) <= 2.0 + 1e-9).all()
    reply = shell(*words, "--timeout", "1e-6")
    assert reply.code == 1 and "2100 poses: 0 solved, 0 unreachable, 2100 timed out" in reply.err


def test_no_pose_is_no_error(shell, tmp_path):
    (tmp_path / "poses.csv").write_text("x,y,z,qx,qy,qz,qw\n\n")
    for ending in (".csv", ".jsonl", ".npz"):
        file = tmp_path / f"found{ending}"
        reply = shell(*PANDA, "--poses", tmp_path / "poses.csv", "--output", file)
        assert reply.code == 0 and reply.err.startswith("0 poses: 0 solved, 0 unreachable in")
        assert not len(read_rows(file, NAMES).get("pose", ()))


GOOD = "x,y,z,qx,qy,qz,qw\n0.4,0.1,0.5,1,0,0,0\n"
BAD_TEXTS = {
    "empty": ("", "not one column x, y, z, qx, qy, qz, qw: its first line must name x,y,z,qx"),
    "no_header": ("0.4,0.1,0.5,1,0,0,0\n", "it is '0.4,0.1,0.5,1,0,0,0'"),
    "lacks_a_column": ("x,y,z,qx,qy,qz\n", "not one column qw: its first line must name x,y,z,"),
    "lacks_an_angle": ("x,y,z,roll,pitch\n", "not one column yaw: "),
    "twice": ("x,y,x,z,qx,qy,qz,qw\n", "not one column x: "),
    "both": ("x,y,z,qx,qy,qz,qw,roll,pitch,yaw\n", "two kinds of rotation: "),
    "word": (GOOD + "\n0.4,left,0.5,1,0,0,0\n", "line 4, column y: 'left' is no number"),
    "gap": (GOOD + "0.4,,0.5,1,0,0,0\n", "line 3, column y: '' is no number"),
    "nan": (GOOD + "0.4,0.1,nan,1,0,0,0\n", "line 3, column z: 'nan' is not finite"),
    "huge": (GOOD + "0.4,0.1,0.5,1,0,1e999,0\n", "line 3, column qz: '1e999' is not finite"),
    "short": (GOOD + "0.4,0.1,0.5\n", "line 3, column qx is missing"),
    "zero": (GOOD + "0.4,0.1,0.5,0,0,0,0\n", "line 3: qx, qy, qz, qw are all zero"),
    "angle": ("yaw,x,y,z,roll,pitch\n0,0,0,0,0,inf\n", "line 2, column pitch: 'inf' is not fini"),
    "one_long_word": ("a" * 200_000, "neither text"),
    "another_in_a_row": (GOOD + "a" * 200_000, "neither text"),
    "bytes": (b"\xff\xfe\x00x,y", "neither text nor a .npy or .npz file"),
}


@pytest.fixture
def no_poses(refused, tmp_path):
    """A file of poses is refused, and named once."""

    def check(file, fragment):
        found = tmp_path / "found.csv"
        reply = refused(*PANDA, "--poses", file, "--output", found, says=fragment)
        assert reply.err.count(str(file)) == 1 and not found.exists()

    return check


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_bad_text(name, no_poses, tmp_path):
    content, fragment = BAD_TEXTS[name]
    file = tmp_path / "poses.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    no_poses(file, fragment)


def test_bad_arrays(no_poses, tmp_path):
    file = tmp_path / "poses.npy"
    numbers = seven(panda_poses(5))
    numbers[3, 5] = np.nan
    matrices = panda_poses(5)
    matrices[2, :3, :3] *= 2.0
    for array, fragment in (
        (numbers, "row 3, column qz: 'nan' is not finite"),
        (matrices, "the rotation of target 2 is no rotation matrix"),
        (np.zeros((5, 6)), "shape (5, 6); it must be (B, 7)"),
        (np.array(["left"] * 7)[None], "'left' is no number"),
    ):
        np.save(file, array)
        no_poses(file, fragment)
    file.write_bytes(b"no array")
    no_poses(file, "cannot be read as NumPy's format")
    file = tmp_path / "poses.npz"
    np.savez(file, a=numbers, b=numbers)
    no_poses(file, "no array 'poses', and not one array only")
    no_poses(tmp_path / "absent.csv", "cannot read")


def test_misuse(refused, tmp_path):
    (tmp_path / "poses.csv").write_text(GOOD)
    poses = ("--poses", tmp_path / "poses.csv")
    for words, fragment in (
        (("--output", "a.csv"), "--output takes the solutions of --poses"),
        ((*poses, "--pose", "1,2,3,0,0,0,1"), "--poses goes neither with --pose nor with --plot"),
        ((*poses, "--output", "found.txt"), "its ending must be one of .csv, .npz, .jsonl"),
        ((*poses, "--output", "no/such/folder/a.csv"), "cannot write 'no/such/folder/a.csv'"),
        ((*poses, "--timeout", "-1"), "timeout"),
        ((*poses, "-n", "0"), "num_solutions"),
    ):
        refused(*PANDA, *words, says=fragment)
    assert [file.name for file in tmp_path.iterdir()] == ["poses.csv"]


def test_a_link_to_a_file_that_is_not_there_yet_is_kept(shell, tmp_path):
    (tmp_path / "poses.csv").write_text(GOOD)
    link, file = tmp_path / "link.csv", tmp_path / "found.csv"
    link.symlink_to(file)
    assert shell(*PANDA, "--poses", tmp_path / "absent.csv", "--output", link).code == 2
    assert link.is_symlink() and not file.exists()
    assert shell(*PANDA, "--poses", tmp_path / "poses.csv", "--output", link).code == 0
    assert link.is_symlink() and len(file.read_text().splitlines()) == 2


def wait_for(condition):
    deadline = time.monotonic() + 120.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def processor_time(pid):
    """What a process has used of it [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_interrupt_keeps_what_was_solved(ending, tmp_path):
    poses = np.tile(panda_poses(1000), (400, 1, 1))
    np.save(tmp_path / "poses.npy", poses)
    file = tmp_path / f"found{ending}"
    words = ("--poses", str(tmp_path / "poses.npy"), "--output", str(file), "-n", "20")
    process = subprocess.Popen(
        [sys.executable, "-m", "generative_ik_ros", *PANDA, *words],
        stderr=subprocess.PIPE, text=True,
        # A shell in the background would have the process ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    wait_for(file.exists)
    enough = processor_time(process.pid) + 1.0  # for several blocks of poses, on any machine
    wait_for(lambda: processor_time(process.pid) > enough)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    *_, summary, end = process.stderr.read().splitlines()
    process.stderr.close()
    assert end == "generative-ik: interrupted"
    done = int(re.match(r"(\d+) of 400000 poses: ", summary)[1])
    assert 0 < done < 400000
    indices, _, numbers = read(file)
    assert sorted(set(indices)) == list(range(done)) and np.isfinite(numbers).all()


def test_json_lines_have_no_infinite_clearance(shell, tmp_path):
    """Of an arm none of whose links are checked against each other."""
    arm = urdf([("revolute", (0.3, 0, 0), NONE, Z, (-1, 1), "")] * 2)
    box = "<collision><geometry><box size='.1 .1 .1'/></geometry></collision>"
    file = tmp_path / "arm.urdf"
    file.write_text(arm.replace("<link name='l1'/>", f"<link name='l1'>{box}</link>"))
    (tmp_path / "poses.csv").write_text("x,y,z,roll,pitch,yaw\n0.6,0,0,0,0,0.5\n")
    words = "solve", "--urdf", file, "--poses", tmp_path / "poses.csv", "--avoid-collisions"
    (row,) = map(strict_json, shell(*words, "--json").out.splitlines())
    assert row["status"] == "SOLVED" and row["clearance"] is None
    assert shell(*words).out.splitlines()[1].split(",")[4] == "inf"


def test_full_disk_is_one_line(tmp_path):
    np.save(tmp_path / "poses.npy", panda_poses(2000))
    limited = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (9999, 9999))"
    code = f"{limited}; from generative_ik_ros.cli.main import main; raise SystemExit(main())"
    words = ("--poses", str(tmp_path / "poses.npy"), "--output", str(tmp_path / "found.csv"))
    done = subprocess.run(
        [sys.executable, "-c", code, *PANDA, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "found.csv': File too large" in done.stderr


@pytest.mark.parametrize("words", [("robots",), (*PANDA, "-n", "500")])
def test_output_that_takes_no_more_is_one_line(words):
    command = [sys.executable, "-m", "generative_ik_ros", *words]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "streams"),
    [(PANDA, 0, ">&-"), (PANDA, 0, "<&- >&- 2>&-"), (("robots", "x"), 2, "2>&-")],
)
def test_closed_streams_are_no_failure(tmp_path, words, code, streams):
    error = tmp_path / "error"
    where = streams if "2>" in streams else f"{streams} 2> {error}"
    command = shlex.join([sys.executable, "-m", "generative_ik_ros", *words])
    done = subprocess.run(f"{command} {where}", shell=True, stdout=subprocess.PIPE, check=False)
    assert done.returncode == code
    assert not error.exists() or error.read_text().count("\n") == (code > 0)


@pytest.mark.parametrize("words", [("robots", "--json"), (*PANDA, "-n", "500")])
def test_a_reader_that_goes_away_is_no_failure(words):
    command = [sys.executable, "-m", "generative_ik_ros", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.wait(60) == 0 and process.stderr.read() == b""
