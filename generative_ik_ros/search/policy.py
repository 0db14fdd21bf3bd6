"""How many seeds a search begins with, and when it is given up, as the native core says.

It decides for each seed (core/src/search/stopping_policy.hpp, effort.hpp); Python does between its
calls.
"""

import numpy as np

from generative_ik_ros import _core

GIVE_UP = _core.GIVE_UP
ALL_OF_THEM = _core.ALL_RESTARTS
IN_A_HURRY = _core.IN_A_HURRY
BEFORE_CROSSING = _core.BEFORE_CROSSING
MANY = _core.MANY
FAR = _core.FAR
persistence_of, next_batch, bounded = _core.persistence_of, _core.next_batch, _core.bounded_batch


def has_enough(target: np.void, wanted: int) -> bool:
    """Say whether a target has as many solutions as wanted, or should have."""
    return _core.has_enough(target["free"], target["usable"], wanted)
