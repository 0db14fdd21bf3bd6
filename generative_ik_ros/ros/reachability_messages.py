"""Messages that show a reachability map: a cloud of points, and cubes coloured by the index."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Point, Vector3
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.drawing.colors import by_index
from generative_ik_ros.ros.conversions import flat

if TYPE_CHECKING:
    from generative_ik_ros.reach.reachability_map import ReachabilityMap

_FIELDS = ("x", "y", "z", "index", "rgb")


@dataclass(frozen=True)
class MapLook:
    """How the cubes of a reachability map look."""

    shades: int = 32
    """Colours of cubes: messages share the objects, of which rclpy makes many only slowly."""
    opacity: float = 0.25
    """Of the cubes."""
    gap: float = 0.8
    """Edge of a cube, of that of its voxel: one sees between them."""


LOOK = MapLook()


def cloud_of(map: "ReachabilityMap") -> PointCloud2:
    """Return the voxels in which a pose or more is reached, with index and colour."""
    positions, index = _reached(map)
    shades = np.round(255.0 * by_index(_relative(index))).astype(np.uint32)
    packed = shades[:, 0] << 16 | shades[:, 1] << 8 | shades[:, 2]
    rows = np.column_stack([positions, index]).astype("<f4")
    rows = np.column_stack([rows, packed.astype("<u4").view("<f4")])
    size = 4 * len(_FIELDS)
    message = PointCloud2(
        height=1,
        width=len(rows),
        fields=[
            PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1)
            for i, name in enumerate(_FIELDS)
        ],
        is_bigendian=False,
        point_step=size,
        row_step=size * len(rows),
        data=flat(np.frombuffer(rows.tobytes(), np.uint8), "B"),
        is_dense=True,
    )
    message.header.frame_id = map.base_link
    return message


def cubes_of(map: "ReachabilityMap") -> MarkerArray:
    """Return a message that replaces all markers by the same voxels as cubes."""
    positions, index = _reached(map)
    clear = Marker(action=Marker.DELETEALL)
    cubes = Marker(ns="reachability", type=Marker.CUBE_LIST, frame_locked=True)
    clear.header.frame_id = cubes.header.frame_id = map.base_link
    cubes.pose.orientation.w = 1.0
    edge = LOOK.gap * float(map.resolution)
    cubes.scale = Vector3(x=edge, y=edge, z=edge)
    cubes.points = [Point(x=x, y=y, z=z) for x, y, z in positions.tolist()]
    scale = by_index(np.linspace(0.0, 1.0, LOOK.shades)).tolist()
    shades = [ColorRGBA(r=r, g=g, b=b, a=LOOK.opacity) for r, g, b in scale]
    places = np.rint(_relative(index) * (LOOK.shades - 1)).astype(int)
    cubes.colors = [shades[place] for place in places.tolist()]
    return MarkerArray(markers=[clear, cubes])


def _relative(index: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the index (N,) as a share of the map's greatest, as all pictures show it."""
    return index / index.max(initial=1e-9)


def _reached(map: "ReachabilityMap") -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions (N, 3) [m] and index (N,) of the voxels in which something is reached."""
    index = map.index
    return map.positions[index > 0.0], index[index > 0.0]
