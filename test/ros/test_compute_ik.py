"""compute_ik of a real move_group: the plugin beside MoveIt's KDL, for one arm and for two.

Each solver has a move_group of its own, and they are asked in turns. No node of ours runs. Answers
are checked by pinocchio, and by move_group where they are to be free of collisions. `pytest -s`
prints the times, also of calls for no solver, which take what the client and the service take;
compute_ik_benchmark (docs/moveit.md) measures without Python.
"""

import re
import time
from dataclasses import dataclass
from pathlib import Path

import moveit_interfaces
import numpy as np
import pytest

moveit_interfaces.require()
pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed: pip install pin")

import move_group

if move_group.command() is None:
    pytest.skip(
        "move_group is not installed: sudo apt install ros-$ROS_DISTRO-moveit",
        allow_module_level=True,
    )

from ik_client import IKClient, reply
from moveit_msgs.msg import MoveItErrorCodes, RobotState
from moveit_msgs.srv import GetPositionIK, GetStateValidity
from position_ik_client import stamped

POSES = 30
TOLERANCE = 2e-5
"""Of poses [m, rad]: that of both solvers is 1e-5."""
SHARE = 0.6
"""The largest share of KDL's time, without that of client and service."""
KDL = {"kinematics_solver": "kdl_kinematics_plugin/KDLKinematicsPlugin"}
OURS = {"kinematics_solver": "generative_ik_ros/GenerativeIKPlugin"}
TIMEOUT = {"kinematics_solver_timeout": 0.05, "kinematics_solver_search_resolution": 0.005}
CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Robot:
    """A robot, its group, and the groups that have a solver, by the name of the move_group."""

    urdf: str
    srdf: str
    group: str
    tips: tuple[str, ...]
    solved: dict[str, tuple[str, ...]]


def inner(file):
    """What the root element of a file of the Panda contains, but for its looks."""
    text = (CHECKOUT / "config" / "robots" / file).read_text()
    text = re.sub(r"<(visual|material)\b.*?</\1>|</?robot[^>]*>", "", text, flags=re.DOTALL)
    return text.replace('<?xml version="1.0"?>', "")


def chain(group, base, tip):
    return f"<group name='{group}'><chain base_link='{base}' tip_link='{tip}'/></group>"


def one_arm():
    return Robot(
        urdf=f"<robot name='panda'>{inner('panda.urdf')}</robot>",
        srdf="<robot name='panda'>"
        + chain("arm", "panda_link0", "panda_link8")
        + f"{inner('panda.srdf')}</robot>",
        group="arm",
        tips=("panda_link8",),
        solved={"kdl": ("arm",), "ours": ("arm",)},
    )


def two_arms():
    """Two Pandas side by side. KDL has no solver for both: MoveIt asks that of each arm."""
    urdf, srdf = "<link name='world'/>", ""
    for side, y in (("left", 0.3), ("right", -0.3)):
        urdf += inner("panda.urdf").replace("panda_", f"{side}_") + (
            f"<joint name='{side}_mount' type='fixed'><parent link='world'/>"
            f"<child link='{side}_link0'/><origin xyz='0 {y} 0'/></joint>"
        )
        srdf += chain(side, f"{side}_link0", f"{side}_link8")
        srdf += inner("panda.srdf").replace("panda_", f"{side}_")
    srdf += "<group name='both'><group name='left'/><group name='right'/></group>"
    return Robot(
        urdf=f"<robot name='two'>{urdf}</robot>",
        srdf=f"<robot name='two'>{srdf}</robot>",
        group="both",
        tips=("left_link8", "right_link8"),
        solved={"kdl": ("left", "right"), "ours": ("both",)},
    )


def waist_and_arms():
    """A waist that two arms share, which MoveIt does not move without a solver for all."""
    return Robot(
        urdf=(CHECKOUT / "examples" / "two_arms.urdf").read_text(),
        srdf="<robot name='two_arms'>"
        + chain("left", "torso", "left_hand")
        + chain("right", "torso", "right_hand")
        + "<group name='all'><joint name='waist'/><group name='left'/><group name='right'/>"
        "</group></robot>",
        group="all",
        tips=("left_hand", "right_hand"),
        solved={"ours": ("all",)},
    )


