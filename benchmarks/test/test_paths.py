"""The protocol of paths, on a short path of the Panda that ships, and the truth behind it."""

import json
import shutil
import time

import numpy as np
import pytest
import yaml
from arms import elbows, planar_with_wrist
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.dense_layers import dense_layers
from generative_ik_benchmarks.path_following import Newton, follow
from generative_ik_benchmarks.path_graph import GraphSearch, PathGraph
from generative_ik_benchmarks.path_oracle import path_length, step_limits
from generative_ik_benchmarks.path_problems import (
    THIRTEEN,
    VariantFile,
    problem_names,
    read_problem,
)
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.known import known_robot

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
from generative_ik_benchmarks.collision_oracle import Solid  # noqa: E402
from generative_ik_benchmarks.path_robot import PathRobot  # noqa: E402

NAME = "panda__short"
START = np.array([0.1, 0.2, -0.3, -1.9, 0.2, 2.1, 0.6])
END = START + [0.35, 0.25, 0.1, 0.2, -0.2, 0.1, 0.3]
POSES = 9
ORIGIN = np.array([0.1, 0.0, 0.2])
KNOWN = np.linspace(START, END, POSES)
"""A path that is known to be valid."""
FAR = {"x": -0.6, "y": 0.1, "z": 0.3}


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """A folder as `--scenes-dir` takes it."""
    folder = tmp_path_factory.mktemp("scenes")
    (folder / "panda").mkdir()
    urdf = known_robot("panda").urdf
    for file in (urdf, urdf.with_suffix(".srdf")):
        shutil.copy(file, folder / "panda" / file.name)
    return folder


@pytest.fixture(scope="module")
def robot(scenes):
    return PathRobot.load(scenes, "panda")


@pytest.fixture(scope="module")
def targets(robot):
    return robot.forward.forward(KNOWN)


@pytest.fixture(scope="module")
def problems(robot, targets, tmp_path_factory):
    """A folder as `--problems-dir` takes it: one path, one box far from it."""
    folder = tmp_path_factory.mktemp("cppflow")
    (folder / "problems").mkdir()
    (folder / "paths").mkdir()
    turn = Rotation.from_euler("y", 90, degrees=True).as_matrix()
    x, y, z, w = Rotation.from_matrix(targets[:, :3, :3] @ turn.T).as_quat().T
    rows = np.column_stack([np.arange(POSES), targets[:, :3, 3] - ORIGIN, w, x, y, z])
    np.savetxt(
        folder / "paths/short.csv", rows, delimiter=",", header=",0,1,2,3,4,5,6", comments=""
    )
    box = [{"size_x": 0.1}, {"size_y": 0.2}, {"size_z": 0.3}, {"roll": 0.0}, {"pitch": 0.0}]
    content = {
        "robot": "panda",
        "path_name": "short",
        "path_offset_frame": "world",
        "path_xyz_offset": ORIGIN.tolist(),
        "path_R_offset": turn.tolist(),
        "obstacle_xyz_offset": [0.0, 0.0, 0.1],
        "obstacles": [[*box, {"yaw": np.pi / 2}, *({key: FAR[key]} for key in "xyz")]],
    }
    (folder / f"problems/{NAME}.yaml").write_text(yaml.safe_dump(content))
    return folder


@pytest.fixture
def measured(scenes, problems, evaluate):
    """Run the protocol; return exit code, tables and what was printed."""

    def run(*words):
        folders = "--problems-dir", problems, "--scenes-dir", scenes
        code, report, out = evaluate("paths", *folders, *words)
        return code, report["tables"], out

    return run


def _box(position, size=(0.1, 0.1, 0.1)):
    pose = np.eye(4)
    pose[:3, 3] = position
    return Solid("box", "box", tuple(size), pose)


