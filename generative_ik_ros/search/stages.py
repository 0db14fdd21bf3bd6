"""Sampler, refiner and verifier of a chain, prepared once for the searches of all calls."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.device.crossover import Crossover
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import find_family
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.closed_form import ClosedForm
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.branches import Branches, Curves, Joints, PackedProblem
from generative_ik_ros.search.surfaces import Surfaces
from generative_ik_ros.select.goal_set import Nearest
from generative_ik_ros.select.verify import GoalVerifier, Verifier
from generative_ik_ros.solutions import IKSolutions
from generative_ik_ros.space import SearchSpace

AtOnce = Callable[..., IKSolutions | Literal[False] | None]
"""What takes and returns the same as `_core.BranchProblem.solve_one`."""

StepsFromSeed = _core.NearProblem | _core.NearRegion
"""What takes steps from a seed state to the solution nearest to it."""
NearestProblem = _core.BranchProblem | _core.CurveProblem | _core.LimbsProblem | StepsFromSeed
"""What finds the one solution that is nearest to a seed state."""


class MadeOnce(dict[tuple[int, bool], AtOnce | Literal["search"] | None]):
    """What answers calls, by what they say.

    That is how many solutions they want, and whether collisions are not checked. It is a closed
    form, or the search for one target; None where neither is asked at once. It is bound to one
    object, so no copy has it.

    Attributes:
        searches: The search for one target, by how many solutions it is for, whether these are
            the nearest to a seed state, and whether collisions are not checked.
        nearest: What answers calls for the solution nearest to a seed state, in a tuple of one,
            for it may be None; see `near.nearest_problem`.
        steps: What takes steps from a seed state, once it was needed.
    """

    nearest: tuple[NearestProblem | None] | None = None
    steps: StepsFromSeed | None = None

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__()
        self.searches: dict[tuple[int, bool, bool], _core.SingleSearch] = {}

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """Leave it out of copies and pickles."""
        return MadeOnce, ()


@dataclass(frozen=True)
class DeviceUse:
    """When a solver's calls go to a GPU.

    Attributes:
        always: Whether all calls do that it serves; else those that it answers sooner.
        crossover: What was measured for that.
    """

    always: bool
    crossover: Crossover = field(default_factory=Crossover)


class RegionOfTip(NamedTuple):
    """The region of one tip.

    Attributes:
        region: The same about all targets.
        poses: The chain and its tolerances, for poses.
    """

    region: TaskSpaceRegion
    poses: PackedProblem


class Preference(NamedTuple):
    """What a search for approximations has to know of the exact solutions that it stands in for.

    Attributes:
        other: Column of the error that is to be small: 0 of the position, 1 of the orientation.
        tolerances: Of exact solutions [m and rad].
    """

    other: int
    tolerances: tuple[float, float]

    def exact(self, errors: Floats) -> Bools:
        """Say which errors (..., 2) are those of exact solutions."""
        return np.logical_and.reduce(errors <= self.tolerances, axis=-1)


@dataclass(frozen=True)
class Stages:
    """Sampler, refiner and verifier of one chain.

    Attributes:
        chain: The chain.
        sampler: Where seeds come from.
        refiner: What makes them exact.
        verifier: What checks them.
        distinct_distance: Solutions with no joint further apart are the same [rad or m].
        whole: The space that is searched unless a seed state says otherwise.
        held: How many coordinates of the tips' poses targets hold.
        redundant: Whether it may take null-space steps along continuous sets of solutions.
        problem: Chain and tolerances for the core's search.
        makes_seeds: Whether it makes all seeds itself.
        region_dimensions: Those of the solution set of a region; 0 of poses.
        joints: The chain's lower and upper limits, periodic joints and joint units, for the
            core: read-only arrays, as the chain's, are no longer so in copies, and another type.
        branches: The closed form, if the sampler says that it is used; of a tree those of its
            limbs.
        curves: Likewise, of a chain whose solutions of a pose form curves.
        for_one: What finds one of these solutions soonest, at a few points of them.
        deficient: Whether the chain has too few joints for the pose, or too many alike: nearly all
            poses are out of its reach.
        approximate: What approximations are searched with, where something is preferred.
        preference: Of those; None of all others.
        device: When calls go to a GPU; None: never.
        of_tip: The region, if targets are regions of one tip.
        at_once: What answers calls for one pose that say nothing but how many solutions they want.
    """

    chain: KinematicChain
    sampler: Sampler
    refiner: LevenbergMarquardt
    verifier: Verifier | GoalVerifier
    distinct_distance: float
    whole: SearchSpace
    held: int
    redundant: bool
    problem: PackedProblem
    makes_seeds: bool
    joints: Joints
    region_dimensions: int = 0
    branches: Branches | None = None
    curves: Curves | None = None
    for_one: Surfaces | None = None
    deficient: bool = False
    approximate: "Stages | None" = None
    preference: Preference | None = None
    device: DeviceUse | None = None
    of_tip: RegionOfTip | None = None
    at_once: MadeOnce = field(init=False, repr=False, compare=False, default_factory=MadeOnce)

    @cached_property
    def on_cpu(self) -> "Stages":
        """The same on the CPU alone."""
        return self if self.device is None else replace(self, device=None)

    @cached_property
    def without_branches(self) -> "Stages":
        """The same without the use of a closed form."""
        return replace(self, branches=None, curves=None, for_one=None)

    @cached_property
    def exactly(self) -> "Stages":
        """The same for exact solutions only."""
        return self if self.approximate is None else replace(self, approximate=None)

    @cached_property
    def goals(self) -> bool:
        """Whether targets are regions, or poses of several tips."""
        return isinstance(self.verifier, GoalVerifier)

    def seeded_by(self, sampler: Sampler) -> "Stages":
        """Return the same with another sampler, for a call without a closed form."""
        return replace(self, sampler=sampler, makes_seeds=isinstance(sampler, QuasiRandom))

    def nearest_of(self, targets: Floats) -> Nearest:
        """Return what finds the pose of a goal set (M, ...) that a configuration is for."""
        return Nearest(self.verifier, self.refiner.weights, targets)

    @property
    def takes_steps(self) -> bool:
        """Whether steps from a seed state find the nearest solution, where it is near.

        They do where there is no closed form that takes few microseconds.
        """
        if self.goals:
            return self.of_tip is not None
        formula = self.branches is not None or (self.curves is not None and self.curves.special)
        return not formula

    def turned_in(self, space: SearchSpace) -> Ints:
        """Return the joints with room for several turns, which reach a solution several times.

        Continuous joints do not count: all their turns are one position.
        """
        return np.flatnonzero(space.circular & ~self.chain.continuous)

    @cached_property
    def turns(self) -> bool:
        """Whether there are any in the whole space."""
        return len(self.turned_in(self.whole)) > 0

    @cached_property
    def near(self) -> float:
        """Squared error below which local minima may be solutions that restarts stopped short of.

        Errors within the tolerances always are.
        """
        return _core.near_error(*self.refiner.weights, *self.refiner.tolerances)

    @classmethod
    def of(
        cls,
        sampler: Sampler,
        refiner: LevenbergMarquardt,
        distinct_distance: float,
        whole: SearchSpace,
        device: DeviceUse | None = None,
    ) -> "Stages":
        """Prepare the core's search for a sampler and a refiner of one chain."""
        chain, verifier = refiner.chain, Verifier(refiner.chain)
        tolerances = refiner.tolerances
        constraints = 3 * ((refiner.position_weight > 0.0) + (refiner.orientation_weight > 0.0))
        redundant = chain.num_joints > constraints
        joints, options, reach = chain.core, refiner.options, chain.reach + tolerances[0]
        problem = joints.problem(options, *tolerances, reach, redundant)
        branches, curves, for_one = None, None, None
        if constraints == 6 and isinstance(sampler, ClosedForm):
            if find_family(chain) is not None:
                branches = Branches(chain, *tolerances)
            else:
                curves = Curves(chain, *tolerances)
                if curves.special:
                    point = TaskSpaceRegion(np.zeros(6), np.zeros(6))
                    for_one = Surfaces.of(curves, None, point, tolerances, reach)
        return cls(
            chain=chain,
            sampler=sampler,
            refiner=refiner,
            verifier=verifier,
            distinct_distance=distinct_distance,
            whole=whole,
            held=constraints,
            redundant=redundant,
            problem=problem,
            makes_seeds=isinstance(sampler, QuasiRandom),
            joints=joints_of(chain),
            branches=branches,
            curves=curves,
            for_one=for_one,
            deficient=joints.is_deficient(whole.box, chain.joint_units, options),
            device=device,
        )


def joints_of(chain: MovingJoints) -> Joints:
    """Return limits, periodic joints and units of a chain or tree, see `Stages`."""
    return (
        np.array(chain.lower),
        np.array(chain.upper),
        np.array(chain.periodic),
        np.array(chain.joint_units),
    )
