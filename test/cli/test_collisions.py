"""`generative-ik solve` among obstacles: what is printed is free, and what is not is said."""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from printed import read_rows

pytest.importorskip("coal", reason="coal not installed: pip install '.[collision]'")
from generative_ik_ros import CollisionModel, IKSolver, Scene, pose_matrix
from generative_ik_ros.robot.known import load_robot, robot_urdf_path

BENCH = Path(__file__).resolve().parents[2] / "examples/bench.yaml"
PANDA = ("solve", "--robot", "panda")
OVER = (0.5, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)
IN_CRATE = (0.68, 0.3, 0.1, 1.0, 0.0, 0.0, 0.0)
FAR = (5.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def solver():
    urdf = robot_urdf_path("panda")
    model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))
    return IKSolver(load_robot("panda"), collision=model)


@pytest.fixture(scope="module")
def bench():
    return Scene.from_yaml(BENCH)


def test_json_has_free_configurations_and_their_clearance(shell, solver, bench):
    reply = shell(*PANDA, "--pose", *OVER, "--scene", BENCH, "-n", 40, "--json")
    assert reply.code == 0 and reply.err == ""
    found = json.loads(reply.out)
    positions = np.array(found["positions"])
    assert found["count"] == 40 and found["blocked_by"] is None
    assert not solver.collides(positions, scene=bench).any()
    exact = solver.clearance(positions, scene=bench, exact=True)
    assert (np.array(found["clearance"]) <= exact + 1e-9).all() and exact.min() > 0
    plain = json.loads(shell(*PANDA, "--pose", *OVER, "-n", 40, "--json").out)
    assert solver.collides(np.array(plain["positions"]), scene=bench).any(), "the scene matters"
    assert "clearance" not in plain


def test_padding_keeps_away(shell, solver):
    words = ("--pose", *OVER, "--scene", BENCH, "--padding", 0.03, "-n", 10, "--json")
    found = json.loads(shell(*PANDA, *words).out)
    padded = Scene.from_yaml(BENCH, padding=0.03)
    assert found["count"] and not solver.collides(np.array(found["positions"]), scene=padded).any()


def test_the_robot_alone(shell, solver):
    found = json.loads(shell(*PANDA, "--random-seed", 4, "--avoid-collisions", "--json").out)
    assert found["count"] and not solver.collides(np.array(found["positions"])).any()


def test_table_and_what_blocks_a_pose(shell):
    reply = shell(*PANDA, "--pose", *OVER, "--scene", BENCH, "-n", 5)
    assert reply.code == 0 and "clearance" in reply.out
    reply = shell(*PANDA, "--pose", *IN_CRATE, "--scene", BENCH, "-n", 5)
    assert reply.code == 1
    assert "reached in collision only: panda_" in reply.out and " with crate" in reply.out
    reply = shell(*PANDA, "--pose", *FAR, "--scene", BENCH, "-n", 5)
    assert reply.code == 1 and "closest configuration" in reply.out


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".npz"])
def test_every_row_of_many_poses(ending, shell, tmp_path, solver, bench):
    np.save(tmp_path / "poses.npy", np.array([OVER, IN_CRATE, FAR]))
    file = tmp_path / f"found{ending}"
    words = ("--poses", tmp_path / "poses.npy", "--scene", BENCH, "-n", 4, "--output", file)
    reply = shell(*PANDA, *words)
    assert reply.code == 0
    assert "3 poses: 1 solved, 1 in collision only, 1 unreachable in " in reply.err
    columns = read_rows(file, load_robot("panda").joint_names)
    errors = {"position_error", "orientation_error"}
    assert set(columns) == {"pose", "status", "clearance", "blocked_by", "positions", *errors}
    blocked, positions = columns["blocked_by"].tolist(), columns["positions"]
    assert columns["pose"].tolist() == [0, 0, 0, 0, 1, 2]
    assert blocked[:4] == [""] * 4 and blocked[5] == ""
    assert blocked[4].startswith("panda_") and blocked[4].endswith(" with crate")
    assert (np.isfinite(columns["clearance"]) == [True] * 4 + [False] * 2).all()
    assert np.isnan(positions[4:]).all()
    assert not solver.collides(positions[:4], scene=bench).any()
    tips = solver.chain.forward(positions[:4])
    assert np.allclose(tips, pose_matrix(OVER[:3], OVER[3:]), atol=2e-5)