def test_problems_are_read(problems, robot, targets):
    assert problem_names(problems) == [NAME]
    problem = read_problem(problems, NAME, robot.where)
    assert np.allclose(robot.in_base(problem.targets), targets)
    (box,) = problem.obstacles
    assert box.size == (0.1, 0.2, 0.3) and np.allclose(box.pose[:3, 3], [-0.6, 0.1, 0.4])
    assert np.allclose(box.pose[:3, 0], [0, 1, 0])


def test_of_a_folder_with_cppflows_problems_only_the_thirteen_count(tmp_path):
    (tmp_path / "problems").mkdir()
    for name in ("panda__square", *THIRTEEN):
        (tmp_path / f"problems/{name}.yaml").write_text("robot: panda")
    assert len(problem_names(tmp_path)) == 13 and "panda__square" not in problem_names(tmp_path)


def test_the_oracle_accepts_a_known_path(robot, targets):
    verdict = robot.judge((_box([-0.6, 0.0, 0.3]),)).verdict(targets, KNOWN)
    assert verdict.valid and not verdict.between and verdict.faults == ""
    assert verdict.position < 1e-9 and 0.2 < verdict.step < 1.0


WRONG = {
    "off a pose": (np.s_[4, 3], 1e-3),
    "times too large": (np.s_[5:, 6], 0.2),
    "beyond limits": (np.s_[:, 3], 2.0),
    "incomplete": (np.s_[6:], np.nan),
}
"""What is added to a part of a path."""


@pytest.mark.parametrize("fault", WRONG)
def test_the_oracle_refuses_a_wrong_path(robot, targets, fault):
    path, (part, more) = KNOWN.copy(), WRONG[fault]
    path[part] += more
    verdict = robot.judge(()).verdict(targets, path)
    assert not verdict.valid and fault in verdict.faults


def test_the_oracle_refuses_poses_off_by_little(robot, targets):
    judge = robot.judge(())
    for far, valid in ((0.9e-4, True), (1.1e-4, False)):
        moved = targets.copy()
        moved[3, 0, 3] += far
        assert judge.verdict(moved, KNOWN).valid == valid
    for turn, valid in ((0.09, True), (0.11, False)):
        moved = targets.copy()
        moved[3, :3, :3] @= Rotation.from_euler("x", turn, degrees=True).as_matrix()
        assert judge.verdict(moved, KNOWN).valid == valid


def test_the_oracle_refuses_collisions(robot, targets):
    at_a_pose = robot.judge((_box(targets[4, :3, 3]),)).verdict(targets, KNOWN)
    assert not at_a_pose.valid and at_a_pose.colliding >= 1
    # A wire that is only touched between the first two poses.
    ends = np.stack([START, END])
    middle = robot.forward.forward((START + END)[None] / 2)[0, :3, 3]
    judge = robot.judge((_box(middle, (0.01, 0.01, 0.01)),))
    tips = robot.forward.forward(ends)
    on_the_way = judge.verdict(tips, ends)
    assert on_the_way.colliding == 0 and on_the_way.between == 1
    assert "on the way" in on_the_way.faults


def test_length_and_steps(robot):
    chain = robot.case.chain
    assert path_length(chain, KNOWN) == pytest.approx(np.linalg.norm(END - START))
    assert np.allclose(step_limits(chain), np.deg2rad(7.0))


CHAIN = planar_with_wrist()


def _planar_layers(turns):
    """Both solutions of poses of three parallel joints, elbow up and down."""
    layers = []
    for turn in turns:
        wrist = np.array([1.1 * np.cos(turn), 1.1 * np.sin(turn)])
        both = elbows(wrist)
        layers.append(np.column_stack([both, -both.sum(axis=1)]))
    return layers


def _graph(layers, step, circular=False):
    count = layers[0].shape[1]
    return PathGraph(layers, np.full(count, step), np.ones(count), np.full(count, circular))


