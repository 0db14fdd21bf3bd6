"""How a call keeps its deadline: time kept for what follows the search, and steps in between."""

import math
import time

from generative_ik_ros.request import SolveRequest
from generative_ik_ros.select.order import COMPARE, WORK

_FINISH_ONE, _FINISH_MANY, _FINISH_EACH = 1e-6, 6e-6, 5e-8
"""Time to finish a target after its search [s]: for one solution, for several, for each more."""
_SHARE = 0.25
"""Largest share of a timeout that is kept for that."""
_FIRST_STEPS, _MOST_STEPS = 64, 1 << 16
"""Steps of the kernel before the clock is read: at first, and at most."""


def finish_time(request: SolveRequest) -> float:
    """Return the time that it takes to finish after the search, besides ranking solutions [s]."""
    wanted = request.num_solutions
    each = _FINISH_ONE if wanted == 1 else _FINISH_MANY + _FINISH_EACH * wanted
    return len(request.targets) * each


def search_deadline(request: SolveRequest, start: float, num_joints: int) -> float:
    """Return when the search has to end for the call to keep its timeout.

    Args:
        request: What is wanted.
        start: Reading of `time.perf_counter` when the call began [s].
        num_joints: n.

    Returns:
        Reading of `time.perf_counter` [s].
    """
    kept, wanted = finish_time(request), request.num_solutions
    if wanted > 1 and request.seed_state is None:
        kept += len(request.targets) * COMPARE * min(2 * num_joints * wanted**2, WORK)
    return start + request.timeout - min(kept, _SHARE * request.timeout)


class StepClock:
    """Says how many steps the kernel may take before the clock has to be read again.

    Args:
        deadline: Reading of `time.perf_counter` [s]; may be infinite.

    Attributes:
        steps: That number.
    """

    def __init__(self, deadline: float):
        """Begin with few steps, of which nothing is known yet."""
        self._deadline, self._hurry = deadline, deadline < math.inf
        self._read = time.perf_counter()
        self.steps = _FIRST_STEPS if self._hurry else _MOST_STEPS

    def late(self) -> bool:
        """Say whether the deadline had passed when the clock was last read."""
        return self._read >= self._deadline

    def read(self) -> None:
        """Read the clock, `steps` after the last time."""
        now = time.perf_counter()
        if self._hurry:
            # Steps get slower as solutions to compare with become more.
            left = (self._deadline - now) / (now - self._read) * self.steps
            self.steps = int(min(max(left / 4.0, 1.0), 2 * self.steps, _MOST_STEPS))
        self._read = now
