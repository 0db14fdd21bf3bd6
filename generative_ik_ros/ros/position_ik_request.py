"""A moveit_msgs/PositionIKRequest in, checked values out, or MoveIt's code for what is wrong."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.moveit import ErrorCode
from generative_ik_ros.robot.description import RobotDescription, listed
from generative_ik_ros.robot.joint_group import JointGroup

Message: TypeAlias = Any
"""moveit_msgs/PositionIKRequest, which need not be there."""


class RefusedRequest(GenerativeIKError):
    """A request that cannot be answered, and MoveIt's code for why.

    Args:
        code: The error code of the reply.
        message: What is wrong, for people.
    """

    def __init__(self, code: ErrorCode, message: str):
        """Keep the code beside the message."""
        super().__init__(message)
        self.code = code


def read_tip_and_pose(request: Message) -> tuple[str, PoseStamped]:
    """Return the link to move, "" for the group's own tip, and the pose to bring it to.

    Raises:
        RefusedRequest: There are poses for several tips.
    """
    poses, links = list(request.pose_stamped_vector), list(request.ik_link_names)
    if not poses:
        return _link(request.ik_link_name), request.pose_stamped
    if len(poses) == 1 and len(links) <= 1:
        return _link(links[0] if links else request.ik_link_name), poses[0]
    if len(poses) != len(links):
        raise RefusedRequest(
            ErrorCode.INVALID_LINK_NAME,
            f"pose_stamped_vector holds {len(poses)} poses for {len(links)} ik_link_names",
        )
    raise RefusedRequest(
        ErrorCode.FAILURE,
        f"poses for {len(poses)} tips at once are not supported; ask for one tip at a time",
    )


def _link(name: str) -> str:
    return name.removeprefix("/")


def read_timeout(request: Message, default: float, most: float) -> float:
    """Return the time for a request [s]; none given means `default`, and `most` is the most."""
    timeout = request.timeout.sec + 1e-9 * request.timeout.nanosec
    return default if timeout <= 0.0 else min(timeout, most)


def read_state(request: Message) -> dict[str, float]:
    """Return the positions that the request's robot state gives, by joint [rad or m].

    Raises:
        RefusedRequest: Names and positions do not match, or a position is NaN or infinite.
    """
    names, positions = (
        list(request.robot_state.joint_state.name),
        (request.robot_state.joint_state.position),
    )
    if len(names) != len(positions):
        raise RefusedRequest(
            ErrorCode.INVALID_ROBOT_STATE,
            f"robot_state has {len(positions)} positions for {len(names)} joint names",
        )
    state = dict(zip(names, map(float, positions), strict=True))
    if len(state) != len(names):
        repeated = dict.fromkeys(name for name in names if names.count(name) > 1)
        raise RefusedRequest(
            ErrorCode.INVALID_ROBOT_STATE, f"robot_state repeats {listed(repeated)}"
        )
    wrong = [name for name, value in state.items() if not math.isfinite(value)]
    if wrong:
        raise RefusedRequest(
            ErrorCode.INVALID_ROBOT_STATE, f"robot_state is not finite for {listed(wrong)}"
        )
    return state


def seed_state(group: JointGroup, state: Mapping[str, float]) -> NDArray[np.float64] | None:
    """Return a group's positions in a state that may be partial, (G,); None where it has none.

    Joints that the state leaves open stand at their default positions.
    """
    if not any(name in state for name in group.joint_names):
        return None
    defaults = zip(group.joint_names, group.default_positions, strict=True)
    return np.array([state.get(name, default) for name, default in defaults])


def read_joint_bounds(
    request: Message, group: JointGroup, state: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Return what the joint constraints leave to each joint of the group [rad or m].

    Raises:
        RefusedRequest: A constraint names no joint of the robot or is not finite, or a joint
            outside the group breaks one.
    """
    bounds: dict[str, tuple[float, float]] = {}
    for constraint in request.constraints.joint_constraints:
        name = constraint.joint_name
        least = constraint.position - constraint.tolerance_below
        most = constraint.position + constraint.tolerance_above
        if name not in group.description.joint_named:
            raise RefusedRequest(
                ErrorCode.INVALID_GOAL_CONSTRAINTS,
                f"a joint constraint names '{name}'; the robot's joints are: "
                + listed(group.description.joint_named),
            )
        if not (math.isfinite(least) and math.isfinite(most) and least <= most):
            raise RefusedRequest(
                ErrorCode.INVALID_GOAL_CONSTRAINTS,
                f"the joint constraint on '{name}' leaves {least} to {most}",
            )
        if name in group.joint_names:
            before = bounds.get(name, (-math.inf, math.inf))
            bounds[name] = max(before[0], least), min(before[1], most)
        elif name in state and not least <= state[name] <= most:
            raise RefusedRequest(
                ErrorCode.NO_IK_SOLUTION,
                f"'{name}', which is not in group '{group.name}', stands at {state[name]}, "
                f"outside its constraint from {least} to {most}",
            )
    return bounds


def has_spatial_constraints(request: Message) -> bool:
    """Say whether there are constraints that only a planning scene can check."""
    constraints = request.constraints
    return bool(
        constraints.position_constraints
        or constraints.orientation_constraints
        or constraints.visibility_constraints
    )


def stands_by(
    description: RobotDescription, state: Mapping[str, float], joints: list[str]
) -> bool:
    """Say whether a state gives the position of all of some joints, those they mimic counted."""
    for name in joints:
        joint = description.joint_named[name]
        while joint.name not in state and joint.mimic is not None:
            joint = description.joint_named[joint.mimic.joint]
        if joint.name not in state:
            return False
    return True
