"""The result of a solve: distinct, verified configurations for each target."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class SolveStatus(IntEnum):
    """How the search for one target ended.

    The values are those of the constants in GetIKSolutions.srv.
    """

    SOLVED = 1
    """As many distinct solutions as were asked for."""
    PARTIAL = 2
    """At least one solution, fewer than asked for: no more were found, or time was up."""
    NO_SOLUTION = 3
    """The search was exhausted without a solution: the pose is taken to be unreachable."""
    TIMED_OUT = 4
    """The deadline came before the first solution and before the search was exhausted."""


@dataclass(frozen=True)
class Timings:
    """Where the time of one call went, each in [s], and how much work it was.

    Attributes:
        propose: In the sampler, unless its seeds are made where they are refined.
        refine: Making seeds exact, verifying them and telling them apart.
        select: Putting solutions in order.
        total: The whole call.
        rounds: How often the sampler was asked.
        seeds: Seeds that were tried.
        walks: Those of them that began beside a solution found before.
        exact: Seeds that became exact, repeats included.
        distinct: Different solutions kept, before those are chosen that are returned.
        iterations: Iterations of all seeds.
    """

    propose: float
    refine: float
    select: float
    total: float
    rounds: int
    seeds: int
    walks: int
    exact: int
    distinct: int
    iterations: int


@dataclass(frozen=True)
class IKSolutions:
    """Distinct joint configurations that reach each of B targets, best first.

    Attributes:
        joint_names: Names of the n joints, the order of the last axis of `positions`.
        positions: (B, N, n) joint positions [rad or m]; NaN where there is no N-th solution.
        counts: (B,) number of solutions for each target.
        position_error: (B, N) distance of the tip from the target [m], NaN as above.
        orientation_error: (B, N) angle between tip and target [rad], NaN as above.
        status: How the search ended, for each target.
        best_effort: (B, n) closest configuration found, also for an unreachable pose.
        best_effort_position_error: (B,) its distance from the target [m].
        best_effort_orientation_error: (B,) its angle from the target [rad].
        sampler: Name of the sampler that proposed the seeds.
        timings: Where the time went.
    """

    joint_names: tuple[str, ...]
    positions: NDArray[np.float64]
    counts: NDArray[np.int64]
    position_error: NDArray[np.float64]
    orientation_error: NDArray[np.float64]
    status: tuple[SolveStatus, ...]
    best_effort: NDArray[np.float64]
    best_effort_position_error: NDArray[np.float64]
    best_effort_orientation_error: NDArray[np.float64]
    sampler: str
    timings: Timings

    def of(self, target: int = 0) -> NDArray[np.float64]:
        """Return the solutions of one target without the NaN padding, (counts[target], n)."""
        return self.positions[target, : self.counts[target]]