def test_the_graph_finds_the_shortest_path():
    turns = np.linspace(0.0, 0.5, 6)
    layers = _planar_layers(turns)
    tips = CHAIN.forward(np.concatenate(layers))
    assert np.allclose(tips[::2], tips[1::2])  # they are solutions of the same poses
    found = GraphSearch(_graph(layers, 0.2), None).run()
    assert found.reason == "" and len(found.positions) == 6
    assert np.allclose(found.positions[:, 1], found.positions[0, 1])  # no change of the elbow
    short = GraphSearch(_graph(layers, 0.09), None).run()
    assert len(short.positions) == 1 and "pose 1" in short.reason
    jump = [*layers[:3], layers[3][:0], *layers[4:]]
    assert len(GraphSearch(_graph(jump, 0.2), None).run().positions) == 3


def test_the_graph_goes_round_the_circle():
    layers = [np.array([[3.0, 0.0]]), np.array([[-3.1, 0.0], [2.5, 0.0]])]
    found = GraphSearch(_graph(layers, 0.3, circular=True), None).run()
    assert np.allclose(found.positions[1], [2 * np.pi - 3.1, 0.0])
    assert len(GraphSearch(_graph(layers, 0.3), None).run().positions) == 1


class _Wall:
    """Checks of one joint among things at places."""

    def __init__(self, nodes, motions):
        self.nodes, self.motions, self.checked = nodes, motions, 0

    def free(self, positions, *, exact):
        self.checked += len(positions)
        return ~np.isin(np.round(positions[:, 0], 3), self.nodes)

    def colliding_steps(self, path):
        steps = [tuple(pair) for pair in np.round(np.column_stack([path[:-1, 0], path[1:, 0]]), 3)]
        return np.array([i for i, step in enumerate(steps) if step in self.motions], int)


def test_the_graph_goes_round_what_collides():
    layers = [np.array([[0.0]]), np.array([[0.0], [0.1], [0.2]]), np.array([[0.0], [0.2]])]
    graph = _graph(layers, 0.21)

    def search(nodes, motions):
        wall = _Wall(nodes, motions)
        return GraphSearch(graph, wall).run(), wall

    assert search([], [])[0].positions[:, 0].tolist() == [0.0, 0.0, 0.0]
    blocked, wall = search([0.0], [])  # the start is one of them
    assert not len(blocked.positions) and wall.checked == 1
    layers[0][0, 0] = 0.05
    graph.edges.clear()
    found, wall = search([0.0], [])
    assert found.positions[:, 0].tolist() == [0.05, 0.1, 0.2] and wall.checked == 6
    found, _ = search([0.0], [(0.05, 0.1), (0.2, 0.2)])
    assert len(found.positions) == 2 and "pose 2" in found.reason
    found, _ = search([], [(0.05, 0.0)])
    assert found.positions[:, 0].tolist() == [0.05, 0.1, 0.0]


def test_dense_layers_leave_no_gaps(robot, targets, tmp_path):
    chain, spacing = robot.case.chain, 0.15
    layers = dense_layers(chain, targets[:1], spacing)
    again = dense_layers(chain, targets[:1], spacing)
    assert np.array_equal(layers[0], again[0]) and list(tmp_path.rglob("layers-*.npz"))
    assert np.allclose(chain.forward(layers[0].astype(float)), targets[0], atol=1e-4)
    others = IKSolver(chain).solve(targets[0], 200, random_seed=7).of(0)
    gaps = np.abs(others[:, None] - layers[0][None]).max(axis=2).min(axis=1)
    assert np.mean(gaps <= spacing) > 0.98
    gaps = np.abs(layers[0][:, None] - layers[0][None]).max(axis=2)
    assert gaps[~np.eye(len(gaps), dtype=bool)].min() > 0.9 * spacing


def test_newton_follows_until_a_limit(robot, targets):
    chain = robot.case.chain
    free = _Wall([], [])
    path = follow(Newton(chain), chain, free, targets, [START], time.perf_counter() + 10.0)
    assert len(path) == POSES and robot.judge(()).verdict(targets, path).valid
    blocked = _Wall([round(path[5, 0], 3)], [])
    short = follow(Newton(chain), chain, blocked, targets, [START], time.perf_counter() + 10.0)
    assert len(short) == 5
    off = targets.copy()
    off[4:, :3, 3] += 0.2  # too far for a step
    assert len(follow(Newton(chain), chain, free, off, [START], np.inf)) == 4


