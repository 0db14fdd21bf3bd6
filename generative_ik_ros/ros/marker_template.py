"""A serialised marker array whose poses, scales and colours are updated in place.

rclpy builds and serialises about thirty thousand markers per second while holding the interpreter
lock: two hundred arms would block the node for 70 ms. Here the markers are built and serialised
once. For each message numpy writes the new values into the bytes, which rclpy publishes unchanged.
"""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false

import numpy as np
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from numpy.typing import NDArray
from rclpy.serialization import serialize_message
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.array_types import Ints

PLACE = np.dtype(
    [("position", "<f8", 3), ("orientation", "<f8", 4), ("scale", "<f8", 3), ("color", "<f4", 4)]
)
"""The fields that change between messages, laid out as in a serialised marker, without padding."""
_HEADER = 4
"""Length of the encapsulation header [bytes]; after it, numbers are aligned to their size."""
_POSITION, _ACTION = 1.2345678e-290, 0x5AC3_71E9
"""Sentinel values, found in no real marker, that locate positions and actions in the bytes."""


class MarkerTemplate:
    """A marker array with a fixed set of markers.

    Args:
        markers: K markers with their frames, namespaces, ids, types, points and meshes.
    """

    def __init__(self, markers: list[Marker]):
        pose = Pose(position=Point(x=_POSITION))
        for marker in markers:
            marker.pose, marker.action = pose, _ACTION
        self._message = MarkerArray(markers=markers)
        self._bytes = np.frombuffer(serialize_message(self._message), np.uint8).copy()
        body = self._bytes[_HEADER:]
        places, actions = _find(body, "<f8", _POSITION), _find(body, "<i4", _ACTION)
        self._offsets = None
        if len(places) == len(actions) == len(markers):
            self._offsets = (
                places[:, None] + np.arange(PLACE.itemsize),
                actions[:, None] + np.arange(4),
            )

    def filled(self, places: NDArray[np.void], actions: NDArray[np.int32]) -> bytes | MarkerArray:
        """Return the message with the given values for every marker.

        It is serialised, unless the middleware's serialisation differs from the expected one.

        Args:
            places: (K,) of dtype `PLACE`: positions and scales in [m], quaternions x, y, z, w.
            actions: (K,) Marker.ADD, DELETE or DELETEALL.
        """
        if self._offsets is None:
            return self.filled_message(places, actions)
        body = self._bytes[_HEADER:]
        body[self._offsets[0]] = places.view(np.uint8).reshape(len(places), -1)
        body[self._offsets[1]] = actions.astype("<i4").view(np.uint8).reshape(len(actions), -1)
        return self._bytes.tobytes()

    def filled_message(self, places: NDArray[np.void], actions: NDArray[np.int32]) -> MarkerArray:
        """Return the same as `filled`, never serialised."""
        rows = zip(*(places[name].tolist() for name in PLACE.names or ()), strict=True)
        for marker, row, action in zip(self._message.markers, rows, actions.tolist(), strict=True):
            (px, py, pz), (x, y, z, w), (sx, sy, sz), (r, g, b, a) = row
            marker.pose = Pose(
                position=Point(x=px, y=py, z=pz), orientation=Quaternion(x=x, y=y, z=z, w=w)
            )
            marker.scale = Vector3(x=sx, y=sy, z=sz)
            marker.color = ColorRGBA(r=r, g=g, b=b, a=a)
            marker.action = action
        return self._message


def _find(body: NDArray[np.uint8], dtype: str, sentinel: float) -> Ints:
    """Return the byte offsets of a number."""
    size = np.dtype(dtype).itemsize
    return size * np.flatnonzero(body[: len(body) // size * size].view(dtype) == sentinel)
