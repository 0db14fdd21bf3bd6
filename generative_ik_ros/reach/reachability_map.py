"""The record of a reachability map: voxels, the orientations tried in each, and what was found."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import KDTree

from generative_ik_ros.arguments import file_path
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, shown
from generative_ik_ros.reach.compute import OnProgress, compute, frames_of
from generative_ik_ros.reach.files import (
    ARRAYS,
    CHECKED,
    OPTIONAL,
    TEXTS,
    ZarrFolder,
    read,
    write_npz,
)
from generative_ik_ros.reach.spec import check_spec
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.targets import check_targets

if TYPE_CHECKING:
    from distributed import Client

    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene


@dataclass(frozen=True)
class MapBlocks:
    """How much of a map is worked on at once."""

    rows: int = 65536
    """Poses whose nearest orientations are looked for at a time."""
    chunk: int = 1 << 20
    """Poses, about, in a chunk of a Zarr folder that is saved at once."""


BLOCKS = MapBlocks()


@dataclass(frozen=True, eq=False)
class ReachabilityMap:
    """Which of the same O orientations of the tip a chain reaches at each of P positions.

    Attributes:
        fingerprint: The chain's; a map says nothing about others.
        base_link: The frame of all positions and orientations.
        origin: (3,) a corner of the grid: voxel (i, j, k) has its centre at
            origin + (i + 0.5, j + 0.5, k + 0.5) * resolution [m].
        resolution: Edge of a voxel [m]; NaN for a map of given points.
        positions: (P, 3) the voxels' centres, or the points [m].
        voxels: (P, 3) int32 places (i, j, k) of the positions in the grid; (0, 3) for points.
        tip_link: What is placed.
        approach: (3,) unit vector in the tip's frame, about which orientations of one direction
            are turned against each other: the last joint's axis where that is revolute, else z.
        directions: (D, 3) unit vectors, where `approach` points in the base's frame.
        orientations: (D, R, 3, 3) rotations tip in base: R turns about each direction.
        reachable: (P, D, R) bool.
        tested: (P, D, R) bool, or None where every pose was tried.
        num_solutions: (P, D, R) uint16 distinct solutions up to the map's cap, or None.
        manipulability: (P, D, R) float32 best of the solutions found, 0 where there is none, or
            None; scaled as `order_by="manipulability"`.
        limit_margin: (P, D, R) float32 likewise, as `order_by="limit_margin"`.
        clearance: (P, D, R) float32 likewise [m].
        frames: (2, 4, 4) the first joint in the base and the tip in the last joint, as they are
            in the canonical chain: mounting and tool [m]. None if the map does not say.
        collision: Whether only poses without collisions of the robot count, or None likewise.
        scene: Whether these are collisions with obstacles, too, or None likewise.
    """

    fingerprint: str
    base_link: str
    origin: Floats
    resolution: float
    positions: Floats
    voxels: NDArray[np.int32]
    tip_link: str
    approach: Floats
    directions: Floats
    orientations: Floats
    reachable: Bools
    tested: Bools | None = None
    num_solutions: NDArray[np.uint16] | None = None
    manipulability: NDArray[np.float32] | None = None
    limit_margin: NDArray[np.float32] | None = None
    clearance: NDArray[np.float32] | None = None
    frames: Floats | None = None
    collision: bool | None = None
    scene: bool | None = None

    @classmethod
    def compute(
        cls,
        chain: KinematicChain,
        resolution: float = 0.05,
        orientations: int | tuple[int, int] | ArrayLike = 200,
        region: ArrayLike | None = None,
        collision: "CollisionModel | None" = None,
        scene: "Scene | None" = None,
        *,
        points: ArrayLike | None = None,
        cone: tuple[ArrayLike, float] | None = None,
        measures: tuple[str, ...] = (),
        num_solutions: int = 16,
        share: float = 1.0,
        random_seed: int | None = None,
        path: "str | os.PathLike[str] | None" = None,
        dask: "str | Client | None" = None,
        on_progress: OnProgress | None = None,
    ) -> "ReachabilityMap":
        """Find out which poses a chain reaches (docs/reach.md).

        The same arguments give the same map on any number of threads and workers.

        Args:
            chain: The chain.
            resolution: Edge of a voxel [m].
            orientations: Approximate number at each position, evenly spread; or a pair
                (directions, turns about each); or (O, 3, 3) rotations tip in base.
            region: (2, 3) lower and upper corner of a box [m]: only voxels with their centre in
                it. None: all voxels that the tip may enter.
            collision: The robot's geometry: only poses without collisions count then.
            scene: Obstacles; needs `collision`.
            points: (P, 3) positions to try instead of a grid [m].
            cone: Axis (3,) in the base, and largest angle from it of the directions [rad].
            measures: What else is wanted of each pose that is reached, any of "num_solutions",
                "manipulability", "limit_margin" and "clearance", which needs `collision`.
            num_solutions: Largest number of solutions of a pose that measures consider.
            share: Share of the directions to try at each position, for a quick look.
            random_seed: Determines these directions and the solver's seeds; None is 0.
            path: Zarr folder that is written chunk by chunk; the same call continues an
                interrupted computation.
            dask: A scheduler's address or a `distributed.Client`, whose workers compute the
                chunks. None: threads of this process.
            on_progress: Called with the number of chunks that are done, and of all.

        Raises:
            UnsupportedChainError: The chain is a tree.
            UnknownNameError: There is no such measure.
            InvalidArgumentError: Another argument is unusable, or `path` holds something else.
            MissingDependencyError: zarr or dask is needed and not installed.
        """
        spec = check_spec(
            chain, resolution, orientations, region, collision, scene, points, cone, measures,
            num_solutions, share, random_seed,
        )  # fmt: skip
        return cls._of(*compute(spec, path, dask, on_progress))

    @classmethod
    def load(cls, path: "str | os.PathLike[str]") -> "ReachabilityMap":
        """Read a map that `save` or `compute` wrote.

        Raises:
            InvalidArgumentError: There is no complete map of this version.
            MissingDependencyError: A folder needs zarr, which is not installed.
        """
        return cls._of(*read(file_path("path", path)))

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the map: one file if the path ends in ".npz", else a Zarr folder.

        Raises:
            InvalidArgumentError: The path is that of a folder that is not empty, or cannot be
                written.
            MissingDependencyError: A folder needs zarr, which is not installed.
        """
        place, stored = file_path("path", path), {**ARRAYS, **OPTIONAL}
        arrays = {name: getattr(self, name) for name in stored}
        arrays = {name: values for name, values in arrays.items() if values is not None}
        header: dict[str, Any] = {name: getattr(self, name) for name in TEXTS}
        header.update((name, getattr(self, name)) for name in CHECKED)
        header["resolution"] = None if np.isnan(self.resolution) else float(self.resolution)
        if place.suffix == ".npz":
            write_npz(place, header, arrays)
            return
        by_pose = [name for name in arrays if stored[name][0] == "P D R"]
        shape = self.reachable.shape
        rows = max(1, BLOCKS.chunk // (shape[1] * shape[2]))
        fixed = {name: values for name, values in arrays.items() if name not in by_pose}
        types = {name: stored[name][1] for name in by_pose}
        folder = ZarrFolder(place, {**header, "token": ""}, fixed, types, shape, rows, new=True)
        for index in range(-(-shape[0] // rows)):
            some = slice(index * rows, (index + 1) * rows)
            folder.write(index, {name: arrays[name][some] for name in by_pose})

    @classmethod
    def _of(cls, header: dict[str, Any], arrays: dict[str, NDArray]) -> "ReachabilityMap":
        """Make a map of what is stored."""
        edge = header["resolution"]
        texts: dict[str, Any] = {name: header.get(name) for name in (*TEXTS, *CHECKED)}
        values: dict[str, Any] = {**arrays, "resolution": np.nan if edge is None else edge}
        return cls(**texts, **values)

    def lookup(self, poses: ArrayLike) -> tuple[Ints, Ints, Ints]:
        """Find the cells of poses: the voxel, or the nearest point, and the nearest orientation.

        Args:
            poses: (4, 4) or (N, 4, 4) tip in base [m].

        Returns:
            (N,) rows of `positions`, -1 outside all voxels; (N,) directions; (N,) turns.

        Raises:
            InvalidTargetError: They are no poses.
        """
        targets = check_targets(poses)
        orientation = np.empty(len(targets), np.int64)
        rotations = self.orientations.reshape(-1, 9)
        for i in range(0, len(targets), BLOCKS.rows):
            # The trace of A^T B is greatest where the angle between A and B is least.
            some = targets[i : i + BLOCKS.rows, :3, :3].reshape(-1, 9)
            orientation[i : i + BLOCKS.rows] = np.argmax(some @ rotations.T, axis=1)
        direction, turn = np.divmod(orientation, self.orientations.shape[1])
        return self._rows(targets[:, :3, 3]), direction, turn

    def _rows(self, positions: Floats) -> Ints:
        """Return the rows that positions (N, 3) belong to."""
        if not len(self.voxels):
            return np.asarray(KDTree(self.positions).query(positions)[1], np.int64)
        table = self._table
        places = np.floor((positions - self.origin) / self.resolution)
        inside = ((places >= 0) & (places < table.shape)).all(axis=1)
        rows = np.full(len(positions), -1)
        rows[inside] = table[tuple(places[inside].astype(np.int64).T)]
        return rows

    @cached_property
    def _table(self) -> NDArray[np.int32]:
        """The row of each voxel of the box around the grid, -1 where there is none."""
        table = np.full(self.voxels.max(axis=0) + 1, -1, np.int32)
        table[tuple(self.voxels.T)] = np.arange(len(self.voxels))
        return table

    def __repr__(self) -> str:
        """Say in a line what was tried and how much of it is reached."""
        positions, directions, turns = self.reachable.shape
        return (
            f"ReachabilityMap('{self.base_link}' -> '{self.tip_link}', {positions} positions, "
            f"{directions * turns} orientations, {self.index.mean():.1%} reached)"
        )

    @property
    def index(self) -> Floats:
        """(P,) reachability index: share of the orientations that are reached.

        F. Zacharias, C. Borst, G. Hirzinger: Capturing robot workspace structure: representing
        robot capabilities. IROS 2007.
        """
        if self.tested is None:
            return self.reachable.mean(axis=(1, 2))
        tested = self.tested.sum(axis=(1, 2))
        reached = (self.reachable & self.tested).sum(axis=(1, 2))
        return reached / np.maximum(tested, 1)


_FRAMES = "mounting (the first joint in the base)", "tool (the tip in the last joint)"


def check_fits(reach: ReachabilityMap, chain: KinematicChain) -> None:
    """Check that a map says something about a chain.

    Raises:
        InvalidArgumentError: It is one of another chain, base link, tip link, mounting or tool.
    """
    if not isinstance(reach, ReachabilityMap):
        raise InvalidArgumentError(f"map must be a ReachabilityMap, not {shown(reach)}")
    for name in TEXTS:
        of_map, of_chain = getattr(reach, name), getattr(chain, name)
        if of_map != of_chain:
            raise InvalidArgumentError(
                f"the reachability map is of another chain: its {name} is '{of_map}', that of "
                f"'{chain.description.name}' is '{of_chain}'"
            )
    if reach.frames is None:
        return
    for name, of_map, of_chain in zip(_FRAMES, reach.frames, frames_of(chain), strict=True):
        gap = np.abs(of_map - of_chain).max()
        if gap > 1e-6:  # [m, or of rotation matrices]: more than rounding
            raise InvalidArgumentError(
                f"the reachability map is of another {name}: it differs from that of "
                f"'{chain.description.name}' by up to {gap:.3g}"
            )
