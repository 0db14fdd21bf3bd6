"""What a reachability map is computed from, checked; its chunks are functions of it alone."""

import hashlib
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import listed_items, number_array, positive_number, whole_number
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import (
    InvalidArgumentError,
    UnsupportedChainError,
    check_names,
    shown,
)
from generative_ik_ros.reach.grid import Positions, given_points, voxels_in_reach
from generative_ik_ros.reach.orientations import QUARTERS, Orientations
from generative_ik_ros.reach.symmetry import Symmetry
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene

MEASURES = ("num_solutions", "manipulability", "limit_margin", "clearance")


@dataclass(frozen=True)
class MapLimits:
    """How large maps and their chunks are."""

    most_solutions: int = 1000
    """Solutions that are counted at a pose at most."""
    poses: int = 100_000
    """Poses in a chunk, about: a second's work and some ten megabytes."""
    most_poses: int = 2**34
    """Poses of a map at most."""


LIMITS = MapLimits()


@dataclass(frozen=True, eq=False)
class MapSpec:
    """A checked call of `ReachabilityMap.compute`.

    Attributes:
        chain: The chain.
        symmetry: Its symmetries.
        orientations: What is tried at each position.
        resolution: Edge of a voxel [m]; NaN for points.
        region: (2, 3) box of positions [m], or None.
        points: (P, 3) positions [m], or None for voxels.
        collision: The robot's geometry, or None.
        scene: Obstacles, or None.
        measures: Of `MEASURES`, in their order.
        num_solutions: Solutions of a pose that measures are taken of, at most.
        share: Share of the directions tried at each position.
        random_seed: For the solver, and for the choice of directions that are tried.
    """

    chain: KinematicChain
    symmetry: Symmetry
    orientations: Orientations
    resolution: float
    region: Floats | None
    points: Floats | None
    collision: "CollisionModel | None"
    scene: "Scene | None"
    measures: tuple[str, ...]
    num_solutions: int
    share: float
    random_seed: int

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of pickles what is laid out again sooner than sent."""
        return {name: value for name, value in vars(self).items() if name != "layout"}

    @cached_property
    def quarters(self) -> bool:
        """Whether quarter turns of the first joint carry poses of the map to others."""
        turns = self.symmetry.first >= 0 and self.orientations.quarters
        return turns and self.points is None

    @cached_property
    def turns(self) -> bool:
        """Whether turns of the last joint do."""
        return self.symmetry.last >= 0 and not self.orientations.given

    @cached_property
    def layout(self) -> Positions:
        """The positions."""
        if self.points is not None:
            return given_points(self.points)
        return voxels_in_reach(
            self.chain, self.symmetry.centre, self.resolution, self.region, self.quarters
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of positions, directions, and turns."""
        return len(self.layout.positions), *self.orientations.matrices.shape[:2]

    @cached_property
    def rows(self) -> int:
        """Positions in a chunk; the last one may have fewer."""
        weight = self.shape[1] * self.shape[2] * (self.num_solutions if self.measures else 1)
        return max(QUARTERS, QUARTERS * (LIMITS.poses // (QUARTERS * weight)))

    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
        return -(-self.shape[0] // self.rows)

    @property
    def types(self) -> dict[str, type[np.generic]]:
        """The arrays (P, D, R) of the map, and their types."""
        names: dict[str, type[np.generic]] = {"reachable": np.bool_}
        if self.share < 1.0:
            names["tested"] = np.bool_
        for name in self.measures:
            names[name] = np.uint16 if name == "num_solutions" else np.float32
        return names

    @cached_property
    def token(self) -> str:
        """A hash of all of it: equal tokens mean equal maps."""
        return digest(
            [
                "reachability map 1",
                *(getattr(self.chain, name) for name in _KINEMATICS),
                self.orientations.matrices, self.resolution, self.region, self.points,
                self.collision, self.scene, self.measures, self.num_solutions, self.share,
                self.random_seed, self.rows,
            ]
        )  # fmt: skip


_KINEMATICS = (
    "base_link", "tip_link", "names", "lower", "upper", "continuous", "joint_origins",
    "joint_axes", "joint_prismatic", "joint_variable", "joint_multiplier", "joint_offset",
    "tip_in_last_joint",
)  # fmt: skip


def check_spec(
    chain: KinematicChain,
    resolution: float,
    orientations: int | tuple[int, int] | ArrayLike,
    region: ArrayLike | None,
    collision: "CollisionModel | None",
    scene: "Scene | None",
    points: ArrayLike | None,
    cone: tuple[ArrayLike, float] | None,
    measures: tuple[str, ...],
    num_solutions: int,
    share: float,
    random_seed: int | None,
) -> MapSpec:
    """Check the arguments of `ReachabilityMap.compute`.

    Raises:
        UnsupportedChainError: The chain is a tree.
        UnknownNameError: There is no such measure.
        InvalidArgumentError: Another argument is unusable; the message says why.
    """
    if not isinstance(chain, KinematicChain):
        raise UnsupportedChainError(
            f"reachability maps are for a KinematicChain with one tip, not for {type(chain)}"
        )
    if points is not None and region is not None:
        raise InvalidArgumentError("points and region exclude each other")
    listed = [measures] if isinstance(measures, str) else measures
    names = listed_items("measures", listed, str, "names")
    check_names("measure", names, MEASURES)
    _check_geometry(collision, scene, names)
    edge = _at_most("resolution", resolution, sys.float_info.max)
    symmetry = Symmetry.of(chain)
    spec = MapSpec(
        chain=chain,
        symmetry=symmetry,
        orientations=Orientations.of(orientations, cone, symmetry.approach),
        resolution=edge if points is None else math.nan,
        region=None if region is None else number_array("region", region).copy(),
        points=None if points is None else given_points(points).positions,
        collision=collision,
        scene=scene,
        measures=tuple(name for name in MEASURES if name in names),
        num_solutions=whole_number("num_solutions", num_solutions, 1, LIMITS.most_solutions),
        share=_at_most("share", share, 1.0),
        random_seed=0
        if random_seed is None
        else whole_number("random_seed", random_seed, 0, 2**63 - 1),
    )
    if math.prod(spec.shape) > LIMITS.most_poses:
        raise InvalidArgumentError(
            f"{math.prod(spec.shape):.3g} poses are more than {LIMITS.most_poses:.3g}: choose a "
            "coarser resolution, fewer orientations or a smaller region"
        )
    return spec


def _check_geometry(collision: object, scene: object, measures: tuple[str, ...]) -> None:
    if collision is None:
        if scene is not None or "clearance" in measures:
            what = "scene" if scene is not None else "the measure 'clearance'"
            raise InvalidArgumentError(
                f"{what} needs the robot's geometry: collision=CollisionModel.from_urdf(...)"
            )
        return
    # Imported here: maps without collisions need no geometry.
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.collision.scene import Scene

    if not isinstance(collision, CollisionModel):
        raise InvalidArgumentError(f"collision must be a CollisionModel, not {shown(collision)}")
    if not isinstance(scene, Scene | None):
        raise InvalidArgumentError(f"scene must be a Scene, not {shown(scene)}")


def _at_most(name: str, value: object, most: float) -> float:
    """Return a number above 0."""
    number = positive_number(name, value)
    if number > most:
        raise InvalidArgumentError(f"{name} must be above 0 and at most {most:.4g}, not {number}")
    return number


def digest(value: object) -> str:
    """Return a hash of the contents of nested records, arrays, mappings and numbers."""
    found = hashlib.sha256()
    if isinstance(value, np.ndarray):
        found.update(f"{value.dtype}{value.shape}".encode())
        found.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        parts = sorted((digest(key), digest(one)) for key, one in value.items())
        found.update(repr(parts).encode())
    elif isinstance(value, set | frozenset):
        found.update(repr(sorted(map(digest, value))).encode())
    elif isinstance(value, list | tuple):
        found.update(repr([digest(one) for one in value]).encode())
    elif value is None or isinstance(value, str | bytes | int | float | np.generic):
        found.update(f"{type(value).__name__} {value!r}".encode())
    elif isinstance(value, PurePath):
        found.update(b"path")  # Where a file lies does not matter.
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        found.update(f"{type(value).__name__} {digest(parts)}".encode())
    else:
        found.update(f"{type(value).__name__} {digest(vars(value))}".encode())
    return found.hexdigest()
