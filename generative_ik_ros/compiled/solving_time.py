"""How long a call took without the kernels that were compiled or loaded meanwhile."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

_NOTED = 1e-3
"""Time that it takes at least [s]: less is a look at what is there."""
_preparing: list[tuple[float, float]] = []
"""Begin and end of each time in which a kernel was compiled, loaded or stored [s]."""


@contextmanager
def preparing() -> Iterator[None]:
    """Note that a kernel is compiled, loaded or stored meanwhile: see `solving_time`."""
    begin = time.perf_counter()
    try:
        yield
    finally:
        if (end := time.perf_counter()) - begin > _NOTED:
            while _preparing and _preparing[-1][0] >= begin:  # of a kernel that this one calls
                _preparing.pop()
            _preparing.append((begin, end))


def solving_time(begin: float, end: float) -> float:
    """Return the time between two readings of `time.perf_counter` without `preparing` [s]."""
    spent = end - begin
    for first, last in reversed(_preparing):
        if last <= begin:
            break
        if (part := min(last, end) - max(first, begin)) > 0.0:
            # Threads that wait for one another overlap.
            spent, end = spent - part, max(first, begin)
    return spent
