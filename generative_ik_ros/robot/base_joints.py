"""Planar and floating joints as several joints of one degree of freedom each."""

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint

COORDINATES = {
    "planar": ("x", "y", "yaw"),
    "floating": ("x", "y", "z", "yaw", "pitch", "roll"),
}
"""In which order a joint's child moves: the yaw turns first, the roll last."""
AXES = {"x": 0, "y": 1, "z": 2, "roll": 0, "pitch": 1, "yaw": 2}
"""The axis of each, of the joint's frame as the coordinates before it have moved it."""


def base_joint_names(joint: Joint) -> tuple[str, ...]:
    """Return the names of the joints that a planar or floating one is made of; () for others."""
    return tuple(f"{joint.name}/{key}" for key in COORDINATES.get(joint.type, ()))


def with_base_joints(description: RobotDescription, named: Collection[str]) -> RobotDescription:
    """Return a robot with planar and floating joints taken apart where a part of one is named.

    The child stands at Trans(x, y, 0) Rz(yaw) in a planar joint's frame, and at Trans(x, y, z)
    Rz(yaw) Ry(pitch) Rx(roll) in a floating one's, as MoveIt and pinocchio have it: a planar joint
    moves in the plane x, y of its frame. Lengths have no limits at first, and angles are free.

    Args:
        description: The robot.
        named: Names of joints, as "base/x" of the planar joint "base".

    Raises:
        RobotDescriptionError: A planar joint has another plane by its axis, or names are taken.
    """
    joints: list[Joint] = []
    for joint in description.joints:
        if set(base_joint_names(joint)).isdisjoint(named):
            joints.append(joint)
        else:
            joints += _parts(joint)
    if len(joints) == len(description.joints):
        return description
    children = [joint.child for joint in joints]
    links = tuple(dict.fromkeys((*description.links, *children)))
    names = [joint.name for joint in joints]
    if len(set(children)) < len(children) or len(set(names)) < len(names):
        raise RobotDescriptionError(
            "the robot has links or joints that parts of a planar or floating joint are named"
        )
    return replace(description, links=links, joints=tuple(joints))


def _parts(joint: Joint) -> Iterator[Joint]:
    """Yield the joints that a planar or floating one is made of, from its parent to its child."""
    if joint.type == "planar" and abs(abs(joint.axis[2]) - 1.0) > 1e-6:
        axis = " ".join(f"{part:g}" for part in joint.axis)
        raise RobotDescriptionError(
            f"the planar joint '{joint.name}' has the axis {axis}; its plane must be that of x "
            "and y, with the axis 0 0 1"
        )
    place, parent = joint.child_in_parent, joint.parent
    names = base_joint_names(joint)
    for name, key in zip(names, COORDINATES[joint.type], strict=True):
        child = joint.child if name == names[-1] else f"{name}_link"
        kind = "prismatic" if key in ("x", "y", "z") else "continuous"
        axis = np.eye(3)[AXES[key]]
        yield Joint(name, kind, parent, child, place, axis, -np.inf, np.inf, None)
        place, parent = np.eye(4), child
