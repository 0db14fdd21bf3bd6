"""How many configurations are distinct, or repeat each other."""

from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_ros.array_types import Floats


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
