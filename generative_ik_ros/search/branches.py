"""A chain's closed form as the search uses it: all branches of a pose instead of restarts."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from generative_ik_ros._core import BranchProblem, CurveProblem, LimbsProblem, SurfaceProblem
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import Family, find_family, find_locked, why_none
from generative_ik_ros.space import SearchSpace

if TYPE_CHECKING:
    from generative_ik_ros.request import SolveRequest

Made = TypeVar("Made")
PackedProblem = tuple[Floats, Ints]
"""All numbers of a problem: a chain or a tree, tolerances and regions. Each further array would
cost call time."""
Joints = tuple[Floats, Floats, Bools, Floats]


class Prepared(Protocol):
    """What a closed form takes of `Stages`."""

    @property
    def problem(self) -> PackedProblem:
        """Chain and tolerances."""
        ...

    @property
    def joints(self) -> Joints:
        """Lower and upper limits, periodic joints and joint units."""
        ...

    @property
    def distinct_distance(self) -> float:
        """Solutions with no joint further apart are the same [rad or m]."""
        ...


class Branches:
    """The closed form of a chain, for the core.

    Args:
        chain: A chain that has one.
        position_tolerance: [m].
        orientation_tolerance: [rad].

    Attributes:
        form: The family.
        parameters: What its code takes of the chain.
        most: Most branches of a pose and solutions beside them.
        formula: Whether there is one for the branches, which takes few microseconds.
        special: Whether the arm is of a special kind, whose branches take 5 us at the most.
        ones: (n,) the weights of joints in a distance, if none are given.
        more: Numbers that rows have behind the joints.
        turns: Whether a search lists full turns of what is found, where there is little else.
        of_limbs: Whether these are the forms of a tree's limbs, see `search.limbs`.
        on_curves: Whether solutions of some limb form curves, so that no solutions are all.
    """

    more = 0
    turns = False
    of_limbs: ClassVar[bool] = False
    on_curves = False
    _last: tuple[Prepared, SearchSpace, Any] | None = None

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Find the family."""
        family = self._family_of(chain)
        if family is None:
            raise UnsupportedChainError(f"the chain {why_none(chain)}")
        self._given = chain, position_tolerance, orientation_tolerance
        self.form = family.kernel
        self.parameters = family.parameters
        # Families with more branches have no formula for them.
        self.formula = family.kernel.max_branches <= 8
        self.special = family.is_special
        self.most = family.kernel.max_rows
        self.ones = np.ones(chain.num_joints)

    @staticmethod
    def _family_of(chain: KinematicChain) -> Family | None:
        return find_family(chain)

    def serves(self, request: "SolveRequest") -> bool:  # noqa: ARG002 (for others)
        """Return whether the solutions of a call are best found by this form."""
        return True

    def begins(self, request: "SolveRequest") -> bool:
        """Return whether a search begins with solutions of this form."""
        return not request.alternatives

    def begins_with_nearest(self, request: "SolveRequest") -> bool:
        """Return whether a search for several near a seed state begins with the nearest of all."""
        return self.on_curves and request.num_solutions > 1 and request.comes_nearest

    def problem(self, stages: Prepared, space: SearchSpace) -> BranchProblem | LimbsProblem:
        """Return what answers, put together once: most spaces are the same."""
        return self._made(stages, space, self._new_problem)

    def _new_problem(self, stages: Prepared, space: SearchSpace) -> BranchProblem:
        return BranchProblem(*self._numbers(stages, space))

    def _numbers(self, stages: Prepared, space: SearchSpace) -> tuple[Any, ...]:
        """Return what a problem of the core is made of."""
        return (
            self.form, self.parameters, stages.problem, space.box, space.circular, stages.joints,
            stages.distinct_distance,
        )  # fmt: skip

    def _made(
        self, stages: Prepared, space: SearchSpace, make: Callable[[Prepared, SearchSpace], Made]
    ) -> Made:
        """Return what was made last, or make it anew for other stages or another space."""
        last = self._last
        if last is None or last[0] is not stages or last[1] is not space:
            last = self._last = stages, space, make(stages, space)
        return last[2]

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """Make a copy from the chain: the core's objects are this process's own."""
        return type(self), self._given


class Curves(Branches):
    """The closed form of a chain whose first or last joint is locked, at whatever angle.

    Its branches are points of the curves that the solutions of a pose form.

    Attributes:
        most_wanted: Most solutions of a target that it is asked for.
        time_for_one: Time to find a solution at the most; where there is less, a search looks at
            the clock more often [s].
    """

    most_wanted = math.inf
    time_for_one = 1e-5

    def on_curves(self, stages: Prepared, space: SearchSpace) -> CurveProblem | SurfaceProblem:
        """Return what answers on curves, put together once: most spaces are the same."""
        return self._made(stages, space, self._new_curve_problem)

    def _new_curve_problem(
        self, stages: Prepared, space: SearchSpace
    ) -> CurveProblem | SurfaceProblem:
        return CurveProblem(*self._numbers(stages, space))

    @staticmethod
    def _family_of(chain: KinematicChain) -> Family | None:
        return find_locked(chain)
