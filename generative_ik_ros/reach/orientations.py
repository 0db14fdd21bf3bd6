"""Orientations spread evenly over SO(3): directions of one axis, and turns about it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from generative_ik_ros.arguments import number_array, positive_number, whole_number
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, shown
from generative_ik_ros.robot.rigid import TURN

QUARTERS = 4
MOST = 1_000_000
"""Most orientations of a map."""


@dataclass(frozen=True)
class OrientationTuning:
    """How even the orientations of a map are made."""

    steps: int = 256
    """Steps of the azimuth from one direction to the next that are tried."""
    widest: float = 1.8
    """Largest ratio of the distances between turns and between directions, or the inverse."""
    rotation: float = 1e-6
    """Matrices that are off by less count as rotations."""


TUNING = OrientationTuning()


@dataclass(frozen=True, eq=False)
class Orientations:
    """The orientations of a map: D directions, R turns about each.

    Attributes:
        matrices: (D, R, 3, 3) rotations tip in base; each turn is 2 pi / R further than the one
            before, unless `given`.
        quarters: Whether a quarter turn about the base's z axis takes direction d to direction
            d + D / 4, around the D, and each turn to its like.
        given: Whether they are rotations of the caller's, which have no order (R = 1).
    """

    matrices: Floats
    quarters: bool
    given: bool

    @classmethod
    def of(
        cls,
        orientations: int | tuple[int, int] | ArrayLike,
        cone: tuple[ArrayLike, float] | None,
        approach: Floats,
    ) -> "Orientations":
        """Lay out orientations.

        A pose of the tip is a direction of its approach axis and a turn about that axis, a point
        of the Hopf fibration's base and fibre (A. Yershova, S. Jain, S. M. LaValle, J. C.
        Mitchell: Generating uniform incremental grids on SO(3) using the Hopf fibration, 2010).
        Directions are a lattice on the sphere, equal steps of height and of azimuth, within one
        quarter turn of the base's z axis and copied to the others; of some steps that
        with the largest distance between the nearest two directions is taken.

        Args:
            orientations: About how many, as evenly spread as can be; or the number of directions
                and of turns; or (O, 3, 3) rotations.
            cone: Axis (3,) in the base and largest angle from it of the directions [rad]; None:
                all directions.
            approach: (3,) the axis in the tip's frame.

        Raises:
            InvalidArgumentError: An argument is unusable; the message says why.
        """
        axis, angle = _cone(cone)
        if np.ndim(number_array("orientations", orientations)) >= 2:  # pyright: ignore[reportArgumentType]
            if cone is not None:
                raise InvalidArgumentError("cone does not go with rotations of your own")
            return cls(_rotations(orientations)[:, None], quarters=False, given=True)
        num_directions, num_turns = _split(orientations, angle)
        upright = bool(abs(axis[2]) > 1.0 - 1e-12)
        quarters = upright and num_directions % QUARTERS == 0
        heights, azimuths = _lattice(num_directions, angle, QUARTERS if quarters else 1)
        if upright and axis[2] < 0.0:
            heights = -heights
        turns = TURN / num_turns * np.arange(num_turns, dtype=np.float64)
        polar = _about_y(np.arccos(heights))
        matrices = (_about_z(azimuths) @ polar)[:, None] @ _about_z(turns) @ to_z(approach)
        if not upright:
            matrices = to_z(axis).T @ matrices
        return cls(matrices, quarters=quarters, given=False)


def to_z(axis: Floats) -> Floats:
    """Return the rotation (3, 3) that takes a unit axis to z the short way."""
    x, y, z = axis
    if z < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    return np.array(
        [
            [1.0 - x * x / (1.0 + z), -x * y / (1.0 + z), -x],
            [-x * y / (1.0 + z), 1.0 - y * y / (1.0 + z), -y],
            [x, y, z],
        ]
    )


def _split(orientations: object, angle: float) -> tuple[int, int]:
    """Return the numbers of directions within an angle of an axis, and of turns."""
    if isinstance(orientations, Sequence) and len(orientations) == 2:
        names = "directions", "turns"
        directions, turns = (
            whole_number(f"orientations ({name})", value, 1, MOST)
            for name, value in zip(names, orientations, strict=True)
        )
        if directions * turns > MOST:
            raise InvalidArgumentError(
                f"orientations must be at most {MOST}, not {directions} x {turns}"
            )
        return directions, turns
    try:
        count = whole_number("orientations", orientations, 1, MOST)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(
            f"{error}; or a pair (directions, turns), or rotations (O, 3, 3)"
        ) from None
    unit = QUARTERS if count >= 2 * QUARTERS else 1
    # Turns as far apart as directions, 2 pi / R = sqrt(area / D), unless the cone is too narrow.
    area = TURN * max(1.0 - math.cos(angle), 1e-15)
    even = min((TURN * TURN * count / area) ** (1.0 / 3.0), count / unit)
    least, most = math.ceil(even / TUNING.widest), math.floor(even * TUNING.widest)

    def quality(turns: int) -> tuple[int, float]:
        return abs(directions_of(turns) * turns - count), abs(math.log(turns / even))

    def directions_of(turns: int) -> int:
        return max(unit, unit * round(count / (turns * unit)))

    turns = min(range(max(1, least), max(1, most) + 1), key=quality)
    return directions_of(turns), turns


def _lattice(count: int, angle: float, copies: int) -> tuple[Floats, Floats]:
    """Return heights (count,) and azimuths [rad] of directions around z, evenly spread."""
    size = count // copies
    shares = (np.arange(size, dtype=np.float64) + 0.5) / size
    heights = np.tile(1.0 - (1.0 - math.cos(angle)) * shares, copies)
    starts = TURN / copies * np.repeat(np.arange(copies, dtype=np.float64), size)

    def azimuths(step: float) -> Floats:
        return starts + TURN / copies * np.tile((step * np.arange(size) + 0.5) % 1.0, copies)

    def nearest(step: float) -> float:
        points = unit_vectors(heights, azimuths(step))
        return float(KDTree(points).query(points, 2)[0][:, 1].min())

    if count < 2:
        return heights, starts
    steps = (np.arange(TUNING.steps) + 0.5) / TUNING.steps
    # A fixed number of digits, so that rounding does not choose.
    best = max(steps, key=lambda step: round(nearest(step), 9))
    return heights, azimuths(best)


def unit_vectors(heights: Floats, azimuths: Floats) -> Floats:
    """Return points (N, 3) of the unit sphere by height and azimuth [rad]."""
    across = np.sqrt(1.0 - heights * heights)
    return np.stack([across * np.cos(azimuths), across * np.sin(azimuths), heights], axis=1)


def _about_z(angles: Floats) -> Floats:
    c, s, o = np.cos(angles), np.sin(angles), np.zeros_like(angles)
    return np.stack([c, -s, o, s, c, o, o, o, o + 1.0], axis=-1).reshape(*angles.shape, 3, 3)


def _about_y(angles: Floats) -> Floats:
    c, s, o = np.cos(angles), np.sin(angles), np.zeros_like(angles)
    return np.stack([c, o, s, o, o + 1.0, o, -s, o, c], axis=-1).reshape(*angles.shape, 3, 3)


def _cone(cone: object) -> tuple[Floats, float]:
    """Return the axis of a cone and its angle [rad]; those of the sphere for None."""
    if cone is None:
        return np.array([0.0, 0.0, 1.0]), math.pi
    if not isinstance(cone, Sequence) or len(cone) != 2:
        raise InvalidArgumentError("cone must be a pair: axis (x, y, z), half angle [rad]")
    axis = number_array("cone axis", cone[0])
    length = float(np.linalg.norm(axis)) if axis.shape == (3,) else 0.0
    if not 0.0 < length < math.inf:
        raise InvalidArgumentError(
            f"cone axis must be a vector (x, y, z) other than zero, not {shown(cone[0])}"
        )
    return axis / length, min(positive_number("cone half angle", cone[1]), math.pi)


def _rotations(values: object) -> Floats:
    """Return rotations (O, 3, 3) of the caller's, checked."""
    rotations = number_array("orientations", values)  # pyright: ignore[reportArgumentType]
    if rotations.ndim != 3 or rotations.shape[1:] != (3, 3) or not 0 < len(rotations) <= MOST:
        raise InvalidArgumentError(
            f"orientations have shape {rotations.shape}; they must be a number, a pair "
            f"(directions, turns), or rotations (O, 3, 3), 1 to {MOST}"
        )
    with np.errstate(invalid="ignore"):
        defect = np.abs(rotations @ rotations.swapaxes(1, 2) - np.eye(3)).max(axis=(1, 2))
        fine = (defect < TUNING.rotation) & (np.linalg.det(rotations) > 0.0)
    if not fine.all():
        raise InvalidArgumentError(f"orientations[{np.argmin(fine)}] is no rotation matrix (3, 3)")
    left, _, right = np.linalg.svd(rotations)
    return left @ right
