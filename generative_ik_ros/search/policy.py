"""How many seeds a search begins with, and when it is given up.

The native core decides for each seed (core/src/search/stopping_policy.hpp); this is what it is
told, and what Python decides between its calls.
"""

import numpy as np

GIVE_UP = 2048
"""Random restarts after which a target without a solution is taken to be unreachable."""
_PERSISTENCE = (7, 14.0, 512), (8, 14.0, 1024), (1_000_000, 64.0, GIVE_UP)
"""What `persistence_of` returns for chains of up to so many joints (docs/search.md)."""
ALL_OF_THEM = 0.0, GIVE_UP
"""The same where the closest error says nothing."""
IN_A_HURRY = 0.0, 6
"""The same where a closed form will tell; more are seldom needed for one solution."""
BEFORE_CROSSING = 0.0, 24
"""The same where seeds then cross the limits on their way (docs/search.md)."""
_LEAST, _MOST = 16, 1024
"""Bounds of the number of seeds in one batch."""
MANY = 100
"""Solutions of a redundant chain from which on a search does not depend on how many more are
wanted."""
SEEDS_PER_SOLUTION = 2.0
"""First guess of how many seeds it takes to find one more distinct solution of a redundant chain,
whose solution sets null-space steps then fill."""
_SAMPLE = 64
"""Solutions from which the share of new ones is estimated."""
FAR = 96
"""Random restarts to find the nearest solution where none is near the seed state."""
_UNDECIDED = 8
"""Solutions beyond twice as many as wanted that are found before undecided ones are decided."""


def next_batch(ended: int, converged: int) -> int:
    """Return how many restarts it takes to estimate the share of new solutions again."""
    return bounded(0.5 * _SAMPLE * max(ended, 1) / max(converged, 1))


def persistence_of(num_joints: int) -> tuple[float, int]:
    """Return after how many restarts, times the closest error [rad], and after how many at most.

    A pose whose solutions take many restarts to find is one that others come close to: they end
    beside it at a joint limit, or at a singularity. So a search may end the sooner the further
    away everything has ended.
    """
    return next((error, count) for most, error, count in _PERSISTENCE if num_joints <= most)


def has_enough(target: np.void, wanted: int) -> bool:
    """Say whether a target has as many solutions as wanted, or should have.

    To find a few more takes less time than to decide whether one that is close to an obstacle
    collides; only when most of what is found is undecided, that is all that is left.
    """
    return target["free"] >= wanted or target["usable"] >= 2 * wanted + _UNDECIDED


def bounded(count: float) -> int:
    """Clip the size of a batch to its bounds."""
    return int(min(max(count, _LEAST), _MOST))
