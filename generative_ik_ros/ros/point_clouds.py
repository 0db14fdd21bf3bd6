"""Points of sensor_msgs/PointCloud2 messages, or of anything with the same attributes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.cloud import MAX_POINTS, PointCloud
from generative_ik_ros.errors import InvalidArgumentError

_FLOAT32 = 7
"""Number of the type in sensor_msgs/PointField."""
MANY = 100_000
"""Points from which on a cloud is thinned."""


def read_points(message: Any) -> NDArray[np.float32]:  # noqa: ANN401 (any such message)
    """Return x, y and z of all points, (P, 3) in the message's frame [m].

    Raises:
        InvalidArgumentError: There is no x, y or z of 32 bits, the data are too short for what
            they should hold, or there are too many.
    """
    number = int(message.width) * int(message.height)
    if number > MAX_POINTS:
        raise InvalidArgumentError(f"{number} points are too many; at most {MAX_POINTS}")
    offsets = {
        field.name: int(field.offset)
        for field in message.fields
        if field.datatype == _FLOAT32 and field.count in (0, 1)
    }
    if missing := [name for name in "xyz" if name not in offsets]:
        raise InvalidArgumentError(f"a cloud needs fields x, y and z of FLOAT32; no {missing[0]}")
    step, row = int(message.point_step), int(message.row_step)
    width, height = int(message.width), int(message.height)
    data = np.frombuffer(message.data, np.uint8)
    needed = (height - 1) * row + width * step if number else 0
    ends = max(offsets[name] for name in "xyz") + 4
    if number and (ends > step or (height > 1 and row < width * step) or needed > len(data)):
        raise InvalidArgumentError(
            f"a cloud of {width} x {height} points of {step} bytes, {row} in a row, does not fit "
            f"{len(data)} bytes"
        )
    kind = np.dtype(">f4" if message.is_bigendian else "<f4")
    points = np.empty((height, width, 3), np.float32)
    if number:
        for axis, name in enumerate("xyz"):
            # A view into the bytes, wherever a point begins: nothing needs to be aligned.
            points[..., axis] = np.ndarray(
                (height, width), kind, data, offsets[name], (row or width * step, step)
            )
    return points.reshape(-1, 3)


def cloud_in_root(
    points: NDArray[np.float32], frame_in_root: Floats | None, radius: float
) -> PointCloud | None:
    """Return the cloud of the points that are finite, in the root link; None if there is none.

    A cloud of more than `MANY` points has one of them for every cube of the edge `radius`, whose
    balls reach over those left out.

    Args:
        points: (P, 3) in a frame [m].
        frame_in_root: (4, 4) the frame in the root link [m]; None: it is that.
        radius: Of the ball that each point stands for [m].

    Raises:
        InvalidArgumentError: A point is too far away.
    """
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return None
    moved = points.astype(np.float64)
    if frame_in_root is not None:
        moved = moved @ frame_in_root[:3, :3].T + frame_in_root[:3, 3]
    cloud = PointCloud.of(moved, radius)
    if cloud is None or len(cloud.points) <= MANY:
        return cloud
    return cloud.thinned(radius)
