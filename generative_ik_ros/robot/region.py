"""Task space regions: bounds within which a tip may be, instead of one pose."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.arguments import number_array, true_or_false
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, check_names, shown

AXES = ("x", "y", "z")


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

    Attributes:
        packed: The same as the core has it.

    Raises:
        InvalidArgumentError: Bounds are no numbers, NaN or inverted, or an angle is out of range.
        UnknownNameError: There is no such axis.
    """  # noqa: D205

    lower: Floats
    upper: Floats
    cone_axis: str | None = None
    half_angle: float = 0.0
    packed: _core.TaskSpaceRegion = field(init=False, repr=False)

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
        axis = None if self.cone_axis is None else _index_of(self.cone_axis)
        try:
            half_angle = float(self.half_angle)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgumentError(
                f"region: half_angle must be a number, not {shown(self.half_angle)}"
            ) from None
        try:
            packed = _core.TaskSpaceRegion(self.lower, self.upper, axis, half_angle)
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from None
        object.__setattr__(self, "packed", packed)

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """Make a copy from the bounds: the core's objects are this process's own."""
        return type(self), (self.lower, self.upper, self.cone_axis, self.half_angle)

    @classmethod
    def _of(cls, packed: _core.TaskSpaceRegion) -> "TaskSpaceRegion":
        """Return a region of the core's."""
        axis = None if packed.cone_axis is None else AXES[packed.cone_axis]
        return cls(packed.lower, packed.upper, axis, packed.half_angle)

    @classmethod
    def exact(cls) -> "TaskSpaceRegion":
        """Return the region that is the target pose itself."""
        return cls(np.zeros(6), np.zeros(6))

    @classmethod
    def free(cls) -> "TaskSpaceRegion":
        """Return the region of all poses, which leaves the tip unconstrained."""
        return cls._of(_core.TaskSpaceRegion.free())

    @classmethod
    def free_axis(cls, axis: str = "z") -> "TaskSpaceRegion":
        """Return the region in which the tip may turn about one of the target's axes."""
        return cls._of(_core.TaskSpaceRegion.free_axis(_index_of(axis)))

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
        bounds = [np.concatenate([np.ravel(number_array(name, b)), s * np.full(3, math.pi)])
                  for name, b, s in (("lower", lower, -1.0), ("upper", upper, 1.0))]  # fmt: skip
        return cls(*bounds, cone_axis=axis, half_angle=half_angle)

    @classmethod
    def position_only(cls) -> "TaskSpaceRegion":
        """Return the region of all poses at the target's position: the orientation is free."""
        return cls._of(_core.TaskSpaceRegion.position_only())

    @classmethod
    def orientation_only(cls) -> "TaskSpaceRegion":
        """Return the region of all poses with the target's orientation: the position is free."""
        return cls._of(_core.TaskSpaceRegion.orientation_only())

    @classmethod
    def plane(cls, normal: str = "z") -> "TaskSpaceRegion":
        """Return the region in which the tip may slide over a plane through the target."""
        return cls._of(_core.TaskSpaceRegion.plane(_index_of(normal)))

    def freed(self, position: bool, orientation: bool) -> "TaskSpaceRegion":
        """Return the region with any position, or any orientation, or both."""
        free = true_or_false("position", position), true_or_false("orientation", orientation)
        return self._of(self.packed.freed(*free))

    @cached_property
    def held_coordinates(self) -> tuple[int, int]:
        """Number of constrained coordinates of the tip's position and of its rotation."""
        return self.packed.held_coordinates

    def is_around(self, position_tolerance: float, orientation_tolerance: float) -> bool:
        """Say whether it contains all poses within these tolerances [m], [rad] of the target."""
        return self.packed.is_around(position_tolerance, orientation_tolerance)

    @cached_property
    def key(self) -> tuple[bytes, bytes, str | None, float]:
        """A key that is the same for equal regions."""
        return self.lower.tobytes(), self.upper.tobytes(), self.cone_axis, self.half_angle

    @cached_property
    def is_exact(self) -> bool:
        """Whether the region is the target pose itself."""
        return self.packed.is_exact

    @cached_property
    def is_free(self) -> bool:
        """Whether the region is all poses, by bounds that are infinite."""
        return self.packed.is_free


def _index_of(axis: str) -> int:
    check_names("axis", [axis], AXES)
    return AXES.index(axis)


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
        check_names("tip link", region, tip_links)
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
