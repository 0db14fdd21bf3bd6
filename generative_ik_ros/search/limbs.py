"""The closed forms of limbs that share no joint: a tree's solutions are all their combinations."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from generative_ik_ros._core import LimbsProblem, search_space
from generative_ik_ros.array_types import Ints
from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import find_limbs, why_no_limbs
from generative_ik_ros.samplers.closed_form import ClosedForm
from generative_ik_ros.search.branches import Branches, Curves, Prepared
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.preferences import DIVERSE, NEAREST
from generative_ik_ros.space import SearchSpace

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree


class LimbsTuning(NamedTuple):
    """When combinations are looked at of limbs whose solutions form curves."""

    most_wanted: int = 1000
    """Solutions wanted at the most: more are found as soon by a search."""
    rich: int = 2
    """Combinations that a search begins with for each solution it looks for: some collide."""
    more: int = 16
    """And so many more."""


ON_CURVES = LimbsTuning()


class Limb(NamedTuple):
    """One limb.

    Attributes:
        stages: Its closed form, and what verifies it.
        variables: (m,) columns of the tree that are its joints.
    """

    stages: Stages
    variables: Ints

    def problem(self, space: SearchSpace) -> tuple[Any, Ints]:
        """Return what `LimbsProblem` takes of it, in the space of the whole tree."""
        stages, own = self.stages, self._space(space)
        if stages.branches is not None:
            return stages.branches.problem(stages, own), self.variables
        assert stages.curves is not None  # noqa: S101 (see `find_limbs`)
        return stages.curves.on_curves(stages, own), self.variables

    def _space(self, space: SearchSpace) -> SearchSpace:
        """Return its part of the space of a tree."""
        some = self.variables
        lower, upper, circular = space.lower[some], space.upper[some], space.circular[some]
        reference, chain = space.reference[some], self.stages.chain
        _, floats, ints = search_space(
            lower, upper, reference, chain.joint_units, space.box[6, some], circular,
            chain.continuous, self.stages.distinct_distance,
        )  # fmt: skip
        return replace(
            space, lower=lower, upper=upper, circular=circular, reference=reference,
            box=np.ascontiguousarray(space.box[:, some]), grid=(floats, ints),
        )  # fmt: skip


class Limbs(Branches):
    """The closed forms of a tree's limbs, which share no joint, for the core.

    Args:
        tree: A tree whose limbs all have one.
        position_tolerance: [m].
        orientation_tolerance: [rad].
        distinct_distance: Solutions with no joint further apart are the same [rad or m].

    Attributes:
        limbs: The limbs, in the order of the tips.
    """

    formula, special, of_limbs = True, True, True
    most = 256
    """Combinations of branches that a search begins with, if more are not wanted."""

    def __init__(
        self,
        tree: "KinematicTree",
        position_tolerance: float,
        orientation_tolerance: float,
        distinct_distance: float,
    ):
        """Find the forms of the limbs."""
        if not find_limbs(tree):
            raise UnsupportedChainError(f"the tree {why_no_limbs(tree)}")
        self._given = tree, position_tolerance, orientation_tolerance, distinct_distance

        def stages_of(chain: KinematicChain) -> Stages:
            refiner = LevenbergMarquardt(chain, position_tolerance, orientation_tolerance)
            space = SearchSpace.of(chain, distinct_distance)
            return Stages.of(ClosedForm(chain), refiner, distinct_distance, space)

        columns = {name: i for i, name in enumerate(tree.names)}
        self.limbs = [
            Limb(stages_of(chain), np.array([columns[name] for name in chain.names]))
            for chain in tree.chains
        ]
        self.on_curves = any(limb.stages.branches is None for limb in self.limbs)
        self.ones = np.ones(tree.num_joints)

    def problem(self, stages: Prepared, space: SearchSpace) -> LimbsProblem:
        """Return what answers, put together once: most spaces are the same."""
        return self._made(stages, space, self._new_limbs)

    def _new_limbs(self, stages: Prepared, space: SearchSpace) -> LimbsProblem:
        limbs = [limb.problem(space) for limb in self.limbs]
        return LimbsProblem(limbs, stages.problem, space.box, space.circular, stages.joints)

    def serves(self, request: SolveRequest) -> bool:
        """Return whether the solutions of a call are best combined from those of the limbs."""
        if not self.on_curves:
            return True
        if request.preferences.order == NEAREST:
            one = request.num_solutions == 1 and request.check is None
            return one and not request.space.narrowed
        wanted, tuning = request.num_solutions, ON_CURVES
        if wanted == 1:
            return True
        return wanted <= tuning.most_wanted and request.timeout >= Curves.time_for_one * wanted

    def number_to_begin(self, looked_for: int) -> int:
        """Return with how many combinations a search for so many solutions of a target begins."""
        if self.on_curves:
            return ON_CURVES.rich * looked_for + ON_CURVES.more
        return max(looked_for, self.most)

    def begins(self, request: SolveRequest) -> bool:
        """Return whether a search among obstacles begins with solutions of the limbs."""
        order = request.preferences.order
        if request.check is None or request.alternatives or request.preferences.optimize:
            return False
        return order == DIVERSE or (order == NEAREST and not self.on_curves)
