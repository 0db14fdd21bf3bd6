"""Validation of moveit_msgs/PositionIKRequest messages."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.moveit import ErrorCode
from generative_ik_ros.robot.description import listed
from generative_ik_ros.robot.joint_group import JointGroup

Message: TypeAlias = Any
"""A message of moveit_msgs, which may not be installed."""


class RefusedRequest(GenerativeIKError):
    """A request that cannot be answered, with the error code of the reply."""

    def __init__(self, code: ErrorCode, message: str):
        """Store the code."""
        super().__init__(message)
        self.code = code


def read_tips_and_poses(request: Message) -> tuple[str | tuple[str, ...], list[PoseStamped]]:
    """Return the tip link, "" for the group's own tip, and its target pose; or several.

    Raises:
        RefusedRequest: There are not as many poses as tips.
    """
    poses, links = list(request.pose_stamped_vector), list(request.ik_link_names)
    if not poses:
        return request.ik_link_name.removeprefix("/"), [request.pose_stamped]
    if len(poses) == 1 and len(links) <= 1:
        return (links or [request.ik_link_name])[0].removeprefix("/"), poses
    if len(poses) != len(links):
        raise RefusedRequest(
            ErrorCode.INVALID_LINK_NAME,
            f"pose_stamped_vector has {len(poses)} poses for {len(links)} ik_link_names",
        )
    return tuple(link.removeprefix("/") for link in links), poses


def read_state(request: Message) -> dict[str, float]:
    """Return the joint positions in the request's robot state, by joint [rad or m].

    Raises:
        RefusedRequest: Names and positions do not match, or a position is NaN or infinite.
    """
    joint_state = request.robot_state.joint_state
    names, positions = list(joint_state.name), joint_state.position
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
    """Return a group's positions in a partial state, (G,); None if it has no joint of the group.

    Joints that the state does not mention are at their default positions.
    """
    if not any(name in state for name in group.joint_names):
        return None
    defaults = zip(group.joint_names, group.default_positions, strict=True)
    return np.array([state.get(name, default) for name, default in defaults])


def read_joint_bounds(
    request: Message, group: JointGroup, state: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Return the bounds that the joint constraints put on joints of the group [rad or m].

    Raises:
        RefusedRequest: A constraint is not on a joint of the robot or is not finite, or a joint
            outside the group violates one.
    """
    bounds: dict[str, tuple[float, float]] = {}
    for constraint in request.constraints.joint_constraints:
        name = constraint.joint_name
        least = constraint.position - constraint.tolerance_below
        most = constraint.position + constraint.tolerance_above
        if name not in group.description.joint_named:
            raise RefusedRequest(
                ErrorCode.INVALID_GOAL_CONSTRAINTS,
                f"there is a constraint on the unknown joint '{name}'; the robot's joints are: "
                + listed(group.description.joint_named),
            )
        if not (math.isfinite(least) and math.isfinite(most) and least <= most):
            raise RefusedRequest(
                ErrorCode.INVALID_GOAL_CONSTRAINTS,
                f"the joint constraint on '{name}' has the invalid range {least} to {most}",
            )
        if name in group.joint_names:
            lower, upper = bounds.get(name, (-math.inf, math.inf))
            bounds[name] = max(lower, least), min(upper, most)
        elif name in state and not least <= state[name] <= most:
            raise RefusedRequest(
                ErrorCode.NO_IK_SOLUTION,
                f"'{name}', which is not in group '{group.name}', is at {state[name]}, outside "
                f"its constraint {least} to {most}",
            )
    return bounds