class Asked:
    """The services of both move_groups, and pinocchio's model of the robot."""

    def __init__(self, robot, client):
        self.robot, self.node = robot, client.node
        self.model = pin.buildModelFromXML(robot.urdf)
        self._data = self.model.createData()
        self.names = [name for name in list(self.model.names)[1:] if "finger" not in name]
        self._at = [self.model.joints[self.model.getJointId(name)].idx_q for name in self.names]
        self.lower = self.model.lowerPositionLimit[self._at]
        self.upper = self.model.upperPositionLimit[self._at]
        self._ik = {
            name: self.node.create_client(GetPositionIK, f"{name}/compute_ik")
            for name in robot.solved
        }
        self._validity = self.node.create_client(GetStateValidity, "ours/check_state_validity")
        for one in (*self._ik.values(), self._validity):
            assert one.wait_for_service(30.0)

    def tips(self, positions):
        """Where the tips are, (N, 4, 4), with the group's joints at `positions`."""
        q = pin.neutral(self.model)
        q[self._at] = positions
        pin.framesForwardKinematics(self.model, self._data, q)
        frames = [self._data.oMf[self.model.getFrameId(tip)] for tip in self.robot.tips]
        return np.array([frame.homogeneous for frame in frames])

    def state(self, positions):
        message = RobotState()
        message.joint_state.name = self.names
        message.joint_state.position = [float(value) for value in positions]
        return message

    def is_valid(self, positions):
        asked = GetStateValidity.Request(robot_state=self.state(positions))
        asked.group_name = self.robot.group
        answer = reply(self._validity, asked, 10.0)
        assert answer is not None
        return answer.valid

    def drawn(self, rng):
        """A random configuration without collisions."""
        while True:
            positions = rng.uniform(self.lower, self.upper)
            if self.is_valid(positions):
                return positions

    def solve(self, name, targets, seed, avoid_collisions):
        """What a move_group answers, None: nothing, and the time [ms] that it takes."""
        answer, took = self._call(name, self.robot.group, targets, seed, avoid_collisions)
        if answer.error_code.val != MoveItErrorCodes.SUCCESS:
            return None, took
        found = answer.solution.joint_state
        where = dict(zip(found.name, found.position, strict=True))
        return np.array([where[name] for name in self.names]), took

    def alone(self, targets, seed, avoid_collisions):
        """The time [ms] of a call that no solver is asked for."""
        answer, took = self._call("ours", "unknown", targets, seed, avoid_collisions)
        assert answer.error_code.val == MoveItErrorCodes.INVALID_GROUP_NAME
        return took

    def _call(self, name, group, targets, seed, avoid_collisions):
        message = GetPositionIK.Request()
        asked = message.ik_request
        asked.group_name, asked.robot_state = group, self.state(seed)
        asked.avoid_collisions = avoid_collisions
        poses = [stamped(target) for target in targets]
        if len(poses) == 1:
            (asked.pose_stamped,) = poses
        else:
            asked.pose_stamped_vector, asked.ik_link_names = poses, list(self.robot.tips)
        start = time.perf_counter()
        answer = reply(self._ik[name], message, 20.0)
        assert answer is not None
        return answer, 1e3 * (time.perf_counter() - start)


@pytest.fixture(scope="module", params=[one_arm, two_arms, waist_and_arms])
def asked(ros, request, tmp_path_factory):
    robot, groups = request.param(), []
    for name, solved in robot.solved.items():
        solver = {**(KDL if name == "kdl" else OURS), **TIMEOUT}
        folder = tmp_path_factory.mktemp(name)
        kinematics = dict.fromkeys(solved, solver)
        groups.append(
            move_group.MoveGroup(folder, f"/ik/{name}", robot.urdf, robot.srdf, kinematics)
        )
    for one in groups:
        one.wait()
    client = IKClient("/ik")
    yield Asked(robot, client)
    client.close()
    for one in groups:
        one.stop()


@pytest.mark.parametrize("avoid_collisions", [False, True])
def test_every_pose_is_solved_in_less_time(asked, avoid_collisions):
    rng = np.random.default_rng(0)
    times = {name: [] for name in (*asked.robot.solved, "alone")}
    solved = dict.fromkeys(asked.robot.solved, 0)
    for k in range(POSES + 1):
        call = asked.tips(asked.drawn(rng)), asked.drawn(rng), avoid_collisions
        took = {"alone": asked.alone(*call)}
        for name in list(solved)[:: 1 if k % 2 else -1]:
            found, took[name] = asked.solve(name, *call)
            if found is not None:
                check(asked, found, call[0], avoid_collisions)
            solved[name] += found is not None and k > 0
        if k > 0:  # The first call of each takes longer.
            for name, value in took.items():
                times[name].append(value)
    print(
        f"\n{asked.robot.group}, avoid_collisions {avoid_collisions}: solved {solved} of {POSES}"
    )
    for name, values in times.items():
        print(f"{name}: {np.median(values):.2f} ms, 90 % {np.percentile(values, 90):.2f} ms")
    assert "generative_ik" not in asked.node.get_node_names()
    assert solved["ours"] == POSES
    if len(asked.robot.tips) == 1:
        kdl, ours, alone = (np.median(times[name]) for name in ("kdl", "ours", "alone"))
        assert ours - alone <= SHARE * (kdl - alone)


def check(asked, positions, targets, avoid_collisions):
    for tip, target in zip(asked.tips(positions), targets, strict=True):
        error = pin.log6(pin.SE3(np.linalg.solve(target, tip))).vector
        assert np.linalg.norm(error[:3]) < TOLERANCE and np.linalg.norm(error[3:]) < TOLERANCE
    assert ((positions >= asked.lower) & (positions <= asked.upper)).all()
    assert not avoid_collisions or asked.is_valid(positions)
