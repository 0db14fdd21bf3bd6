"""Forward kinematics of all links of a robot, for drawing it."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, check_names
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.rigid import inverse


def link_transforms(
    description: RobotDescription, joint_positions: Mapping[str, ArrayLike], base_link: str
) -> dict[str, Floats]:
    """Compute every link's frame for N configurations at once.

    Joints that are not named follow the joint that they mimic, or are at the position nearest to
    zero within their limits; floating and planar joints are at their origin.

    Args:
        description: The robot.
        joint_positions: (N,) positions [rad or m] by joint name.
        base_link: Link in whose frame the others are given.

    Returns:
        (N, 4, 4) link in base link [m], by link name; N is 1 when no joint is named.

    Raises:
        UnknownNameError: The robot has no such joint or link.
        InvalidArgumentError: The positions are not numbers, or not as many for each joint.
    """
    check_names("joint", joint_positions, description.joint_named)
    description.check_links(base_link)
    try:
        columns = [number_array("positions", column) for column in joint_positions.values()]
        (number,) = np.broadcast_shapes((1,), *(column.shape for column in columns))
    except ValueError:  # an InvalidArgumentError is one
        raise InvalidArgumentError(
            "joint positions must be numbers, as many for each joint"
        ) from None
    given = dict(zip(joint_positions, columns, strict=True))

    def position(joint: Joint) -> Floats:
        driver, multiplier, offset = description.driver(joint, given)
        value = given.get(driver.name)
        if value is None:
            value = driver.neutral
        return np.broadcast_to(multiplier * value + offset, (number,))

    in_root = {description.root: np.broadcast_to(np.eye(4), (number, 4, 4))}
    order = [description.root]
    for link in order:
        for joint in description.child_joints.get(link, ()):
            frame = in_root[link] @ joint.child_in_parent
            if joint.moves:
                frame = frame @ joint.motion(position(joint))
            in_root[joint.child] = frame
            order.append(joint.child)
    root_in_base = inverse(in_root[base_link])
    return {link: root_in_base @ in_root[link] for link in description.links}
