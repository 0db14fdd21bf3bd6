"""Construction of a planning group from URDF and SRDF."""

from dataclasses import replace
from os import PathLike

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.srdf import SemanticDescription


def planning_group(
    robot_description: str | PathLike[str] | RobotDescription,
    name: str,
    base_frame: str,
    tip_frame: str,
    robot_description_semantic: str | SemanticDescription,
) -> JointGroup:
    """Return a planning group; the arguments are those of `GenerativeIK.initialize`.

    Raises:
        RobotDescriptionError: A description is unusable.
        UnknownNameError: The group or a link does not exist.
        InvalidArgumentError: `base_frame` moves relative to the group's base link.
    """
    description, semantic = robot_description, robot_description_semantic
    if not isinstance(description, RobotDescription):
        description = RobotDescription.from_urdf(description)
    if isinstance(semantic, str) and not semantic:
        return JointGroup.from_links(description, name, base_frame, tip_frame)
    if not isinstance(semantic, SemanticDescription):
        semantic = SemanticDescription.from_srdf(semantic)
    group = JointGroup.from_srdf(description, semantic, name)
    if base_frame in ("", group.base_link):
        return group
    if base_frame not in description.links:
        raise UnknownNameError("link", base_frame, description.links)
    if any(joint.type != "fixed" for joint, _ in path(description, group.base_link, base_frame)):
        raise InvalidArgumentError(
            f"base_frame '{base_frame}' moves relative to '{group.base_link}', the base link of "
            f"group '{group.name}'"
        )
    return replace(group, base_link=base_frame)
