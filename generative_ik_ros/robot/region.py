"""Task space regions: bounds within which a tip may be, instead of one pose."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.arguments import number_array
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.rigid import TURN

AXES = ("x", "y", "z")
_MOST_ANGLE = 2.0 * TURN
_NAMES = ("x", "y", "z", "roll", "pitch", "yaw")


@dataclass(frozen=True, eq=False)
class TaskSpaceRegion:
    """Bounds of the tip in the frame of its target (D. Berenson, S. Srinivasa, J. Kuffner, Task
    Space Regions, IJRR 30(12), 2011, section 4).

    The tip is inside if it is at target * Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll) for some
    numbers within the bounds. A rotation has two such triples of angles, each up to full turns;
    one of them has to be inside. `cone` bounds the angle between two axes instead of the angles.

    Args:
        lower: (6,) lower bounds of x, y, z [m], roll, pitch, yaw [rad]; -inf leaves one free.
        upper: (6,) upper bounds; inf leaves one free.
        cone_axis: "x", "y" or "z": the rotation is bounded by a cone instead of angles.
        half_angle: Largest angle between that axis of the tip and that of the target [rad].

    Raises:
        InvalidArgumentError: Bounds are no numbers, NaN or inverted, or an angle is absurd.
        UnknownNameError: There is no such axis.
    """  # noqa: D205

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    cone_axis: str | None = None
    half_angle: float = 0.0

    def __post_init__(self) -> None:
        """Check the bounds and keep them as they were given."""
        for name in ("lower", "upper"):
            bounds = number_array(f"region: {name}", getattr(self, name)).copy()
            if bounds.shape != (6,):
                raise InvalidArgumentError(
                    f"region: {name} has shape {bounds.shape}; it must be (6,): "
                    "x y z [m], roll pitch yaw [rad]"
                )
            bounds.flags.writeable = False
            object.__setattr__(self, name, bounds)
        if np.isnan(self.lower).any() or np.isnan(self.upper).any():
            raise InvalidArgumentError("region: a bound is NaN")
        for k in np.flatnonzero(~(self.lower <= self.upper)).tolist():
            raise InvalidArgumentError(
                f"region: the bounds of {_NAMES[k]} are inverted: lower {self.lower[k]:g} is "
                f"above upper {self.upper[k]:g}"
            )
        if (self.lower == np.inf).any() or (self.upper == -np.inf).any():
            raise InvalidArgumentError("region: lower is inf or upper -inf: no tip can be there")
        angles = np.concatenate([self.lower[3:], self.upper[3:]])
        if (np.abs(angles[np.isfinite(angles)]) > _MOST_ANGLE).any():
            raise InvalidArgumentError(
                "region: an angle is beyond two turns; is it in degrees? Angles are in radians"
            )
        if self.cone_axis is not None and self.cone_axis not in AXES:
            raise UnknownNameError("axis", self.cone_axis, AXES)
        if not 0.0 <= self.half_angle <= math.pi:
            raise InvalidArgumentError(
                f"region: half_angle must be between 0 and pi, not {self.half_angle}"
            )

    @classmethod
    def exact(cls) -> "TaskSpaceRegion":
        """Return the region that is the target pose itself."""
        return cls(np.zeros(6), np.zeros(6))

    @classmethod
    def free(cls) -> "TaskSpaceRegion":
        """Return the region of all poses: the tip need not be anywhere."""
        return cls(np.full(6, -np.inf), np.full(6, np.inf))

    @classmethod
    def free_axis(cls, axis: str = "z") -> "TaskSpaceRegion":
        """Return the region in which the tip may turn about one of the target's axes."""
        if axis not in AXES:
            raise UnknownNameError("axis", axis, AXES)
        upper = np.zeros(6)
        upper[3 + AXES.index(axis)] = math.pi
        return cls(0.0 - upper, upper)

    @classmethod
    def cone(
        cls,
        axis: str,
        half_angle: float,
        lower: ArrayLike = (0, 0, 0),
        upper: ArrayLike = (0, 0, 0),
    ) -> "TaskSpaceRegion":
        """Return the region in which an axis of the tip is near the target's, spin free.

        Args:
            axis: "x", "y" or "z".
            half_angle: Largest angle between the axes [rad].
            lower: (3,) lower bounds of x y z [m].
            upper: (3,) upper bounds.
        """
        bounds = [np.concatenate([np.ravel(b), s * np.full(3, math.pi)])
                  for b, s in ((lower, -1.0), (upper, 1.0))]  # fmt: skip
        return cls(*bounds, cone_axis=axis, half_angle=half_angle)

    @classmethod
    def position_only(cls) -> "TaskSpaceRegion":
        """Return the region in which the tip may turn as it likes."""
        upper = np.array([0.0, 0.0, 0.0, math.pi, math.pi, math.pi])
        return cls(0.0 - upper, upper)

    @classmethod
    def orientation_only(cls) -> "TaskSpaceRegion":
        """Return the region in which the tip may be anywhere."""
        upper = np.array([np.inf, np.inf, np.inf, 0.0, 0.0, 0.0])
        return cls(0.0 - upper, upper)

    @classmethod
    def plane(cls, normal: str = "z") -> "TaskSpaceRegion":
        """Return the region in which the tip may slide over a plane through the target."""
        if normal not in AXES:
            raise UnknownNameError("axis", normal, AXES)
        upper = np.array([np.inf, np.inf, np.inf, 0.0, 0.0, 0.0])
        upper[AXES.index(normal)] = 0.0
        return cls(0.0 - upper, upper)

    def freed(self, position: bool, orientation: bool) -> "TaskSpaceRegion":
        """Return the region with any position, or any orientation, or both."""
        lower, upper = self.lower.copy(), self.upper.copy()
        for free, part in ((position, slice(3)), (orientation, slice(3, 6))):
            if free:
                lower[part], upper[part] = -np.inf, np.inf
        if orientation or self.cone_axis is None:
            return TaskSpaceRegion(lower, upper)
        return TaskSpaceRegion(lower, upper, self.cone_axis, self.half_angle)

    @cached_property
    def held_coordinates(self) -> tuple[int, int]:
        """How many coordinates of the tip's position and of its rotation have one value only."""
        position = int((self.lower[:3] == self.upper[:3]).sum())
        if self.cone_axis is not None:
            return position, 2 * int(self.half_angle == 0.0)
        return position, int((self.lower[3:] == self.upper[3:]).sum())

    def is_around(self, position_tolerance: float, orientation_tolerance: float) -> bool:
        """Say whether it has room for errors [m] and [rad] all about the target pose."""
        if self.cone_axis is not None and 0.0 < self.half_angle < orientation_tolerance:
            return False
        error = np.repeat([position_tolerance, orientation_tolerance], 3)
        there = (self.lower <= -error) & (self.upper >= error)
        return bool((there | (self.lower == 0.0) & (self.upper == 0.0)).all())

    @cached_property
    def key(self) -> tuple[bytes, bytes, str | None, float]:
        """What two regions have in common if they are the same."""
        return self.lower.tobytes(), self.upper.tobytes(), self.cone_axis, self.half_angle

    @property
    def is_exact(self) -> bool:
        """Whether the region is the target pose itself."""
        return self.cone_axis is None and not self.lower.any() and not self.upper.any()

    @cached_property
    def is_free(self) -> bool:
        """Whether the region is all poses, by bounds that are infinite."""
        unbounded = bool(np.isinf(self.lower).all() and np.isinf(self.upper).all())
        return unbounded and (self.cone_axis is None or self.half_angle == math.pi)


