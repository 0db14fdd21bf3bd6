"""The truth of several tips: pinocchio's frames, cuRobo's spheres, and solvers from restarts."""

import numpy as np
import pytest
import yaml

from generative_ik_benchmarks.curobo_robots import CUROBO_ROBOTS, root_bounds
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_benchmarks.verification import Checker
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.robot.random_poses import random_configurations

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
from generative_ik_benchmarks.oracle import (  # noqa: E402
    ROOT_JOINTS,
    RobotFrames,
    TreeOracle,
)
from generative_ik_benchmarks.peers.pink import Pink  # noqa: E402
from generative_ik_benchmarks.peers.pinocchio_lm import PinocchioLM  # noqa: E402
from generative_ik_benchmarks.peers.tree_restarts import with_root  # noqa: E402
from generative_ik_benchmarks.sphere_oracle import SphereOracle, kinematics  # noqa: E402

SIDES = ("left", "right")
AXES = ("0 0 1", "0 1 0", "0 1 0", "0 0 1", "0 1 0", "0 0 1")
JOINT = """<link name="{child}"/><joint name="{name}" type="{kind}"><parent link="{parent}"/>
<child link="{child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>
<limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>"""


def two_arms():
    """A torso that turns, and an upright arm of six joints on each side."""
    parts = ['<robot name="torso"><link name="base"/>']
    parts.append(JOINT.format(name="waist", kind="revolute", parent="base", child="torso",
                              xyz="0 0 0.5", axis="0 0 1"))  # fmt: skip
    for side, y in zip(SIDES, (0.3, -0.3), strict=True):
        parent = "torso"
        for k, axis in enumerate(AXES):
            child = f"{side}_{k}"
            xyz = "0 0 0.25" if k else f"0 {y} 0"
            parts.append(JOINT.format(name=f"{side}_joint_{k}", kind="revolute", parent=parent,
                                      child=child, xyz=xyz, axis=axis))  # fmt: skip
            parent = child
        parts.append(JOINT.format(name=f"{side}_fixed", kind="fixed", parent=parent,
                                  child=f"{side}_hand", xyz="0 0 0.1", axis="0 0 1"))  # fmt: skip
    return "".join([*parts, "</robot>"])


HANDS = ("left_hand", "right_hand")


@pytest.fixture
def case(tmp_path):
    file = tmp_path / "torso.urdf"
    file.write_text(two_arms())
    return TreeCase("torso", file, "base", HANDS)


@pytest.fixture
def tray(case):
    """The left hand in the base, the right hand in the left."""
    return TreeCase("tray", case.urdf_path, "base", HANDS, {"right_hand": "left_hand"})


def test_tips_are_where_geometry_says(case, tray):
    assert case.chain.num_joints == 13
    up = np.zeros((1, 13))
    tips = TreeOracle(case).forward(up)
    assert tips.shape == (1, 2, 4, 4)
    assert np.allclose(tips[0, :, :3, 3], [[0, 0.3, 1.85], [0, -0.3, 1.85]])
    up[0, case.chain.joint_names.index("waist")] = np.pi / 2
    turned = TreeOracle(case).forward(up)
    assert np.allclose(turned[0, :, :3, 3], [[-0.3, 0, 1.85], [0.3, 0, 1.85]])
    between = TreeOracle(tray).forward(up)
    assert np.allclose(between[0, 1, :3, 3], [0, -0.6, 0])
    assert np.allclose(between[0, 0], turned[0, 0])


@pytest.mark.parametrize("which", ["case", "tray"])
def test_the_package_and_pinocchio_agree(which, request):
    one = request.getfixturevalue(which)
    q = random_configurations(one.chain, 10, 1)
    assert np.allclose(TreeOracle(one).forward(q), one.chain.forward(q), atol=1e-12)


def test_a_floating_base_is_placed():
    names = [*ROOT_JOINTS, "waist"]
    frames = RobotFrames(two_arms(), names)
    hands = [frames.frame(link) for link in ("torso", *HANDS)]
    row = np.array([1.0, 2.0, 3.0, 0.0, 0.0, np.pi / 2, 0.0])
    assert np.allclose(frames.in_world(row, hands)[:, :3, 3],
                       [[1, 2, 3.5], [0.7, 2, 4.85], [1.3, 2, 4.85]])  # fmt: skip
    # Roll first, about the robot's own axis; then pitch, then yaw.
    row[3:6] = np.pi / 2, 0.0, np.pi / 2
    assert np.allclose(frames.in_world(row, hands)[0, :3, 3], [1.5, 2, 3])
    row[3:6] = 0.3, -0.4, 0.5
    assert frames.floats and frames.moves(frames.frame("base"))
    # The same by pinocchio's joints, as the other solvers have it.
    joints = RobotFrames(with_root(two_arms()), [])
    joints.values = type(joints.values)(joints.model, with_root(two_arms()), names)
    joints._own = list(range(len(names)))
    same = joints.in_world(row, [joints.frame(link) for link in ("torso", *HANDS)])
    assert np.allclose(frames.in_world(row, hands), same)


