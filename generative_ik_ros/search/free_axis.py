"""Regions in which a six-joint arm may turn about an axis: as a seventh joint at its tip.

At each angle of the axis the arm has the branches of a pose. So its solutions form curves, and
are sampled as those of a redundant arm with its last joint locked (`search/curve_samples.py`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.locked_joint import locked_at_tip
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.region_rows import Rotation, angle_bounds, rotation_of
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.space import SearchSpace

_ASIDE = 0.01
"""Where a whole turn of samples begins beside half a turn [rad]: none is then at 90 degrees, where
roll and yaw of who measures pitch are arbitrary."""
_NOWHERE = 1e300
"""Unit of the angle, which is no joint's: nothing counts in a distance."""


class FreeAngle(NamedTuple):
    """The one angle of a region's that has room.

    Attributes:
        axis: (3,) of the target, about which the tip may turn.
        lower: [rad].
        upper: [rad]; a turn above where there are no bounds.
    """

    axis: NDArray[np.float64]
    lower: float
    upper: float

    @classmethod
    def of(cls, region: TaskSpaceRegion, tolerance: float) -> "FreeAngle | None":
        """Return it, None if something else has room, too, or is not the target's.

        Args:
            region: A region.
            tolerance: Bounds are drawn in by it, so that what has no larger error is inside [rad].
        """
        kind, k, half_angle = rotation_of(region)
        if region.lower[:3].any() or region.upper[:3].any():
            return None
        if kind == Rotation.CONE and half_angle == 0.0:
            return cls(np.eye(3)[k], _ASIDE - TURN / 2.0, _ASIDE + TURN / 2.0)
        lower, upper = angle_bounds(region)
        room = upper > lower
        if kind != Rotation.ANGLES or room.sum() != 1 or lower[~room].any():
            return None
        k = int(room.argmax())
        drawn = min(tolerance, 0.5 * (upper[k] - lower[k]))
        return cls(np.eye(3)[k], lower[k] + drawn, upper[k] - drawn)

    @property
    def column(self) -> NDArray[np.float64]:
        """What a box in joint space has of it, see `SearchSpace`."""
        bounds = self.lower, self.upper
        return np.array([*bounds, *bounds, sum(bounds) / 2.0, 0.0])


class FreeAxis(Curves):
    """The closed form of a six-joint arm at whatever angle of a region.

    Args:
        branches: That of the arm.
        problem: Chain and tolerances, for poses.
        angle: Of the region.
    """

    more = 1
    turns = True

    def __init__(self, branches: Branches, problem: Any, angle: FreeAngle):  # noqa: ANN401
        """Put the angle behind the joints."""
        vars(self).update(vars(branches))
        self._given = branches, problem, angle
        self._problem, self._column = problem, angle.column
        self._circular = angle.upper - angle.lower >= TURN
        self._last: tuple[SearchSpace, tuple[Any, ...]] | None = None
        # The arm brings its tip to where the angle, turned back, leaves the target.
        self.parameters = locked_at_tip(-angle.axis, branches.parameters)

    def arguments(self, problem: Any, space: SearchSpace, joints: Any) -> tuple[Any, ...]:  # noqa: ANN401
        """Return what `Branches.arguments` does, with a column for the angle."""
        last = self._last
        if last is None or last[0] is not space:
            # Most calls are in the same space, and take little more time than this does.
            lower, upper, periodic, units = joints
            of_space = (
                *self._problem,
                np.column_stack((space.box, self._column)),
                np.append(space.circular, self._circular),
                np.append(lower, -np.inf),
                np.append(upper, np.inf),
                np.append(periodic, False),
                np.append(units, _NOWHERE),
            )
            last = self._last = space, of_space
        return last[1]
