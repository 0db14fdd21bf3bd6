"""Memory of searches that are over, which later ones use again."""

from _thread import allocate_lock
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LEAST, _MOST = 1 << 16, 1 << 26
"""Of smaller arrays all are new; more than so much is not kept [bytes]."""
_SPARE: list[NDArray[np.uint8]] = []
_LOCK = allocate_lock()


class Memory:
    """Arrays of one search that nobody reads afterwards.

    The system gives memory page by page, when a page is first read or written. Threads that search
    wait for each other at every page then: on a virtual machine, two took as long as one.

    Attributes:
        shared: Whether another search may use some of them again.
    """

    def __init__(self) -> None:
        """Begin with no arrays."""
        self._taken: list[NDArray[np.uint8]] = []

    @property
    def shared(self) -> bool:
        """Whether arrays will be those of other searches."""
        return bool(self._taken)

    def array(self, shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Return an array of anything."""
        kind = np.dtype(dtype)
        size = prod(shape) * kind.itemsize
        if size < _LEAST:
            return np.empty(shape, kind)
        memory = _spare(size)
        self._taken.append(memory)
        return memory[:size].view(kind).reshape(shape)

    def release(self) -> None:
        """Leave them to other searches; they must not be used any more."""
        with _LOCK:
            for memory in self._taken:
                if sum(map(len, _SPARE)) + len(memory) <= _MOST:
                    _SPARE.append(memory)
        self._taken = []


def _spare(size: int) -> NDArray[np.uint8]:
    """Return memory of so many bytes or somewhat more, new if there is none."""
    with _LOCK:
        sizes = [len(one) for one in _SPARE]
        fitting = [k for k in range(len(sizes)) if size <= sizes[k] <= 2 * size]
        if fitting:
            return _SPARE.pop(min(fitting, key=sizes.__getitem__))
    return np.empty(size, np.uint8)
