"""Solutions all over a region, from the branches of many of its poses: surfaces, not curves.

Where more is free than one angle of six joints, or one joint of seven, solutions are sampled
evenly all over the region, more of them than are wanted, and the most diverse are chosen.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.locked_joint import OWN
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.region_rows import Rotation
from generative_ik_ros.search.branches import Branches, Curves
from generative_ik_ros.search.region_poses import pose_numbers
from generative_ik_ros.space import SearchSpace

_NONE = -1.0
"""Index of the locked joint where there is none."""
_RICH, _RICH_WITHOUT_FORMULA = 5.0, 3.0
"""Solutions that are sampled for each one that is wanted of six joints, where branches follow from
a formula, and where they are zeros of a polynomial, which take twenty times as long."""
_MOST_WITHOUT_FORMULA, _MOST_IF_FREE = 30, 300
"""Most solutions that are wanted of such arms, and where the orientation is free: a search finds
more of them as soon, and, where little is free, more evenly."""


class Surfaces(Curves):
    """The closed form of a chain at whatever pose of a region.

    Args:
        branches: That of the chain.
        problem: Chain and tolerances, for poses.
        numbers: See `pose_numbers`.
    """

    most_wanted = 1000
    more = 1
    """Which pose of the region a row is a solution of."""

    def __init__(self, branches: Branches, problem: Any, numbers: NDArray[np.float64]):  # noqa: ANN401
        """Put the region in front of what the kernel takes of the chain."""
        vars(self).update(vars(branches), _last=None)
        self._given = branches, problem, numbers
        self._problem = problem
        own = branches.parameters
        if not isinstance(branches, Curves):
            rich = _RICH if branches.formula else _RICH_WITHOUT_FORMULA
            own = np.concatenate([[_NONE, rich], np.zeros(OWN - 2), own])
        if not branches.formula:
            free = numbers[0] == Rotation.FREE
            self.most_wanted = _MOST_IF_FREE if free else _MOST_WITHOUT_FORMULA
        self.parameters = np.concatenate([own[:OWN], numbers, own[OWN:]])

    @classmethod
    def of(
        cls,
        branches: Branches,
        problem: Any,  # noqa: ANN401
        region: TaskSpaceRegion,
        tolerances: tuple[float, float],
        reach: float,
    ) -> "Surfaces | None":
        """Return it; None if the region's bounds are too tangled, see `DrawnIn`."""
        numbers = pose_numbers(region, tolerances, reach, isinstance(branches, Curves))
        return None if numbers is None else cls(branches, problem, numbers)

    def _arguments(self, problem: Any, space: SearchSpace, joints: Any) -> tuple[Any, ...]:  # noqa: ANN401
        """Return what `Branches._arguments` does, for poses."""
        return super()._arguments(self._problem, space, joints)
