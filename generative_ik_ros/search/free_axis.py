"""Regions in which a six-joint arm may turn about or slide along an axis: a joint at its tip.

At each angle, or each place, the arm has the branches of a pose. So its solutions form curves, and
are sampled as those of a redundant arm with its last joint locked, by the core
(`core/src/answers/curve_samples.hpp`).
"""

from typing import NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.branches import Branches, Curves, PackedProblem, Prepared, Where
from generative_ik_ros.space import SearchSpace


class FreeCoordinate(NamedTuple):
    """The one coordinate of a region's that has room.

    Attributes:
        axis: (3,) of the target, about or along which the tip may move.
        slides: Whether it moves along it.
        lower: [rad or m].
        upper: [rad or m]; a turn above where an angle has no bounds.
    """

    axis: Floats
    slides: bool
    lower: float
    upper: float

    @classmethod
    def of(
        cls, region: TaskSpaceRegion, tolerances: tuple[float, float]
    ) -> "FreeCoordinate | None":
        """Return it, None if something else has room, too, or is not the target's.

        Args:
            region: A region.
            tolerances: Of the position [m] and the orientation [rad]: bounds are drawn in by them,
                so that what has no larger error is inside.
        """
        found = _core.free_coordinate(region.packed, *tolerances)
        return None if found is None else cls(np.eye(3)[found[0]], *found[1:])

    @property
    def column(self) -> Floats:
        """What a box in joint space has of it, see `SearchSpace`."""
        bounds = self.lower, self.upper
        return np.array([*bounds, *bounds, sum(bounds) / 2.0, 0.0, 0.0])


class FreeAxis(Curves):
    """The closed form of a six-joint arm wherever a region's one coordinate is.

    Args:
        branches: That of the arm.
        problem: Chain and tolerances, for poses.
        free: The coordinate.
    """

    more = 1
    turns = True

    def __init__(self, branches: Branches, problem: PackedProblem, free: FreeCoordinate):
        """Put the coordinate behind the joints."""
        vars(self).update(vars(branches), _last=None)
        self._given = branches, problem, free
        self._problem, self._column = problem, free.column
        self._circular = not free.slides and free.upper - free.lower >= TURN
        # The arm brings its tip to where the joint, moved back, leaves the target.
        self.parameters = _core.locked_at_tip(-free.axis, branches.parameters, free.slides)

    def _where(self, stages: Prepared, space: SearchSpace) -> Where:
        """Return what `Curves._where` does, with a column for the coordinate."""
        # The coordinate is no joint's: nothing counts in a distance.
        of_coordinate = -np.inf, np.inf, False, 1e300
        lower, upper, periodic, units = map(np.append, stages.joints, of_coordinate)
        return (
            self._problem,
            np.column_stack((space.box, self._column)),
            np.append(space.circular, self._circular),
            (lower, upper, periodic, units),
        )