def test_the_worst_tip_counts(case):
    oracle, chain = TreeOracle(case), case.chain
    checker = Checker(oracle, chain, 1e-5, 1e-5)
    q = random_configurations(chain, 3, 2)
    goal = oracle.forward(q[:1])[0]
    assert checker.violations(goal, q[:1]).total == 0
    off = goal.copy()
    off[1, 0, 3] += 1e-3
    distance, angle = checker.errors(off, q[:1])
    assert distance == pytest.approx([1e-3]) and angle[0] < 1e-9
    assert checker.violations(off, q[:1]).wrong == 1
    assert checker.errors(goal, q)[0].shape == (3,) and checker.violations(goal, q).wrong == 2


@pytest.mark.parametrize("kind", [PinocchioLM, Pink])
@pytest.mark.parametrize("which", ["case", "tray"])
def test_restarts_end_at_the_goal(kind, which, request):
    one = request.getfixturevalue(which)
    try:
        solver = kind(one, 20.0, seed=3)
    except MissingDependencyError as reason:
        pytest.skip(str(reason))
    goals = TreeOracle(one).forward(random_configurations(one.chain, 3, 3))
    checker = Checker(TreeOracle(one), one.chain, 1e-5, 1e-5)
    for goal in goals:
        found = solver.solve(goal)
        assert found.shape == (1, 13) and checker.violations(goal, found).total == 0
    assert kind(one, 0.1, accepts=lambda q: False).solve(goals[0]).shape == (0, 13)


@pytest.fixture
def spheres(tmp_path):
    """Two spheres in the hands, one in the base, and a table."""
    sphere = {name: [{"center": [0.0, 0.0, 0.0], "radius": 0.05}] for name in ("base", *HANDS)}
    robot = {
        "collision_link_names": [*sphere, "torso"],
        "collision_spheres": sphere,
        "self_collision_ignore": {},
        "self_collision_buffer": {"left_hand": 0.02},
    }
    table = {"table": {"dims": [4.0, 4.0, 0.2], "pose": [0.0, 0.0, -0.1, 1, 0, 0, 0]}}
    for name, content in (("robot", {"kinematics": robot}), ("table", {"cuboid": table})):
        (tmp_path / f"{name}.yml").write_text(yaml.safe_dump(content))
    return tmp_path / "robot.yml", tmp_path / "table.yml"


def test_spheres_of_both_arms_and_of_a_floating_base(case, spheres):
    names = case.chain.joint_names
    standing = SphereOracle(two_arms(), *spheres, names)
    q = np.zeros(13)
    assert not standing.collides(q)  # the base stands in the table
    # Both bend inwards: half of 0.6 m to go, less the radii and the left hand's buffer.
    reach = 1.1
    for tilt, hits in ((np.arcsin((0.3 - 0.061) / reach), False),
                       (np.arcsin((0.3 - 0.059) / reach), True)):  # fmt: skip
        for side, turn in zip(SIDES, (-1, 1), strict=True):
            q[names.index(f"{side}_joint_0")] = turn * np.pi / 2
            q[names.index(f"{side}_joint_1")] = tilt
        assert standing.collides(q) == hits
    floating = SphereOracle(two_arms(), *spheres, [*ROOT_JOINTS, *names])
    for height, hits in ((0.04, True), (0.06, False)):
        row = np.concatenate([[0, 0, height, 0, 0, 0], np.zeros(13)])
        assert floating.collides(row) == hits


def test_links_are_checked_as_the_file_says(case, spheres):
    robot, table = spheres
    q = np.zeros(13)
    content = yaml.safe_load(robot.read_text())["kinematics"]
    content["self_collision_buffer"] = {"left_hand": 0.6}
    for ignored, hits in (({}, True), ({"right_hand": ["left_hand"]}, False)):
        content["self_collision_ignore"] = ignored
        robot.write_text(yaml.safe_dump({"robot_cfg": {"kinematics": content}}))
        assert kinematics(robot)["self_collision_ignore"] == ignored
        assert SphereOracle(two_arms(), robot, table, case.chain.joint_names).collides(q) == hits


def test_bounds_of_a_floating_base_are_read():
    kinds = ("Z_ROT", "X_PRISM", "Y_PRISM", "Z_PRISM", "X_ROT", "Y_ROT")
    links = {kind: {"joint_type": kind, "joint_limits": [-k, 2.0 * k]} for k, kind in
             enumerate(kinds)}  # fmt: skip
    assert root_bounds(links) == ((-1, -2, -3, -4, -5, 0), (2, 4, 6, 8, 10, 0))
    assert root_bounds({"attached": {"joint_type": "FIXED"}}) is None
    assert [robot.free[1] for robot in CUROBO_ROBOTS.values()] == [1.0, 0.992, 0.984]
