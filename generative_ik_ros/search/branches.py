"""A chain's closed form as the search uses it: all branches of a pose instead of restarts."""

from functools import cache
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from generative_ik_ros.closed_form.family import Family, find_family, find_locked, why_none
from generative_ik_ros.closed_form.general import general_arm
from generative_ik_ros.closed_form.locked_joint import LockedJoint
from generative_ik_ros.closed_form.six_joints import KERNELS
from generative_ik_ros.compiled.addresses import address_of_arrays_kernel
from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.search.branch_rows import MOST_BESIDE
from generative_ik_ros.space import SearchSpace

_EXACT = 1e-8
"""Branches with larger errors are polished [m and rad]."""
_CERTAIN = 2e-5
"""With larger tolerances there are solutions of poses that the closed form knows none of
[m and rad]."""
_MOST_QUICK = 8
"""Families with more branches than this have no formula for them."""


class Branches:
    """The closed form of a chain, and the local solver that makes its branches exact.

    Args:
        chain: A chain that has one.
        position_tolerance: [m].
        orientation_tolerance: [rad].

    Attributes:
        parameters: What its compiled code takes of the chain.
        most: Most branches of a pose and solutions beside them.
        formula: Whether there is one for the branches, which takes few microseconds.
        special: Whether the arm is of a special kind, whose branches take 5 us at the most.
        quick: Whether all branches take no more time than the search for one solution: a formula
            does, unless branches have to be polished.
        ones: (n,) the weights of joints in a distance, if none are given.
        exact: Error above which a branch is polished [m and rad].
        more: Numbers that rows have behind the joints.
        turns: Whether a search lists full turns of what is found, where there is little else.
        certain: Whether a pose has no solutions within the tolerances but the branches, unless
            the compiled code says otherwise.
    """

    more = 0
    turns = False

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Find the family; its code is compiled when `address` is first read."""
        family = self._family_of(chain)
        if family is None:
            raise UnsupportedChainError(f"the chain {why_none(chain)}")
        self._given = chain, position_tolerance, orientation_tolerance
        self._kernel, self.parameters = family.kernel, family.parameters
        self.formula = family.max_branches <= _MOST_QUICK
        self.special = family.kernel is not general_arm
        self.quick = self.formula and family.moved <= _EXACT
        self.most = family.max_branches + MOST_BESIDE
        self.ones = np.ones(chain.num_joints)
        tolerances = position_tolerance, orientation_tolerance
        self.exact = min(_EXACT, *tolerances)
        self.certain = max(tolerances) <= _CERTAIN
        self._polisher = LevenbergMarquardt(chain, self.exact, self.exact)

    @staticmethod
    def _family_of(chain: KinematicChain) -> Family | LockedJoint | None:
        return find_family(chain)

    @property
    def address(self) -> int:
        """Where the compiled code is."""
        return _address(self._kernel)

    def arguments(self, problem: Any, space: SearchSpace, joints: Any) -> tuple[Any, ...]:  # noqa: ANN401
        """Return problem, box, circular joints and `Stages.joints` for compiled code.

        Args:
            problem: `Stages.problem`.
            space: The bounds.
            joints: `Stages.joints`.
        """
        return *problem, space.box, space.circular, *joints

    def polished(
        self,
        found: NDArray[np.float64],
        targets: NDArray[np.float64],
        target_of_row: NDArray[np.int64],
        space: SearchSpace,
    ) -> NDArray[np.float64]:
        """Return branches (S, n) after steps of the local solver, within the bounds.

        Args:
            found: (S, n) branches that are not exact [rad or m].
            targets: (T, 4, 4) tip in base [m].
            target_of_row: (S,) which target each is of.
            space: The bounds.
        """
        all_of_them = np.full(len(targets), np.iinfo(np.int64).max)
        task = RefineTask(
            targets, found, target_of_row, space.box[2], space.box[3], all_of_them
        )  # fmt: skip
        return self._polisher.refine(task).positions

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """Make a copy from the chain: addresses are this process's own."""
        return type(self), self._given


class Curves(Branches):
    """The closed form of a chain whose first or last joint is locked, at whatever angle.

    Its branches are points of the curves that the solutions of a pose form.

    Attributes:
        most_wanted: Most solutions of a target that it is asked for: samples for very many take
            much memory.
    """

    most_wanted = 1000

    @staticmethod
    def _family_of(chain: KinematicChain) -> Family | LockedJoint | None:
        return find_locked(chain)

    def poses_at(
        self, targets: NDArray[np.float64], numbers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the poses (S, 4, 4) of regions about targets that rows are solutions of.

        Args:
            targets: (S, 4, 4) [m].
            numbers: (S,) what rows have behind the joints.
        """
        raise NotImplementedError

    def polished(
        self,
        found: NDArray[np.float64],
        targets: NDArray[np.float64],
        target_of_row: NDArray[np.int64],
        space: SearchSpace,
    ) -> NDArray[np.float64]:
        """Return what `Branches.polished` does; with numbers behind the joints each at its pose.

        Targets are then (T, 1, 4, 4).
        """
        if not self.more:
            return super().polished(found, targets, target_of_row, space)
        poses = self.poses_at(targets[target_of_row, 0], found[:, -1])
        rows = np.arange(len(found))
        found[:, :-1] = super().polished(found[:, :-1].copy(), poses, rows, space)
        return found


def compile_families() -> None:
    """Compile the code of all families, or load it."""
    for kernel in KERNELS:
        _address(kernel)


@cache
def _address(kernel: Any) -> int:  # noqa: ANN401 (a numba dispatcher)
    numbers, rows = types.float64[::1], types.float64[:, ::1]
    return address_of_arrays_kernel(kernel, numbers, rows, rows)
