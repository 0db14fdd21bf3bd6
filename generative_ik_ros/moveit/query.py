"""The arguments of an IK query and a planning group in, a checked query with a deadline out."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.moveit.box import ROUNDING, SearchBox
from generative_ik_ros.moveit.poses import PoseLike, to_transform
from generative_ik_ros.request import check_targets
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import listed
from generative_ik_ros.robot.joint_group import JointGroup

_NO_TIMEOUT = 1e-9
"""A timeout below this [s] is none: the default holds, as in MoveIt."""


@dataclass(frozen=True, eq=False)
class Query:
    """What is asked for, in the terms of a chain of n variables.

    Attributes:
        target: (4, 4) tip in base [m].
        seed: (n,) positions to be near to [rad or m]; None: anywhere.
        box: Where to look.
        deadline: Reading of `time.perf_counter` at which to stop [s].
    """

    target: NDArray[np.float64]
    seed: NDArray[np.float64] | None
    box: SearchBox
    deadline: float


class GroupQueries:
    """Checks the arguments of queries for one chain of a group, and translates its vectors.

    Args:
        group: The joints, G of them.
        chain: One of its chains.
    """

    def __init__(self, group: JointGroup, chain: KinematicChain):
        """Look up where the chain's variables stand among the group's joints."""
        self._group, self._chain = group, chain
        self._index = group.indices(chain)

    def query(
        self,
        pose: PoseLike,
        seed_state: ArrayLike | None,
        timeout: float,
        consistency_limits: ArrayLike | None = None,
        joint_bounds: Mapping[str, tuple[float, float]] | None = None,
    ) -> Query:
        """Check arguments as they are described at `GenerativeIK.search_position_ik`.

        Args:
            pose: Tip in base frame.
            seed_state: (G,) positions [rad or m].
            timeout: [s], above 0.
            consistency_limits: (G,) largest distances from the seed [rad or m].
            joint_bounds: Least and greatest position by joint [rad or m].

        Raises:
            InvalidTargetError: The pose is none.
            InvalidArgumentError: Another argument is unusable; the message says which and why.
            UnknownNameError: `joint_bounds` names a joint that is not in the group.
        """
        start = time.perf_counter()
        (target,) = check_targets(to_transform(pose))
        seed = None if seed_state is None else self.vector("seed_state", seed_state)[self._index]
        limits = self._limits(consistency_limits, seed is not None)
        lower, upper = self._bounds(joint_bounds)
        index = self._index
        box = SearchBox.of(self._chain, seed, limits, lower[index], upper[index])
        return Query(target, seed, box, start + timeout)

    def vector(self, name: str, values: ArrayLike) -> NDArray[np.float64]:
        """Return values as one finite number for each of the group's joints, (G,).

        Raises:
            InvalidArgumentError: They are not.
        """
        vector = self._numbers(name, values)
        if not np.isfinite(vector).all():
            bad = np.array(self._group.joint_names)[~np.isfinite(vector)]
            raise InvalidArgumentError(f"{name} is not finite for {listed(bad)}")
        return vector

    def to_group(
        self, positions: NDArray[np.float64], seed_state: ArrayLike | None
    ) -> NDArray[np.float64]:
        """Write a chain's (K, n) positions into the group's vectors, (K, G).

        Joints that are not on the chain keep the seed's position, or their default one; mimic
        joints follow.
        """
        group = self._group
        rest = group.default_positions if seed_state is None else np.asarray(seed_state)
        vectors = np.tile(np.asarray(rest, np.float64), (len(positions), 1))
        vectors[:, self._index] = positions
        return group.with_mimics(vectors)

    def within(
        self, joint_bounds: Mapping[str, tuple[float, float]] | None
    ) -> Callable[[NDArray[np.float64]], bool]:
        """Return what says whether (G,) positions keep bounds, those off the chain included."""
        lower, upper = self._bounds(joint_bounds)
        lower, upper = lower - ROUNDING, upper + ROUNDING
        return lambda positions: bool(np.all((lower <= positions) & (positions <= upper)))

    def _limits(self, values: ArrayLike | None, seeded: bool) -> NDArray[np.float64] | None:
        if values is None or np.size(values) == 0:
            return None
        limits = self._numbers("consistency_limits", values)
        if not seeded:
            raise InvalidArgumentError("consistency_limits need a seed_state to be measured from")
        if not (limits >= 0.0).all():
            raise InvalidArgumentError("consistency_limits must not be negative or NaN")
        return limits[self._index]

    def _bounds(
        self, bounds: Mapping[str, tuple[float, float]] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        lower = np.full(len(self._group.joint_names), -math.inf)
        upper = -lower
        for name, (least, most) in (bounds or {}).items():
            if name not in self._group.joint_names:
                raise UnknownNameError("joint", name, self._group.joint_names)
            if math.isnan(least) or math.isnan(most):
                raise InvalidArgumentError(f"joint_bounds of {name} are not numbers")
            place = self._group.joint_names.index(name)
            lower[place] = max(lower[place], least)
            upper[place] = min(upper[place], most)
        return lower, upper

    def _numbers(self, name: str, values: ArrayLike) -> NDArray[np.float64]:
        names = self._group.joint_names
        try:
            vector = np.array(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgumentError(f"{name} must be an array of numbers") from None
        if vector.shape != (len(names),):
            raise InvalidArgumentError(
                f"{name} has shape {vector.shape}; one number is needed for each of the "
                f"{len(names)} joints: {listed(names)}"
            )
        return vector


def check_timeout(timeout: float, default: float) -> float:
    """Return a timeout [s], the default one in the place of none.

    Raises:
        InvalidArgumentError: It is negative or NaN.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float | np.number):
        raise InvalidArgumentError(f"timeout must be a number of seconds, not {timeout!r}")
    if not timeout >= 0.0:
        raise InvalidArgumentError(f"timeout must be 0 (the default) or more, not {timeout} s")
    return default if timeout < _NO_TIMEOUT else float(timeout)