RegionArgument = (
    TaskSpaceRegion
    | Sequence[TaskSpaceRegion | None]
    | Mapping[str, TaskSpaceRegion | None]
    | None
)
"""A region for the one tip, or one for each, in their order or by name; None: exact poses."""
PathRegionArgument = TaskSpaceRegion | Sequence[TaskSpaceRegion | None] | None
"""A region for all poses of a path, or one for each; None: exact poses."""
_EXACT = TaskSpaceRegion.exact()


def check_regions(
    region: RegionArgument, tip_links: Sequence[str]
) -> tuple[tuple[TaskSpaceRegion, ...]]:
    """Return the region of each tip, in a tuple of its own.

    Raises:
        UnknownNameError: There is no such tip.
        InvalidArgumentError: This is no region, or not one for each tip, or all tips are free.
    """
    if isinstance(region, TaskSpaceRegion):
        # The usual case first, for calls that take 20 us.
        if len(tip_links) == 1 and not region.is_free:
            return ((region,),)
        given = [region]
    elif region is None:
        given = [None] * len(tip_links)
    elif isinstance(region, Mapping):
        for name in region:
            if name not in tip_links:
                raise UnknownNameError("tip link", name, tip_links)
        given = [region.get(name) for name in tip_links]
    elif isinstance(region, Sequence) and not isinstance(region, str):
        given = list(region)
    else:
        raise InvalidArgumentError(f"region must be a TaskSpaceRegion, not {type(region)}")
    if len(given) != len(tip_links):
        raise InvalidArgumentError(
            f"{len(given)} regions for {len(tip_links)} tips: {', '.join(tip_links)}; give one "
            "for each, None for an exact pose, or a dictionary by tip link"
        )
    for each in given:
        if each is not None and not isinstance(each, TaskSpaceRegion):
            raise InvalidArgumentError(f"region must be a TaskSpaceRegion, not {type(each)}")
    regions = tuple(_EXACT if each is None else each for each in given)
    if all(each.is_free for each in regions):
        raise InvalidArgumentError("region: all tips are free: nothing to solve")
    return (regions,)


def check_path_regions(
    region: PathRegionArgument, tip_link: str, num_poses: int
) -> tuple[tuple[TaskSpaceRegion, ...], ...] | None:
    """Return the regions about the poses of a path, (1, 1) for all or (B, 1); None: exact poses.

    Raises:
        InvalidArgumentError: This is no region, or not one for each pose, or a tip is free.
    """
    if region is None or isinstance(region, TaskSpaceRegion):
        regions = check_regions(region, (tip_link,))
    elif isinstance(region, Sequence) and not isinstance(region, str):
        if len(region) != num_poses:
            raise InvalidArgumentError(
                f"{len(region)} regions for {num_poses} poses; give one for the whole path, or "
                "one for each pose, None for an exact pose"
            )
        # Most of a path's regions are the same object.
        known = {id(each): check_regions([each], (tip_link,))[0] for each in region}
        regions = tuple(known[id(each)] for each in region)
    else:
        raise InvalidArgumentError(
            f"region must be a TaskSpaceRegion or a sequence of them, not {type(region)}"
        )
    return None if all(each[0].is_exact for each in regions) else regions
