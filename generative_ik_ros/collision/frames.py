"""All frames of a robot that some joints move, as the native core places them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_ros._core import frame_numbers
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import check_names
from generative_ik_ros.robot.description import RobotDescription


@dataclass(frozen=True, eq=False)
class MovingFrames:
    """The frames that the variables move, parents first; frame 0 is the root link, which stands.

    Attributes:
        floats: (F, 35) three matrices, shift, axis, multiplier and offset of each of the F moving
            frames.
        ints: (F, 3) its parent frame, whether its joint is prismatic, and the joint's variable.
        num_variables: Joints that a configuration lists.
        link_frame: Frame that each link is fixed to.
        link_in_frame: (4, 4) pose of each link in that frame [m].
    """

    floats: Floats
    ints: Ints
    num_variables: int
    link_frame: Mapping[str, int]
    link_in_frame: Mapping[str, Floats]

    @classmethod
    def of(
        cls,
        description: RobotDescription,
        variables: Sequence[str],
        joint_positions: Mapping[str, float],
    ) -> "MovingFrames":
        """Find the frames that some joints move; all others stand still.

        Args:
            description: The robot.
            variables: Names of the joints that a configuration lists.
            joint_positions: Where other joints stand [rad or m]; those that are not named stand at
                the position nearest to zero within their limits.

        Raises:
            UnknownNameError: The robot has no such joint.
        """
        check_names("joint", (*variables, *joint_positions), description.joint_named)
        index = {name: k for k, name in enumerate(variables)}
        given = {**joint_positions, **index}
        origins: list[Floats] = []
        axes: list[Floats] = []
        couplings: list[tuple[float, float]] = []
        ints: list[tuple[int, int, int]] = []
        frame_of, in_frame = {description.root: 0}, {description.root: np.eye(4)}
        order = [description.root]
        for link in order:
            for joint in description.child_joints.get(link, ()):
                at_zero = in_frame[link] @ joint.child_in_parent
                driver, multiplier, offset = description.driver(joint, given)
                if joint.moves and driver.name in index:
                    origins.append(at_zero)
                    axes.append(joint.axis)
                    couplings.append((multiplier, offset))
                    kind = joint.type == "prismatic"
                    ints.append((frame_of[link], int(kind), index[driver.name]))
                    frame_of[joint.child], in_frame[joint.child] = len(ints), np.eye(4)
                else:
                    value = joint_positions.get(driver.name, driver.neutral)
                    frame_of[joint.child] = frame_of[link]
                    in_frame[joint.child] = at_zero @ joint.motion(multiplier * value + offset)
                order.append(joint.child)
        return cls(
            frame_numbers(
                np.array(origins, np.float64).reshape(-1, 4, 4),
                np.array(axes, np.float64).reshape(-1, 3),
                np.array(couplings, np.float64).reshape(-1, 2),
            ),
            np.array(ints, np.int64).reshape(-1, 3),
            len(variables),
            frame_of,
            in_frame,
        )
