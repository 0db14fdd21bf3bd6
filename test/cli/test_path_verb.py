"""`generative-ik path`: rows that follow the poses of a file, and where they end."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from printed import positions, read_rows
from robots import SO101
from scipy.spatial.transform import Rotation

from generative_ik_ros import KinematicChain, KinematicTree
from generative_ik_ros.cli.path_files import read_path
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.known import load_robot

PANDA = load_robot("panda")
SWEEP = np.linspace(
    (0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7), (1.0, 0.0, 0.5, -1.2, 0.5, 1.8, 1.7), 120
)


@pytest.fixture
def poses(tmp_path):
    """Writes poses along a sweep, out of reach from `end` on, into a file; returns matrices."""

    def write(end=120):
        matrices = PANDA.forward(SWEEP)
        matrices[end:, 0, 3] += 3.0
        numbers = np.c_[
            matrices[:, :3, 3], Rotation.from_matrix(matrices[:, :3, :3]).as_euler("xyz")
        ]
        file = tmp_path / "poses.csv"
        np.savetxt(file, numbers, delimiter=",", header="x,y,z,roll,pitch,yaw", comments="")
        return file, matrices

    return write


def test_complete_path_from_a_seed_state(shell, poses, tmp_path):
    file, matrices = poses()
    found = tmp_path / "path.csv"
    step = ("--max-step", "0.05", "--seed-state", *SWEEP[0])
    reply = shell("path", file, "--robot", "panda", *step, "--output", found)
    assert reply.code == 0 and reply.out == ""
    assert reply.err.startswith("path through all 120 poses, length 1.8")
    assert f"s) -> {found}" in reply.err
    rows = read_rows(found, PANDA.joint_names)
    assert list(rows) == ["pose", "status", "position_error", "orientation_error", "positions"]
    assert rows["status"].tolist() == ["REACHED"] * 120
    assert np.abs(np.diff(rows["positions"], axis=0)).max() <= 0.05 + 1e-9
    assert np.abs(rows["positions"][0] - SWEEP[0]).max() <= 0.05 + 1e-9
    np.testing.assert_allclose(PANDA.forward(rows["positions"]), matrices, atol=3e-5)


def test_fixed_joints_stand_along_the_path(shell, poses, tmp_path):
    still = SWEEP.copy()
    still[:, 2] = 0.25
    matrices = PANDA.forward(still)
    file = tmp_path / "still.npy"
    np.save(file, matrices)
    reply = shell("path", file, "--robot", "panda", "--fixed", "panda_joint3=0.25", "--json")
    assert reply.code == 0
    rows = [json.loads(line)["positions"] for line in reply.out.splitlines()]
    assert list(rows[0]) == [name for name in PANDA.names if name != "panda_joint3"]
    q = [[row.get(name, 0.25) for name in PANDA.names] for row in rows]
    np.testing.assert_allclose(PANDA.forward(q), matrices, atol=3e-5)


def test_a_path_with_room_about_the_poses(shell, refused, poses):
    file, matrices = poses()
    words = "path", file, "--robot", "panda", "--json"
    exact = shell(*words)
    band = "0 0 -0.02 0 0 0", "0 0 0.01 0 0 0"
    free = ["--region-lower", *band[0].split(), "--region-upper", *band[1].split()]
    for options in (["--free-axis", "z"], free):
        reply = shell(*words, *options)
        assert reply.code == 0, reply.err
        gaps = np.linalg.inv(matrices) @ PANDA.forward(positions(reply))
        if options is free:
            assert np.abs(gaps[:, :3, :3] - np.eye(3)).max() <= 2e-5
            assert gaps[:, 2, 3].min() >= -0.02 and gaps[:, 2, 3].max() <= 0.01
            assert np.ptp(gaps[:, 2, 3]) > 0.005 and np.abs(gaps[:, :2, 3]).max() <= 1e-5
        else:
            assert np.abs(gaps[:, :3, 2:] - np.eye(4)[:3, 2:]).max() <= 2e-5
            assert np.abs(gaps[:, 0, 1]).max() > 0.1
        lengths = [float(re.search("length ([0-9.]+)", one.err)[1]) for one in (reply, exact)]
        assert lengths[0] < 0.99 * lengths[1]
    refused(*words, "--free-axis", "w", says="x, y, z")
    refused(*words, "--free-axis", "z", *free, says="goes neither")


def test_incomplete_path_says_where_it_ends(shell, poses):
    file, matrices = poses(end=100)
    reply = shell("path", file, "--robot", "panda", "--json", "--max-step", *[0.2] * 7)
    assert reply.code == 1 and reply.err.startswith("path through 100 of 120 poses: pose 100: ")
    rows = [json.loads(line) for line in reply.out.splitlines()]
    assert [row["status"] for row in rows] == ["REACHED"] * 100 + ["NOT_REACHED"] * 20
    assert all(row["positions"] is None for row in rows[100:])
    np.testing.assert_allclose(PANDA.forward(positions(reply)), matrices[:100], atol=3e-5)


def test_no_path_and_no_time(shell, poses):
    file, _ = poses(end=0)
    reply = shell("path", file, "--robot", "panda")
    assert reply.code == 1 and reply.err.startswith("no path: pose 0: ")
    reply = shell("path", file, "--robot", "panda", "--seed-state", *SWEEP[0])
    assert reply.err.startswith("no path: pose 0: ")
    file, _ = poses()
    reply = shell("path", file, "--robot", "panda", "--timeout", "1e-6")
    assert reply.code == 1 and "no path: time was up (" in reply.err


def test_trajectories_over_time(shell, poses, tmp_path):
    file, matrices = poses()
    words = "path", "--poses", file, "--robot", "panda", "--seed-state", *SWEEP[0], "--output"
    found, table = tmp_path / "t.csv", tmp_path / "rows.csv"
    reply = shell(*words, table, "--trajectory", found, "--velocity-limits", "0.5")
    assert reply.code == 0 and f" s to drive -> {found}" in reply.err
    header, *rows = csv.reader(found.read_text().splitlines())
    assert header[:2] == ["time", "pose"] and header[2:9] == list(PANDA.joint_names)
    assert header[9] == "panda_joint1.velocity" and header[-1] == "panda_joint7.acceleration"
    values = np.array([[row[0], *row[2:]] for row in rows], float)
    assert (np.diff(values[:, 0]) > 0.0).all() and np.abs(values[:, 8:15]).max() <= 0.5 + 1e-9
    passed = [k for k, row in enumerate(rows) if row[1]]
    assert [int(rows[k][1]) for k in passed] == list(range(120))
    np.testing.assert_allclose(PANDA.forward(values[passed, 1:8]), matrices, atol=3e-5)
    lines = tmp_path / "t.jsonl"
    reply = shell(*words, table, "--trajectory", lines, "--tip-speed", 0.05)
    points = [json.loads(line) for line in lines.read_text().splitlines()]
    assert points[0]["time"] == 0.0 and points[0]["pose"] == 0 and points[-1]["pose"] == 119
    assert set(points[0]) == {"time", "pose", "positions", "velocities", "accelerations"}
    assert points[-1]["time"] > values[-1, 0]


def test_a_path_to_an_end_state_and_a_better_one(shell, poses, tmp_path):
    file, _ = poses()
    words = "path", file, "--robot", "panda", "--json", "--seed-state", *SWEEP[0]
    first = shell(*words)
    end = positions(first)[-1]
    reply = shell(*words, "--end-state", *end, "--objective", "length", "--timeout", "0.5")
    assert reply.code == 0, reply.err
    np.testing.assert_allclose(positions(reply)[-1], end, atol=1e-4)


def test_a_path_is_drawn(shell, poses, tmp_path):
    file, _ = poses(end=100)
    words = "path", file, "--robot", "panda", "--json", "--seed-state", *SWEEP[0]
    picture = tmp_path / "path.png"
    reply = shell(*words, "--plot", picture)
    assert reply.code == 1 and picture.read_bytes()[1:4] == b"PNG"
    assert shell(*words, "--plot", tmp_path / "path.txt").code == 2


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".npz"])
def test_files_of_paths_are_read_again(ending, shell, poses, tmp_path):
    """As `view --path` reads them: without the poses that are not reached."""
    file, matrices = poses(end=100)
    found = tmp_path / f"path{ending}"
    words = "path", file, "--robot", "panda", "--seed-state", *SWEEP[0], "--output", found
    timed = tmp_path / f"trajectory{ending}"
    assert shell(*words, *(() if ending == ".npz" else ("--trajectory", timed))).code == 1
    times, q = read_path(found, PANDA)
    np.testing.assert_allclose(PANDA.forward(q), matrices[:100], atol=3e-5)
    steps = np.linalg.norm(np.diff(q, axis=0), axis=1)
    np.testing.assert_allclose(np.diff(times), steps, atol=1e-12)
    if ending != ".npz":
        times, q = read_path(timed, PANDA)
        assert times[0] == 0.0 and (np.diff(times) > 0.0).all() and len(times) >= 100
        np.testing.assert_allclose(PANDA.forward(q[[0, -1]]), matrices[[0, 99]], atol=3e-5)


@pytest.mark.parametrize(
    ("name", "content", "fragment"),
    [
        ("absent.csv", None, "cannot read"),
        ("path.csv", "a,b\n1,2\n", "has no joint 'panda_joint1'"),
        ("path.csv", ",".join(PANDA.names) + "\n", "has no configuration"),
        ("path.csv", ",".join(PANDA.names) + "\n" + "x," * 6 + "x\n", "is no path"),
        ("path.jsonl", "[1]\n", "is no path"),
        ("path.jsonl", "[" * 100_000, "is no path"),
        ("path.csv", "x" * 200_000, "is no path"),
        ("path.npz", "", "is no path"),
        ("path.csv", "time," + ",".join(PANDA.names) + "\n" + "1,0,0,0,0,0,0,0\n" * 2, "increase"),
    ],
)
def test_files_that_are_no_paths(name, content, fragment, tmp_path):
    file = tmp_path / name
    if content is not None:
        file.write_text(content)
    with pytest.raises(InvalidArgumentError, match=fragment):
        read_path(file, PANDA)


def test_a_path_around_an_obstacle(shell, poses, tmp_path):
    """A box that is far away, then one that stands on the poses."""
    file, matrices = poses()
    words = "path", "--poses", file, "--robot", "panda", "--json"
    scene = tmp_path / "scene.yaml"
    scene.write_text("cuboid:\n  far: {dims: [0.1, 0.1, 0.1], pose: [2, 0, 0, 1, 0, 0, 0]}\n")
    reply = shell(*words, "--scene", scene, "--joint-positions", "panda_finger_joint1=0.01")
    assert reply.code == 0 and "mm from collisions or more" in reply.err
    at = matrices[60, :3, 3].round(3).tolist()
    scene.write_text(f"cuboid:\n  box: {{dims: [0.1, 0.1, 0.1], pose: {[*at, 1, 0, 0, 0]}}}\n")
    reply = shell(*words, "--scene", scene, "--padding", "0.001")
    assert reply.code == 1 and "box" in reply.err and "path through " in reply.err


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ((), "path needs its poses once: --poses FILE, or FILE alone"),
        (("poses.csv", "--poses", "poses.csv"), "path needs its poses once"),
        (("poses.csv", "--end-state", "0,0"), "end_state"),
        (("poses.csv", "--closed"), "closed"),
        (("poses.csv", "--objective", "beauty"), "'beauty'"),
        (("poses.csv", "--tip-speed", "0.1"), "are for --trajectory, which is not given"),
        (("poses.csv", "--trajectory", "path.txt"), "its ending must be one of .csv, .jsonl"),
        (("poses.csv", "--trajectory", "t.csv", "--velocity-limits", "0"), "must be above 0"),
        (("poses.csv", "--trajectory", "t.csv", "--velocity-limits", "1,2"), "has shape (2,)"),
        (("poses.csv", "--trajectory", "t.csv", "--tip-speed", "nan"), "above 0, not nan"),
        (("poses.csv", "--srdf", "panda.srdf"), "--srdf is for collision checks"),
        (("poses.csv", "--joint-positions", "a=1"), "--joint-positions is for collision checks"),
        (("poses.csv", "--avoid-collisions", "--joint-positions", "a"), "takes NAME=NUMBER"),
        (("poses.csv", "--avoid-collisions", "--joint-positions", "nose=1"), "nose"),
        (("absent.csv",), "cannot read 'absent.csv'"),
        (("poses.csv", "--max-step", "far"), "--max-step takes numbers"),
        (("poses.csv", "--max-step", "0"), "max_step must be above 0"),
        (("poses.csv", "--max-step", "1", "2"), "max_step has shape"),
        (("poses.csv", "--seed-state", "0,0"), "seed_state: joint positions have shape (2,)"),
        (("poses.csv", "--output", "t.csv", "--trajectory", "./t.csv"), "are one file: 't.csv'"),
        (("poses.csv", "--output", "path.txt"), "its ending must be one of"),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, tuple) else "",
)
def test_misuse(words, fragment, refused, poses, tmp_path, monkeypatch):
    poses()
    monkeypatch.chdir(tmp_path)
    refused("path", *words, "--robot", "panda", says=fragment)


def test_a_path_of_a_five_joint_arm_keeps_to_its_positions(shell, tmp_path):
    chain = KinematicChain.from_urdf(SO101)
    q = np.linspace(0.4, 0.5, 20)[:, None] * (chain.upper - chain.lower) + chain.lower
    matrices = chain.forward(q)
    tilted = Rotation.from_matrix(matrices[:, :3, :3]) * Rotation.from_euler("x", 0.3)
    numbers = np.c_[matrices[:, :3, 3], tilted.as_quat()]
    arm, file = tmp_path / "so101.urdf", tmp_path / "poses.csv"
    arm.write_text(SO101)
    np.savetxt(file, numbers, delimiter=",", header="x,y,z,qx,qy,qz,qw", comments="")
    refused = shell("path", file, "--urdf", arm)
    assert refused.code == 1 and "IKSolver" not in refused.err
    assert "--free-axis" in refused.err and "--prefer position" in refused.err
    reply = shell("path", file, "--urdf", arm, "--prefer", "position")
    assert reply.code == 0 and reply.err.startswith("path through all 20 poses")
    rows = [row.split(",") for row in reply.out.splitlines()[1:]]
    errors = np.array([row[2:4] for row in rows], float)
    assert errors[:, 0].max() <= 1e-5 and errors[:, 1].min() > 1e-3


def test_a_path_of_a_palletizer_keeps_its_loops_closed(shell, tmp_path):
    file, examples = tmp_path / "poses.csv", Path(__file__).resolve().parents[2] / "examples"
    rows = [[0.8, 0.3 - 0.02 * k, 0.4, 0.0, 0.0, 0.5] for k in range(6)]
    np.savetxt(file, rows, delimiter=",", header="x,y,z,roll,pitch,yaw", comments="")
    robot = ("--urdf", examples / "palletizer.urdf", "--loops", examples / "palletizer.yaml")
    picture = tmp_path / "path.png"
    reply = shell("path", file, *robot, "--tip-link", "tool", "--plot", picture)
    assert reply.code == 0 and picture.exists()
    header, *found = [row.split(",") for row in reply.out.splitlines()]
    tree = KinematicTree.from_urdf(
        examples / "palletizer.urdf", "base", ["tool"], loops=examples / "palletizer.yaml"
    )
    assert tuple(header[4:]) == tree.names
    q = np.array([row[4:] for row in found], float)
    assert tree.closure_errors(q)[0].max() <= 1e-5
    np.testing.assert_allclose(tree.forward(q)[:, 0, :3, 3], np.array(rows)[:, :3], atol=1e-5)
