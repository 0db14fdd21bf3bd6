"""The closed forms of chains within a region: at its poses, or wherever its one coordinate is."""

from typing import Any

from generative_ik_ros._core import (
    BranchProblem,
    CurveProblem,
    FreeCoordinate,
    PoseSequence,
    SurfaceProblem,
    curves_about,
    most_wanted_of,
)
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.search.branches import Branches, Curves, PackedProblem, Prepared
from generative_ik_ros.space import SearchSpace

Given = tuple[Branches, PackedProblem, TaskSpaceRegion, tuple[float, float], float]
"""The form of a chain, chain and tolerances for poses, the region, tolerances [m and rad], and the
reach [m]."""


class Surfaces(Curves):
    """The closed form of a chain at poses all over a region.

    Where more is free than one angle of six joints, or one joint of seven, solutions are sampled
    evenly all over the region, more of them than are wanted, and the most diverse are chosen.
    """

    def __init__(self, given: Given, region: PoseSequence):
        """Keep the region beside what is known of the chain."""
        form, self._problem, *_ = given
        vars(self).update(vars(form), _last=None, _given=given)
        self._region, self.most_wanted = region, most_wanted_of(form.form, region)
        self._kind = CurveProblem if isinstance(form, Curves) else BranchProblem

    @classmethod
    def of(cls, *given: Any) -> "Surfaces | None":  # noqa: ANN401 (see `Given`)
        """Return it; None if the region's bounds are too tangled, see `PoseSequence`."""
        form, _, region, (position, orientation), reach = given
        own = isinstance(form, Curves)
        found = PoseSequence.of(region.packed, position, orientation, reach, own)
        return None if found is None else cls(given, found)

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """Make a copy from what was given: the core's objects are this process's own."""
        return type(self).of, self._given

    def _new_curve_problem(self, stages: Prepared, space: SearchSpace) -> SurfaceProblem:
        return SurfaceProblem(self._of(self._kind, self._problem, stages, space), self._region)


class FreeAxis(Curves):
    """The closed form of a six-joint arm where a region has room in one coordinate only.

    The tip may turn about an axis or move along it: a joint behind the arm's, locked anywhere. So
    solutions form curves, and are sampled as those of a redundant arm.
    """

    more = 1
    turns = True

    def __init__(self, given: Given, free: FreeCoordinate):
        """Keep the coordinate beside what is known of the arm."""
        form, self._problem, *_ = given
        vars(self).update(vars(form), _last=None, _given=given)
        self._free = free

    @classmethod
    def of(cls, *given: Any) -> "FreeAxis | None":  # noqa: ANN401 (see `Given`)
        """Return it; None if something else has room, too, or is not the target's."""
        _, _, region, (position, orientation), _ = given
        free = FreeCoordinate.of(region.packed, position, orientation)
        return None if free is None else cls(given, free)

    __reduce__ = Surfaces.__reduce__

    def _new_curve_problem(self, stages: Prepared, space: SearchSpace) -> CurveProblem:
        return curves_about(self._of(BranchProblem, self._problem, stages, space), self._free)
