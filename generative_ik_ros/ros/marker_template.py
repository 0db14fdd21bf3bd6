"""Markers that keep their looks and change their places in, a message ready to publish out.

rclpy builds and serialises some thirty thousand markers a second, and holds Python's lock while it
does: two hundred arms would stop the node for 70 ms. Here the markers are built and serialised
once; for each picture numpy writes the new places into the bytes, which rclpy publishes as they
are.
"""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false

import numpy as np
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from numpy.typing import NDArray
from rclpy.serialization import serialize_message
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

PLACE = np.dtype(
    [("position", "<f8", 3), ("orientation", "<f8", 4), ("scale", "<f8", 3), ("color", "<f4", 4)]
)
"""What changes from picture to picture, as it stands in a serialised marker, without gaps."""
_HEADER = 4
"""Bytes before a serialised message; from there on, numbers stand at multiples of their size."""
_MARK, _ACTION = 1.2345678e-290, 0x5AC3_71E9
"""Numbers that stand in no marker, to find in the bytes where a position or an action begins."""


class MarkerTemplate:
    """A marker array of a fixed make-up.

    Args:
        markers: K markers with their frames, namespaces, numbers, types, points and meshes.
    """

    def __init__(self, markers: list[Marker]):
        """Serialise the markers with numbers that can be found again."""
        pose = Pose(position=Point(x=_MARK))
        for marker in markers:
            marker.pose, marker.action = pose, _ACTION
        self._message = MarkerArray(markers=markers)
        self._bytes = np.frombuffer(serialize_message(self._message), np.uint8).copy()
        body = self._bytes[_HEADER:]
        places, actions = _find(body, "<f8", _MARK), _find(body, "<i4", _ACTION)
        self._where = None
        if len(places) == len(actions) == len(markers):
            self._where = (
                places[:, None] + np.arange(PLACE.itemsize),
                actions[:, None] + np.arange(4),
            )

    def filled(
        self, places: NDArray[np.void], actions: NDArray[np.int32], *, serialised: bool = True
    ) -> bytes | MarkerArray:
        """Return the message with every marker's place and action.

        Args:
            places: (K,) of dtype `PLACE`: positions and scales in [m], quaternions x, y, z, w.
            actions: (K,) Marker.ADD, DELETE or DELETEALL.
            serialised: Whether bytes will do. A message comes also where the middleware writes
                markers in a way that is not known here.
        """
        if self._where is None or not serialised:
            return self._filled_message(places, actions)
        body = self._bytes[_HEADER:]
        body[self._where[0]] = places.view(np.uint8).reshape(len(places), -1)
        body[self._where[1]] = actions.astype("<i4").view(np.uint8).reshape(len(actions), -1)
        return self._bytes.tobytes()

    def _filled_message(self, places: NDArray[np.void], actions: NDArray[np.int32]) -> MarkerArray:
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


def _find(body: NDArray[np.uint8], kind: str, wanted: float) -> NDArray[np.int64]:
    """Return at which bytes a number stands."""
    size = np.dtype(kind).itemsize
    return size * np.flatnonzero(body[: len(body) // size * size].view(kind) == wanted)
