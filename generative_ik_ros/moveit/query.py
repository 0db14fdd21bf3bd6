"""Validated IK queries, and the part of joint space that each allows."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import joint_array, number_array, positive_number
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    UnknownNameError,
    listed,
    shown,
)
from generative_ik_ros.moveit.poses import PoseLike, to_transform
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.limits import read_inside
from generative_ik_ros.robot.region import RegionArgument
from generative_ik_ros.robot.targets import check_targets

_ROUNDING = 1e-9
"""Largest violation of a bound that is attributed to rounding [rad or m]."""


@dataclass(frozen=True, eq=False)
class SearchBox:
    """Bounds on a chain's n variables, expressed as arguments of `IKSolver.solve`.

    Attributes:
        lower: (n,) lower bounds [rad or m], -inf for joints bounded only by their limits.
        upper: (n,) upper bounds [rad or m].
        seed_state: (n,) seed state for `solve` [rad or m]; None: none.
        consistency_limits: (n,) consistency limits for `solve` [rad or m]; None: none.
        empty: (n,) joints whose range is empty.
    """

    lower: Floats
    upper: Floats
    seed_state: Floats | None
    consistency_limits: Floats | None
    empty: Bools

    @classmethod
    def of(
        cls,
        chain: KinematicChain,
        seed: Floats | None,
        limits: Floats | None,
        lower: Floats,
        upper: Floats,
    ) -> "SearchBox":
        """Intersect all bounds.

        Args:
            chain: The chain.
            seed: (n,) seed state of the query [rad or m].
            limits: (n,) largest distance of each joint from the seed [rad or m].
            lower: (n,) additional lower bounds, -inf if there is none.
            upper: (n,) additional upper bounds, inf if there is none.
        """
        given = np.isfinite(lower) | np.isfinite(upper)
        least, most = lower, upper
        if seed is not None and limits is not None:
            near = read_inside(seed, chain.lower, chain.upper, chain.prismatic, limits)
            least, most = np.maximum(least, near - limits), np.minimum(most, near + limits)
        bounded = np.isfinite(least) | np.isfinite(most)
        if not bounded.any():
            return cls(least, most, seed, None, bounded)
        # A joint without limits that is bounded on one side may make one full turn.
        low, high = np.maximum(least, chain.lower), np.minimum(most, chain.upper)
        low = np.where(np.isinf(low), high - 2.0 * np.pi, low)
        high = np.where(np.isinf(high), low + 2.0 * np.pi, high)
        low, high = np.where(bounded, low, 0.0), np.where(bounded, high, 0.0)
        center = _middle(chain) if seed is None else seed
        # The solver's bounds are symmetric about the seed state. Asymmetric ones are searched
        # from their centre; `Candidates` sorts the solutions by the query's seed afterwards.
        moved = bounded & (given | (center < low) | (center > high))
        center = np.where(moved, 0.5 * (low + high), center)
        radius = np.maximum(np.maximum(high - center, center - low), 0.0)
        return cls(least, most, center, np.where(bounded, radius, np.inf), low > high)

    def contains(self, positions: Floats) -> Bools:
        """Return which of (K, n) positions lie in the box up to rounding, (K,)."""
        low, high = self.lower - _ROUNDING, self.upper + _ROUNDING
        return np.all((positions >= low) & (positions <= high), axis=-1)


@dataclass(frozen=True, eq=False)
class Query:
    """A validated query for a chain of n variables.

    Attributes:
        target: (4, 4) tip in base [m]; (K, 4, 4) for several tips.
        seed: (n,) seed state [rad or m]; None: none.
        box: The part of joint space to search.
        deadline: Reading of `time.perf_counter` at which to stop [s].
        region: Where the tips may be about the target; None: exactly there.
    """

    target: Floats
    seed: Floats | None
    box: SearchBox
    deadline: float
    region: RegionArgument = None


class GroupQueries:
    """Validates queries for one chain of a group and converts between their joint vectors.

    Args:
        group: A group of G joints.
        chain: One of the group's chains.
    """

    def __init__(self, group: JointGroup, chain: KinematicChain):
        self._group, self._chain = group, chain
        self._index = group.indices(chain)

    def query(
        self,
        pose: PoseLike | Sequence[PoseLike],
        seed_state: ArrayLike | None,
        timeout: float,
        consistency_limits: ArrayLike | None = None,
        joint_bounds: Mapping[str, tuple[float, float]] | None = None,
        region: RegionArgument = None,
    ) -> Query:
        """Validate the arguments of `GenerativeIK.search_position_ik`; raises as that does."""
        start = time.perf_counter()
        target = self._target(pose)
        seed = None if seed_state is None else self.vector("seed_state", seed_state)[self._index]
        limits = self._limits(consistency_limits, seed is not None)
        lower, upper = self._bounds(joint_bounds)
        index = self._index
        box = SearchBox.of(self._chain, seed, limits, lower[index], upper[index])
        return Query(target, seed, box, start + timeout, region)

    def _target(self, pose: PoseLike | Sequence[PoseLike]) -> Floats:
        """Return the checked target of the chain, or of the tips of a tree."""
        if not isinstance(self._chain, KinematicTree):
            (target,) = check_targets(to_transform(cast(PoseLike, pose)))
            return target
        tips = self._chain.tip_links
        poses = list(pose) if isinstance(pose, Sequence | np.ndarray) else []
        if len(poses) != len(tips):
            raise InvalidTargetError(
                f"{len(poses)} poses for {len(tips)} tips; one is needed for each of "
                f"{', '.join(tips)}"
            )
        (target,) = check_targets(np.stack([to_transform(one) for one in poses]), len(tips))
        return target

    def vector(self, name: str, values: ArrayLike) -> Floats:
        """Return values as one finite number for each of the group's joints, (G,).

        Raises:
            InvalidArgumentError: There are not G numbers, or one is not finite.
        """
        vector = joint_array(name, values, self._group.joint_names)
        if not np.isfinite(vector).all():
            bad = np.array(self._group.joint_names)[~np.isfinite(vector)]
            raise InvalidArgumentError(f"{name} is not finite for {listed(bad)}")
        return vector

    def to_group(self, positions: Floats, seed_state: ArrayLike | None) -> Floats:
        """Convert (K, n) positions of the chain to (K, G) positions of the group.

        Joints that are not on the chain keep their position in the seed state, or their default;
        mimic joints follow their drivers.
        """
        group = self._group
        rest = group.default_positions if seed_state is None else seed_state
        vectors = np.tile(number_array("seed_state", rest), (len(positions), 1))
        vectors[:, self._index] = positions
        return group.with_mimics(vectors)

    def within(
        self, joint_bounds: Mapping[str, tuple[float, float]] | None
    ) -> Callable[[Floats], bool]:
        """Return a predicate for whether (G,) positions satisfy bounds, also off the chain."""
        lower, upper = self._bounds(joint_bounds)
        lower, upper = lower - _ROUNDING, upper + _ROUNDING
        return lambda positions: bool(np.all((lower <= positions) & (positions <= upper)))

    def _limits(self, values: ArrayLike | None, seeded: bool) -> Floats | None:
        if values is None:
            return None
        limits = number_array("consistency_limits", values)
        if not limits.size:
            return None
        limits = joint_array("consistency_limits", limits, self._group.joint_names)
        if not seeded:
            raise InvalidArgumentError("consistency_limits require a seed_state")
        if not (limits >= 0.0).all():
            raise InvalidArgumentError("consistency_limits must not be negative or NaN")
        return limits[self._index]

    def _bounds(self, bounds: Mapping[str, tuple[float, float]] | None) -> tuple[Floats, Floats]:
        lower = np.full(len(self._group.joint_names), -math.inf)
        upper = -lower
        if not isinstance(bounds, Mapping | None):
            raise InvalidArgumentError(
                f"joint_bounds must be a mapping from joints, not {shown(bounds)}"
            )
        for name, given in (bounds or {}).items():
            if name not in self._group.joint_names:
                raise UnknownNameError("joint", name, self._group.joint_names)
            ends = number_array(f"joint_bounds of {name}", given)
            if ends.shape != (2,) or np.isnan(ends).any():
                raise InvalidArgumentError(
                    f"joint_bounds of {name} must be two numbers, lower and upper, not "
                    f"{shown(given)}"
                )
            index = self._group.joint_names.index(name)
            lower[index], upper[index] = ends
        return lower, upper


def check_timeout(timeout: float, default: float) -> float:
    """Return a timeout [s], or the default one for 0.

    Raises:
        InvalidArgumentError: It is not a number, negative or NaN.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float | np.number):
        raise InvalidArgumentError(f"timeout must be a number of seconds, not {shown(timeout)}")
    if not timeout >= 0.0:
        raise InvalidArgumentError(f"timeout must be 0 (the default) or more, not {timeout} s")
    # As in MoveIt, (nearly) nothing means the default.
    return default if timeout < 1e-9 else positive_number("timeout", timeout)


def check_function(name: str, function: object) -> None:
    """Refuse what cannot be called.

    Raises:
        InvalidArgumentError: It is neither a function nor None.
    """
    if not (function is None or callable(function)):
        raise InvalidArgumentError(f"{name} must be a function, not {shown(function)}")


def _middle(chain: KinematicChain) -> Floats:
    """Return the middle of each variable's range, 0 for continuous joints, (n,) [rad or m]."""
    ends = [np.where(chain.continuous, 0.0, end) for end in (chain.lower, chain.upper)]
    return 0.5 * (ends[0] + ends[1])
