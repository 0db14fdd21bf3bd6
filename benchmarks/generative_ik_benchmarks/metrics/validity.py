"""How many configurations violate limits, repeat each other, or are distinct."""

from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_ros.array_types import Floats
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


def limit_violations(
    chain: KinematicChain, positions: Floats, slack: float = 0.0
) -> LimitViolations:
    """Count configurations outside the joint limits (protocol C; GGIK and IKFlow ignore them).

    Continuous joints have no limits.

    Args:
        chain: The chain with the limits.
        positions: (N, n) configurations [rad or m].
        slack: Excess that does not count, for solvers with limits in float32 [rad or m].
    """
    if not len(positions):
        return LimitViolations(0, 0.0, 0.0)
    excess = np.maximum(chain.lower - positions, positions - chain.upper).max(axis=1)
    count = int((excess > slack).sum())
    return LimitViolations(count, count / len(positions), max(0.0, float(excess.max())))


def distinct_count(
    space: JointSpace, positions: Floats, distance: float, norm: float = LARGEST
) -> int:
    """Count configurations (N, n) that are further than a distance from all counted before.

    With the default norm two configurations are the same when no joint differs by more than the
    distance, as in the package itself (0.05 by default). The count is greedy, in the order given,
    on which it depends slightly.
    """
    return len(space.thin(positions, distance, norm))


def duplicate_share(space: JointSpace, positions: Floats, distance: float) -> float:
    """Return the share of the configurations (N, n) that repeat one before them; 0 of none."""
    if not len(positions):
        return 0.0
    return 1.0 - distinct_count(space, positions, distance) / len(positions)
