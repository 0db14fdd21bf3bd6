"""MoveIt's joint_limits.yaml: the position limits that it puts in place of the URDF's."""

from os import PathLike

from generative_ik_ros.arguments import file_path
from generative_ik_ros.errors import InvalidArgumentError, shown
from generative_ik_ros.robot.limits import JointLimits
from generative_ik_ros.robot.yaml_files import read_yaml


def read_joint_limits(file: str | PathLike[str]) -> JointLimits:
    """Return the position limits in a joint_limits.yaml, for `joint_limits=` [rad or m].

    As in MoveIt, they are those of joints with `has_position_limits: true`.

    Args:
        file: As `move_group` takes it, under robot_description_planning or not.

    Raises:
        InvalidArgumentError: It cannot be read, or a joint's limits are no numbers.
    """
    content = read_yaml(file_path("file", file))
    content = content if isinstance(content, dict) else {}
    content = content.get("robot_description_planning", content)
    joints = content.get("joint_limits") if isinstance(content, dict) else None
    if not isinstance(joints, dict):
        raise InvalidArgumentError(f"{file} has no joint_limits")
    limits = {}
    for name, entry in joints.items():
        if isinstance(entry, dict) and entry.get("has_position_limits") is True:
            ends = entry.get("min_position"), entry.get("max_position")
            if not all(isinstance(end, int | float) for end in ends):
                raise InvalidArgumentError(
                    f"{file}: joint '{name}' has position limits, but min_position and "
                    f"max_position are {shown(ends[0])} and {shown(ends[1])}"
                )
            limits[name] = ends
    return limits
