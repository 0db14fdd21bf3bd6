"""What moveit_msgs/PositionIKRequest messages ask for.

Position and orientation constraints on a tip whose pose is left out are the goal, a region; else
they are conditions.
"""

# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Header

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import GenerativeIKError, InvalidTargetError, UnknownNameError
from generative_ik_ros.moveit import ErrorCode, GenerativeIK
from generative_ik_ros.moveit.conditions import fulfilled
from generative_ik_ros.moveit.constraints import ConstraintGoal, constraint_goals
from generative_ik_ros.robot.description import listed
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.ros.conversions import poses_to_transforms

Message: TypeAlias = Any
"""A message of moveit_msgs, which may not be installed."""
FrameInBase = Callable[[Header], Floats | None]
"""Looks up the frame of a header in the base link; None: it is the base link."""
_SPATIAL = ("position_constraints", "orientation_constraints")


class RefusedRequest(GenerativeIKError):
    """A request that cannot be answered, with the error code of the reply."""

    def __init__(self, code: ErrorCode, message: str):
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


def seed_state(group: JointGroup, state: Mapping[str, float]) -> Floats | None:
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


def split(
    request: Message, tips: Sequence[str], poses: Sequence[PoseStamped]
) -> tuple[Message, Message]:
    """Return the constraints that are goals of tips without a pose, and those that are conditions.

    Args:
        request: moveit_msgs/PositionIKRequest.
        tips: The tip links.
        poses: The pose of each; one with an empty frame_id and all at its defaults is left out.
    """
    aimless = {tip for tip, pose in zip(tips, poses, strict=True) if _is_left_out(pose)}
    goals, conditions = type(request.constraints)(), copy(request.constraints)
    for kind in _SPATIAL:
        given = getattr(request.constraints, kind)
        setattr(goals, kind, [one for one in given if one.link_name in aimless])
        setattr(conditions, kind, [one for one in given if one.link_name not in aimless])
    return goals, conditions


def read_goals(
    goals: Message, ik: GenerativeIK, frame_in_base: FrameInBase
) -> dict[str, ConstraintGoal]:
    """Return the regions that constraints ask for, by tip link.

    Raises:
        InvalidTargetError: A constraint is no region, or its frame moves with the group.
        UnknownFrameError: A frame is unknown.
    """
    for one in _spatial(goals):
        frame = one.header.frame_id.removeprefix("/")
        if frame in ik.group.description.links:
            moving = [j.name for j, _ in path(ik.group.description, ik.base_frame, frame)]
            if set(moving) & set(ik.joint_names):
                raise InvalidTargetError(
                    f"a constraint on '{one.link_name}' is given in '{frame}', which the group "
                    f"moves; give it in '{ik.base_frame}' or a frame that stands"
                )
    return constraint_goals(goals, _frames(goals, frame_in_base))


def targets_of(
    ik: GenerativeIK,
    poses: Sequence[PoseStamped],
    goals: Mapping[str, ConstraintGoal],
    frame_in_base: FrameInBase,
) -> Floats:
    """Return the target of each tip in the base link (K, 4, 4): its pose, or a region's."""
    targets = poses_to_transforms([pose.pose for pose in poses])
    for k, (link, pose) in enumerate(zip(ik.tip_frames, poses, strict=True)):
        if link in goals:
            targets[k] = goals[link].target
            continue
        frame = frame_in_base(pose.header)
        if frame is not None:
            targets[k] = frame @ targets[k]
    return targets


def own_check(
    conditions: Message,
    ik: GenerativeIK,
    frame_in_base: FrameInBase,
    state: Mapping[str, float],
    slack: tuple[float, float],
    service: str,
) -> Callable[[object, Floats], bool]:
    """Return a callback that decides by this node's own kinematics whether solutions are valid.

    Args:
        conditions: Constraints of links.
        ik: The group's solver.
        frame_in_base: Looks up frames that are no links.
        state: Positions of other joints [rad or m].
        slack: Tolerances of positions [m] and angles [rad].
        service: Name of the service that is not there to decide.

    Raises:
        UnknownFrameError: A frame is unknown.
        RefusedRequest: A constraint cannot be decided here.
    """
    robot, base = ik.group.description, ik.base_frame
    known = {name: value for name, value in state.items() if name in robot.joint_named}
    others = _frames(conditions, frame_in_base, robot.links)

    def decide(_: object, solution: Floats) -> bool:
        positions = {**known, **dict(zip(ik.joint_names, solution.tolist(), strict=True))}
        links = {link: one[0] for link, one in link_transforms(robot, positions, base).items()}
        return fulfilled(conditions, {**others, **links}, *slack)

    try:
        if conditions.visibility_constraints:
            raise InvalidTargetError("visibility constraints cannot be checked here")
        # What is malformed has to be known before the search.
        decide(None, ik.group.default_positions)
    except (InvalidTargetError, UnknownNameError) as error:
        raise RefusedRequest(
            ErrorCode.INVALID_GOAL_CONSTRAINTS,
            f"{error}; {service}, which could check it, is not available",
        ) from error
    return decide


def _spatial(constraints: Message) -> list[Message]:
    return [one for kind in _SPATIAL for one in getattr(constraints, kind)]


def _frames(
    constraints: Message, frame_in_base: FrameInBase, known: Sequence[str] = ()
) -> dict[str, Floats]:
    """Return the poses of the frames that constraints name, (4, 4) [m], except known ones."""
    found = {}
    for one in _spatial(constraints):
        name = one.header.frame_id.removeprefix("/")
        if name and name not in known:
            pose = frame_in_base(one.header)
            found[name] = np.eye(4) if pose is None else pose
    return found


def _is_left_out(pose: PoseStamped) -> bool:
    """Say whether a pose has no frame and no numbers but those of an empty message."""
    at, q = pose.pose.position, pose.pose.orientation
    unset = not any((at.x, at.y, at.z, q.x, q.y, q.z)) and q.w == 1.0
    return unset and not pose.header.frame_id