def test_a_picture_of_free_and_colliding_arms(shell, tmp_path):
    image = pytest.importorskip("matplotlib.image")
    words = ("--pose", *OVER, "--scene", BENCH, "-n", 30, "--plot", tmp_path / "a.png")
    reply = shell(*PANDA, *words)
    assert reply.code == 0 and "wrote" in reply.out
    red, green, blue = np.moveaxis(image.imread(tmp_path / "a.png")[..., :3], -1, 0)
    assert ((red > 1.2 * green) & (red > 1.2 * blue) & (red > 0.5)).mean() > 5e-4, "faint red"
    assert ((blue > 1.3 * red) & (blue > 0.2)).mean() > 0.005, "free arms"


URDF = """<robot name="meshed"><link name="a"/><link name="b"><collision><geometry>
<mesh filename="package://kit/b.stl"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--robot", "panda", "--padding", "0.1"), "--padding is a distance from --scene"),
        (("--robot", "panda", "--srdf", "a.srdf"), "--srdf is for collision checks"),
        (("--robot", "panda", "--mesh-dir", "."), "--mesh-dir is for collision checks"),
        (("--robot", "ur10", "--avoid-collisions"), "'ur10' has no collision geometry"),
        (("--robot", "ur10", "--visuals"), "--visuals is for collision checks"),
        (("--robot", "panda", "--scene", "nowhere.yaml"), "nowhere.yaml"),
        (("--robot", "panda", "--scene", BENCH, "--padding", "-1"), "padding must be a distance"),
        (("--robot", "panda", "--avoid-collisions", "--spheres", "none.yml"), "none.yml"),
        (("--urdf", "meshed.urdf", "--avoid-collisions"), "package://kit/b.stl"),
        (("--urdf", "meshed.urdf", "--avoid-collisions", "--mesh-dir", "gone"), "--mesh-dir: "),
    ],
)
def test_misuse_is_one_line(refused, tmp_path, monkeypatch, words, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meshed.urdf").write_text(URDF)
    assert "package_dirs" not in refused("solve", *words, says=text).err


def test_visual_shapes_stand_for_missing_ones(shell, tmp_path):
    """Without them the command is refused: above."""
    text = robot_urdf_path("ur10").read_text(encoding="utf-8")
    # Spheres are covered at once.
    text = re.sub(r"<(cylinder|box) [^>]*/>", '<sphere radius="0.04"/>', text)
    (tmp_path / "ur10.urdf").write_text(text, encoding="utf-8")
    words = ("--urdf", tmp_path / "ur10.urdf", "--avoid-collisions", "--visuals")
    reply = shell("solve", *words, "--pose", 0.6, 0.1, 0.5, 1, 0, 0, 0, "-n", 3, "--json")
    assert reply.code == 0 and not reply.err
    assert len(json.loads(reply.out)["clearance"]) == 3


def test_without_coal_a_warning_says_so(shell, monkeypatch, solver, bench):
    from generative_ik_ros.collision.exact import ExactChecker

    monkeypatch.setattr(ExactChecker, "available", staticmethod(lambda: False))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        words = ("--pose", *OVER, "--scene", BENCH, "-n", 10, "--json")
        reply = shell(*PANDA, *words)
    assert reply.code == 0
    assert reply.err.startswith("generative-ik: warning: coal is not installed")
    assert reply.err.count("\n") == 1
    positions = np.array(json.loads(reply.out)["positions"])
    assert len(positions) and not solver.collides(positions, scene=bench).any()


def test_who_checks_nothing_imports_nothing_for_it():
    words = [sys.executable, "-X", "importtime", "-m", "generative_ik_ros", *PANDA, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "generative_ik_ros.pipeline" in imported
    forbidden = {"coal", "trimesh", "matplotlib"}
    forbidden |= {f"generative_ik_ros.collision.{m}" for m in ("checker", "scene", "model")}
    assert not imported & forbidden


def test_the_shapes_of_the_panda_enclose_the_makers_meshes(solver):
    """But for the fingers; by points on the meshes of example-robot-data."""
    import trimesh

    places = Path(sys.prefix).glob("lib/python*/site-packages/cmeel.prefix/share")
    folders = [place / "example-robot-data/robots/panda_description" for place in places]
    folder = next(filter(Path.is_dir, folders), None)
    if folder is None:
        pytest.skip("example-robot-data not installed")
    model = solver._checker.model
    shapes = {link.name: link.shapes for link in model.links}
    for number in range(8):
        # Its visual meshes are the true form; those for collisions are their convex hulls.
        file = folder / f"meshes/visual/link{number}.dae"
        mesh = trimesh.load(file, force="mesh")
        points = trimesh.sample.sample_surface(mesh, 20_000, seed=0)[0]
        outside = np.full(len(points), np.inf)
        for box in shapes[f"panda_link{number}"]:
            local = (points - box.pose[:3, 3]) @ box.pose[:3, :3]
            outside = np.minimum(outside, (np.abs(local) - box.size / 2).max(axis=1))
        assert outside.max() <= 1e-4, number
