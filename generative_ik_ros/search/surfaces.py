"""The closed forms of chains within a region: at its poses, or wherever its one coordinate is."""

from typing import Any

from generative_ik_ros._core import (
    CurveProblem,
    FreeCoordinate,
    PoseSequence,
    SurfaceProblem,
    curves_about,
    most_wanted_of,
)
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.search.branches import Branches, Curves, Prepared
from generative_ik_ros.space import SearchSpace

Given = tuple[Branches, Prepared | None, TaskSpaceRegion, tuple[float, float], float]
"""The form of a chain, what it takes for poses (None: what it is asked with), the region,
tolerances [m and rad], and the reach [m]."""


class InRegion(Curves):
    """The closed form of a chain within a region.

    Args:
        given: See there.
        where: What the core makes of the region.
    """

    _given: Any

    def __init__(self, given: Given, where: Any):  # noqa: ANN401 (each has its own)
        """Keep the region beside what is known of the chain."""
        vars(self).update(vars(given[0]), _last=None, _given=given)
        self._where = where

    @classmethod
    def of(cls, *given: Any) -> Any:  # noqa: ANN401 (see `Given`)
        """Return it; None if there is none in this region."""
        where = cls._find(given)
        return None if where is None else cls(given, where)

    @staticmethod
    def _find(given: Given) -> Any:  # noqa: ANN401 (each has its own)
        raise NotImplementedError

    def _at_poses(self, stages: Prepared, space: SearchSpace) -> Any:  # noqa: ANN401
        """Return what answers for poses."""
        form, poses, *_ = self._given
        make = form.on_curves if isinstance(form, Curves) else form.problem
        return make(poses or stages, space)

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """Make a copy from what was given: the core's objects are this process's own."""
        return type(self).of, self._given


class Surfaces(InRegion):
    """The closed form of a chain at poses all over a region, whose bounds are not too tangled.

    Where more is free than one angle of six joints, or one joint of seven, solutions are sampled
    evenly all over the region, more of them than are wanted, and the most diverse are chosen.
    """

    def __init__(self, given: Given, where: PoseSequence):
        """Say how many solutions it is asked for."""
        super().__init__(given, where)
        self.most_wanted = most_wanted_of(self.form, where)

    @staticmethod
    def _find(given: Given) -> PoseSequence | None:
        form, _, region, tolerances, reach = given
        return PoseSequence.of(region.packed, *tolerances, reach, isinstance(form, Curves))

    def _new_curve_problem(self, stages: Prepared, space: SearchSpace) -> SurfaceProblem:
        return SurfaceProblem(self._at_poses(stages, space), self._where)


class FreeAxis(InRegion):
    """The closed form of a six-joint arm where a region has room in one coordinate only.

    The tip may turn about an axis or move along it: a joint behind the arm's, locked anywhere. So
    solutions form curves, and are sampled as those of a redundant arm.
    """

    more = 1
    turns = True

    @staticmethod
    def _find(given: Given) -> FreeCoordinate | None:
        _, _, region, tolerances, _ = given
        return FreeCoordinate.of(region.packed, *tolerances)

    def _new_curve_problem(self, stages: Prepared, space: SearchSpace) -> CurveProblem:
        return curves_about(self._at_poses(stages, space), self._where)
