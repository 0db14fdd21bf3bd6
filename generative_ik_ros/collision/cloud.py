"""Clouds of points, as depth cameras give them: balls of one radius, and the tree over them."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.arguments import number_array, positive_number
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.body import Body
from generative_ik_ros.collision.shape_poses import one_pose
from generative_ik_ros.collision.shapes import MAX_SIZE
from generative_ik_ros.collision.sphere_tree import SphereTree
from generative_ik_ros.errors import InvalidArgumentError, shown, warn_caller

POINTS, OCTOMAP = "points", "<octomap>"
"""What clouds are called in messages; the latter is MoveIt's name."""
MAX_POINTS = 5_000_000
"""Points of a cloud."""
_AXIS_BITS = 21
"""Bits of a Morton code for each of three axes, of 64 in all."""
_SPREADING = tuple(
    (np.uint64(shift), np.uint64(mask))
    for shift, mask in (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    )
)


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points that something was seen at, each of which stands for a ball.

    Attributes:
        points: (P, 3) centres in `frame`, P at least 1 [m].
        radius: Of every ball [m].
        frame: A link of the robot that the chain does not move; None: the root link.
    """

    points: Floats
    radius: float
    frame: str | None = None

    @classmethod
    def of(
        cls, points: ArrayLike, radius: float = 0.01, frame: str | None = None
    ) -> "PointCloud | None":
        """Check points, and leave out those with NaN or infinity.

        Returns:
            The cloud; None if no point is left.

        Raises:
            InvalidArgumentError: They are no (P, 3) numbers, too many or too far away, or the
                radius is not above 0.
        """
        size = positive_number("point_radius", radius, "distance [m]")
        if size > MAX_SIZE:
            raise InvalidArgumentError(
                f"point_radius must be at most {MAX_SIZE} [m], not {shown(radius)}"
            )
        array = number_array("points", points)
        if array.ndim != 2 or array.shape[1] != 3:
            raise InvalidArgumentError(f"points must have the shape (P, 3), not {array.shape}")
        if len(array) > MAX_POINTS:
            raise InvalidArgumentError(
                f"{len(array)} points are too many; at most {MAX_POINTS}. One for every cube of "
                "the size of point_radius is enough"
            )
        # Sums are as finite as what they are made of, up to numbers that are refused below.
        with np.errstate(invalid="ignore", over="ignore"):
            seen = np.isfinite(array[:, 0] + array[:, 1] + array[:, 2])
        kept = array[seen] if not seen.all() else array.copy()
        if len(array) and not len(kept):
            warn_caller(
                f"all {len(array)} points have NaN or infinity: there are no obstacles in them"
            )
        if len(kept) and (far := max(kept.max(), -kept.min())) > MAX_SIZE:
            raise InvalidArgumentError(
                f"points has a number of {far:g}, above {MAX_SIZE} [m]: is it in millimetres?"
            )
        kept.flags.writeable = False
        return cls(kept, size, frame) if len(kept) else None

    def moved(self, pose: Floats, frame: str | None = None) -> "PointCloud":
        """Return the cloud in another frame.

        Args:
            pose: (4, 4) the cloud's frame in that one [m].
            frame: The link that it is; None: the root link.

        Raises:
            InvalidArgumentError: A point is too far away, or the pose is none.
        """
        where = one_pose("pose", pose)
        cloud = PointCloud.of(self.points @ where[:3, :3].T + where[:3, 3], self.radius, frame)
        assert cloud is not None  # noqa: S101
        return cloud

    def thinned(self, distance: float) -> "PointCloud":
        """Return fewer points: one for every cube, with balls that reach over those left out.

        Args:
            distance: Edge of the cubes [m]; the radius grows by their diagonal.

        Raises:
            InvalidArgumentError: The distance is below 1e-6, or a two millionth of the extent.
        """
        distance = self._edge("distance", distance)
        cells = [
            ((column - column.min()) / distance).astype(np.uint64) for column in self.points.T
        ]
        _, first = np.unique(_morton(cells), return_index=True)
        kept = self.points[np.sort(first)]
        kept.flags.writeable = False
        # Rounding must not leave a point outside.
        grown = self.radius + np.sqrt(3.0) * distance * (1.0 + 1e-9) + 1e-9
        return PointCloud(kept, float(grown), self.frame)

    def cubes(self, edge: float) -> Floats:
        """Return the centres (K, 3) of those cubes of a grid that points are in [m].

        Args:
            edge: Of a cube [m].

        Raises:
            InvalidArgumentError: It is below 1e-6, or a two millionth of the extent.
        """
        edge = self._edge("edge", edge)
        cells = np.floor(self.points / edge)
        places = (cells - cells.min(axis=0)).astype(np.uint64)
        _, first = np.unique(_morton(list(places.T)), return_index=True)
        return (cells[first] + 0.5) * edge

    def _edge(self, name: str, length: object) -> float:
        """Return the edge of cubes that can be told apart by `_AXIS_BITS` along each axis."""
        extent = float(np.ptp(self.points, axis=0).max())
        least, edge = max(extent / (2.0**_AXIS_BITS - 1.0), 1e-6), positive_number(name, length)
        if not least <= edge <= MAX_SIZE:
            raise InvalidArgumentError(
                f"{name} must be at least {least:g} [m], not {shown(length)}"
            )
        return edge


_bodies: WeakKeyDictionary[PointCloud, Body] = WeakKeyDictionary()


def cloud_body(cloud: PointCloud) -> Body:
    """Return a cloud as a body: it is its balls, neither more nor less.

    It is kept as long as the cloud, for the same points are part of many scenes.
    """
    found = _bodies.get(cloud)
    if found is None:
        found = _bodies[cloud] = _made_body(cloud)
    return found


def _made_body(cloud: PointCloud) -> Body:
    columns = [np.ascontiguousarray(cloud.points[:, axis]) for axis in range(3)]
    order = np.argsort(_morton(_cells(columns)))
    leaves = np.empty((len(order), 4))
    for axis, column in enumerate(columns):
        leaves[:, axis] = column[order]
    leaves[:, 3] = cloud.radius
    ends = {int(place) for column in columns for place in (column.argmin(), column.argmax())}
    return Body(
        cover=SphereTree.over(leaves),
        inner=None,
        exact=True,
        extremes=cloud.points[sorted(ends)],
    )


def _cells(columns: list[Floats]) -> list[NDArray[np.uint64]]:
    """Return where coordinates lie on a grid over all of them, finely divided, axis by axis."""
    low = [column.min() for column in columns]
    extent = max(column.max() - least for column, least in zip(columns, low, strict=True))
    scale = (2.0**_AXIS_BITS - 1.0) / extent if extent > 0.0 else 0.0
    return [
        ((column - least) * scale).astype(np.uint64)
        for column, least in zip(columns, low, strict=True)
    ]


def _morton(cells: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Interleave the bits of cells, (P,) for each of three axes, below 2^21.

    In the order of these codes, along a Z curve, neighbours lie near each other.
    """
    code = np.zeros(len(cells[0]), dtype=np.uint64)
    for axis, cell in enumerate(cells):
        spread = cell
        # Every step halves the runs of bits, and leaves two free places for each bit.
        for shift, mask in _SPREADING:
            spread = (spread | (spread << shift)) & mask
        code |= spread << np.uint64(axis)
    return code
