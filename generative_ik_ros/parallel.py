"""A thread pool for calls of the core, which release the GIL: one thread for each core."""

import itertools
import math
import os
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from numpy.typing import ArrayLike, NDArray

Piece = TypeVar("Piece")

_AT_ONCE = 1 << 20
"""Memory that a thread fills at a time [B]."""


def usable_cores() -> int:
    """Return how many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@lru_cache
def _helpers(size: int) -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and one piece needs none

    return ThreadPoolExecutor(size, "generative_ik")


if hasattr(os, "register_at_fork"):
    # A forked process has none of its parent's threads.
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def for_each(work: Callable[[Piece], None], pieces: Sequence[Piece], deadline: float) -> None:
    """Call `work` for every piece, starting none after the deadline.

    The caller's thread takes part. Which thread takes which piece does not change the result, as
    long as each piece writes to memory of its own.

    Args:
        work: Called once for each piece.
        pieces: Independent of each other.
        deadline: Reading of `time.perf_counter` [s].
    """
    if len(pieces) == 1:
        if time.perf_counter() < deadline:
            work(pieces[0])
        return
    queue, ended = itertools.count(), False

    def drain() -> None:
        nonlocal ended
        try:
            while (index := next(queue)) < len(pieces) and time.perf_counter() < deadline:
                if ended:
                    break
                work(pieces[index])
        except BaseException:
            # An interrupt, most often: the others must not work on for no one.
            ended = True
            raise

    size = usable_cores() - 1
    futures = [_helpers(size).submit(drain) for _ in range(min(size, len(pieces) - 1))]
    try:
        drain()
        for future in futures:
            if not future.cancel():
                future.result()
    finally:
        ended = True


def fill(array: "NDArray", value: "ArrayLike") -> None:
    """Write a value, or a row, to all rows of an array; by all threads if it is large.

    Memory that is used for the first time takes as long as many a search that it is for.
    """
    size = max(1, _AT_ONCE // max(1, array.strides[0]))
    if len(array) <= size:
        array[...] = value
        return

    def fill_some(first: int) -> None:
        array[first : first + size] = value

    for_each(fill_some, range(0, len(array), size), math.inf)