def test_the_protocol(measured, tmp_path):
    words = ["--rounds", 2, "--timeout", 0.2, "--variants", 3, "--variant-timeout", 2]
    words += ["--spacing", 0.2, "--records", tmp_path / "records.jsonl"]
    code, (first, variants), out = measured(*words)
    assert code == 0 and "checked by pinocchio: nothing false" in out
    figures = first["problem"]
    assert figures["problem"] == NAME and figures["poses"] == POSES and figures["boxes"] == 1
    assert figures["first"]["valid"] and 0.0 < figures["seconds"]["median"] < 1.0
    known = np.linalg.norm(END - START)
    assert figures["first"]["length"] < 3.0 * known
    (shorter,) = figures["shorter"]
    assert shorter["found"]["valid"]
    assert shorter["found"]["length"] <= figures["first"]["length"] + 1e-9
    assert shorter["travel"] >= shorter["found"]["length"] and shorter["travel_prismatic"] == 0.0
    others = {one["solver"]: one for one in figures["others"]}
    assert others["Descartes graph"]["valid"] and others["Newton, as KDL"]["valid"]
    rows = variants["variants"]
    assert rows["variants"] == 3 and rows["solvable"] == rows["solved"] == 3
    assert rows["refused"] == rows["beyond"] == 0 and rows["missed"] == []
    lines = (tmp_path / "records.jsonl").read_text().splitlines()
    assert len(lines) == 3

    # What is on file is not done again; a line that was broken off and other settings are.
    broken = lines[2][: len(lines[2]) // 2]
    (tmp_path / "records.jsonl").write_text("\n".join([*lines[:2], broken]) + "\n")
    code, (again,), _ = measured(*words, "--part", "variants")
    assert code == 0 and again["variants"]["solved"] == 3
    now = (tmp_path / "records.jsonl").read_text().splitlines()
    assert now[:2] == lines[:2] and len(now) == 4
    assert json.loads(now[3])["number"] == json.loads(lines[2])["number"]


def test_a_path_that_is_claimed_and_wrong_is_counted(measured, monkeypatch):
    solve_path = IKSolver.solve_path

    def blind(self, targets, *args, scene=None, **options):
        """Solve without the obstacles."""
        return solve_path(self, targets, *args, **options)

    words = ["--part", "variants", "--variants", 1, "--spacing", 0.3, "--variant-timeout", 1]
    monkeypatch.setattr(IKSolver, "solve_path", blind)
    monkeypatch.setattr(
        "generative_ik_benchmarks.protocols.path_variant_figures.moved_obstacles",
        lambda problem, *_: (_box(problem.targets[4, :3, 3] + [0.0, 0.0, 0.05]),),
    )
    code, (table,), out = measured(*words)
    assert code == 1 and table["variants"]["refused"] == 1 and table["variants"]["solved"] == 0
    assert "1 false results" in out


def test_records_of_other_settings_are_passed_over(tmp_path):
    file = tmp_path / "records.jsonl"
    entry = {"settings": {"seed": 1}, "problem": NAME, "number": 0, "seconds": 0.1,
             "complete": True, "timed_out": False, "faults": "", "valid": True, "between": 0,
             "length": 1.0, "solvable": True, "graph": ""}  # fmt: skip
    file.write_text(json.dumps(entry) + "\n")
    assert list(VariantFile(file, {"seed": 1}).read(NAME)) == [0]
    assert not VariantFile(file, {"seed": 2}).read(NAME)
    assert not VariantFile(file, {"seed": 1}).read("other")
    assert not VariantFile(None, {"seed": 1}).read(NAME)
