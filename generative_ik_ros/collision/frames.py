"""Compiled forward kinematics of all frames of a robot that some joints move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lane_algebra import half_angle
from generative_ik_ros.compiled.lanes import load, store
from generative_ik_ros.errors import check_names
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

FRAME_FLOATS = 35
"""Numbers of a moving frame: three matrices, shift, axis, multiplier and offset."""
FRAME_INTS = 3
"""Parent frame, whether the joint is prismatic, and its variable."""


@dataclass(frozen=True, eq=False)
class MovingFrames:
    """The frames that the variables move, parents first; frame 0 is the root link, which stands.

    Attributes:
        floats: (F, 35) a row for each of the F moving frames.
        ints: (F, 3) likewise.
        link_frame: Frame that each link is fixed to.
        link_in_frame: (4, 4) pose of each link in that frame [m].
    """

    floats: NDArray[np.float64]
    ints: NDArray[np.int64]
    link_frame: Mapping[str, int]
    link_in_frame: Mapping[str, NDArray[np.float64]]

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
        floats: list[NDArray[np.float64]] = []
        ints: list[tuple[int, int, int]] = []
        frame_of, in_frame = {description.root: 0}, {description.root: np.eye(4)}
        order = [description.root]
        for link in order:
            for joint in description.child_joints.get(link, ()):
                at_zero = in_frame[link] @ joint.child_in_parent
                driver, multiplier, offset = description.driver(joint, given)
                if joint.moves and driver.name in index:
                    floats.append(_numbers(joint, at_zero, multiplier, offset))
                    kind = joint.type == "prismatic"
                    ints.append((frame_of[link], int(kind), index[driver.name]))
                    frame_of[joint.child], in_frame[joint.child] = len(ints), np.eye(4)
                else:
                    value = joint_positions.get(driver.name, driver.neutral)
                    frame_of[joint.child] = frame_of[link]
                    in_frame[joint.child] = at_zero @ joint.motion(multiplier * value + offset)
                order.append(joint.child)
        return cls(
            np.array(floats).reshape(-1, FRAME_FLOATS),
            np.array(ints, np.int64).reshape(-1, FRAME_INTS),
            frame_of,
            in_frame,
        )


def _numbers(
    joint: Joint, at_zero: NDArray[np.float64], multiplier: float, offset: float
) -> NDArray[np.float64]:
    """Return what Rodrigues' formula needs of a joint; see `robot.rodrigues`."""
    rotation = at_zero[:3, :3]
    cross = np.cross(joint.axis, np.eye(3)).T
    return np.concatenate(
        [
            rotation.ravel(),
            (rotation @ cross).ravel(),
            (rotation @ cross @ cross).ravel(),
            at_zero[:3, 3],
            rotation @ joint.axis,
            [multiplier, offset],
        ]
    )


@inlined
def place_frames(floats, ints, count, q, frames, row):
    """Write rotation (9) and position (3) of frame 0 and the `count` moving ones, in frame 0.

    From row `row` of eight on, `frames` has memory for two rows for every eight moving frames.
    """
    for group in range((count + WIDTH - 1) // WIDTH):
        _write_sines(floats, ints, count, q, frames, row + 2 * group, WIDTH * group)
    for k in range(12):
        frames[k] = 1.0 if k in (0, 4, 8) else 0.0
    for f in range(count):
        a, b, i = FRAME_FLOATS * f, 12 * ints[FRAME_INTS * f], 12 * (f + 1)
        sine_at = WIDTH * (row + 2 * (f // WIDTH)) + f % WIDTH
        sine, versine, slide = frames[sine_at], frames[sine_at + WIDTH], 0.0
        if ints[FRAME_INTS * f + 1] != 0:
            slide = floats[a + 33] * q[ints[FRAME_INTS * f + 2]] + floats[a + 34]
            sine = versine = 0.0
        shift_x = floats[a + 27] + slide * floats[a + 30]
        shift_y = floats[a + 28] + slide * floats[a + 31]
        shift_z = floats[a + 29] + slide * floats[a + 32]
        a00, a10, a20 = _column(floats, a, sine, versine)
        a01, a11, a21 = _column(floats, a + 1, sine, versine)
        a02, a12, a22 = _column(floats, a + 2, sine, versine)
        for r in range(3):
            x, y, z = frames[b + 3 * r], frames[b + 3 * r + 1], frames[b + 3 * r + 2]
            frames[i + 3 * r] = x * a00 + y * a10 + z * a20
            frames[i + 3 * r + 1] = x * a01 + y * a11 + z * a21
            frames[i + 3 * r + 2] = x * a02 + y * a12 + z * a22
            frames[i + 9 + r] = frames[b + 9 + r] + x * shift_x + y * shift_y + z * shift_z


@inlined
def _column(floats, at, sine, versine):
    """Return a column of a joint's rotation, which is linear in sine and versine."""
    return (
        floats[at] + sine * floats[at + 9] + versine * floats[at + 18],
        floats[at + 3] + sine * floats[at + 12] + versine * floats[at + 21],
        floats[at + 6] + sine * floats[at + 15] + versine * floats[at + 24],
    )


@inlined
def _write_sines(floats, ints, count, q, frames, row, first):
    """Write sine and 1 - cosine of the positions of eight joints to two rows."""
    for lane in range(WIDTH):
        value = 0.0
        if first + lane < count:
            a = FRAME_FLOATS * (first + lane)
            value = floats[a + 33] * q[ints[FRAME_INTS * (first + lane) + 2]] + floats[a + 34]
        frames[WIDTH * row + lane] = value
    sine, cosine = half_angle(load(frames, row))
    store(frames, row, sine * cosine * 2.0)
    store(frames, row + 1, sine * sine * 2.0)
