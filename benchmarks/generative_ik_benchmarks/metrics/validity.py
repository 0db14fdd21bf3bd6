"""Configurations in, how many break limits, repeat each other or are truly distinct out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class LimitViolations:
    """Configurations with a joint outside its limits.

    Attributes:
        count: How many.
        share: Of all; 0 of none.
        worst: Largest excess over a limit [rad or m].
    """

    count: int
    share: float
    worst: float


@dataclass(frozen=True)
class DistinctYield:
    """What a way to find solutions is worth: new ones, not repeated ones.

    Attributes:
        per_target: Distinct configurations of a target, on average.
        per_millisecond: Distinct configurations in a millisecond of all the time spent.
        duplicates: Share of the configurations that repeat one before them.
    """

    per_target: float
    per_millisecond: float
    duplicates: float


def limit_violations(
    chain: KinematicChain, positions: NDArray[np.float64], slack: float = 0.0
) -> LimitViolations:
    """Count configurations outside the joint limits (protocol C; GGIK and IKFlow ignore them).

    Continuous joints have no limits.

    Args:
        chain: Says what the limits are.
        positions: (N, n) configurations [rad or m].
        slack: Excess that is forgiven, for solvers that keep limits in float32 [rad or m].
    """
    if not len(positions):
        return LimitViolations(0, 0.0, 0.0)
    excess = np.maximum(chain.lower - positions, positions - chain.upper).max(axis=1)
    count = int((excess > slack).sum())
    return LimitViolations(count, count / len(positions), max(0.0, float(excess.max())))


def distinct_count(
    space: JointSpace, positions: NDArray[np.float64], distance: float, norm: float = LARGEST
) -> int:
    """Count configurations (N, n) that are further than a distance from all counted before.

    With the default norm two configurations are one when no joint differs by more than the
    distance, which is how the package itself tells solutions apart (at 0.05 by default). Counted
    greedily in the order given, so that the figure depends on it slightly.
    """
    return len(space.thin(positions, distance, norm))


def duplicate_share(
    space: JointSpace, positions: NDArray[np.float64], distance: float, norm: float = LARGEST
) -> float:
    """Return the share of the configurations (N, n) that repeat one before them; 0 of none."""
    if not len(positions):
        return 0.0
    return 1.0 - distinct_count(space, positions, distance, norm) / len(positions)


def distinct_yield(
    space: JointSpace,
    found: Sequence[NDArray[np.float64]],
    seconds: float,
    distance: float = 0.05,
    norm: float = LARGEST,
) -> DistinctYield:
    """Sum up what was found for T targets in a time (protocols C and D).

    Args:
        space: How distances are measured.
        found: For each target its configurations (k, n), verified ones [rad or m].
        seconds: Time spent on all targets together [s].
        distance: Configurations no further apart count as one [rad].
        norm: How their distance is measured.
    """
    total = sum(len(positions) for positions in found)
    distinct = sum(distinct_count(space, positions, distance, norm) for positions in found)
    return DistinctYield(
        distinct / max(len(found), 1),
        distinct / (1e3 * seconds) if seconds > 0.0 else float("nan"),
        1.0 - distinct / total if total else 0.0,
    )
