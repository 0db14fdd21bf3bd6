"""From which size on a GPU answers calls sooner than the CPU, measured when it is first needed."""

import time
from _thread import allocate_lock
from collections.abc import Callable
from typing import NamedTuple

from generative_ik_ros.array_types import Floats

Timed = Callable[[Floats], object]
"""Solves poses (B, 4, 4)."""


class Measuring(NamedTuple):
    """What is measured, and from which size of a call on it is worth it."""

    least: int = 512
    """Solutions of a call, of all its poses, that the CPU finds before a GPU has begun: such calls
    measure nothing."""
    solutions: tuple[int, int, int] = (32, 256, 2048)
    """Those of the smaller call that is measured, of the larger one on the CPU, and on the GPU."""


MEASURING = Measuring()


class Line(NamedTuple):
    """The time of a call of so many poses, as a straight line.

    Attributes:
        begin: Time of a call of none [s].
        each: Time of a pose [s].
    """

    begin: float
    each: float

    def at(self, count: int) -> float:
        """Return the time of a call of so many poses [s]."""
        return self.begin + self.each * count

    @classmethod
    def through(cls, solve: Timed, poses: Floats, few: int, many: int) -> "Line":
        """Measure calls of two sizes, the best of three each; the first one warms up."""
        solve(poses[:few])
        one, other = (_best_of_three(solve, poses[:count]) for count in (few, many))
        each = max(other - one, 0.0) / max(many - few, 1)
        return cls(max(one - few * each, 0.0), each)


class Crossover:
    """For calls that want as many solutions of each pose, up to a power of two, one measurement.

    Threads may use it at once.
    """

    def __init__(self):
        self._lines: dict[int, tuple[Line, Line]] = {}
        self._lock = allocate_lock()

    def __reduce__(self) -> tuple:
        """Leave what was measured out of copies and pickles, which may go to other machines."""
        return Crossover, ()

    def knows(self, wanted: int) -> bool:
        """Return whether calls for so many solutions of each pose were measured."""
        return wanted.bit_length() in self._lines

    def pays(
        self,
        count: int,
        wanted: int,
        poses: Callable[[int], Floats],
        on_device: Timed,
        on_cpu: Timed,
    ) -> bool:
        """Return whether a call of `count` poses is answered sooner on the device.

        Args:
            count: Number of poses.
            wanted: Solutions of each.
            poses: Returns so many poses within reach.
            on_device: Solves poses there, with so many solutions each.
            on_cpu: The same on the CPU.
        """
        if count * wanted < MEASURING.least:
            return False
        with self._lock:
            # Calls of other threads would be measured along.
            key = wanted.bit_length()
            if key not in self._lines:
                few, some, many = (max(1, n // wanted) for n in MEASURING.solutions)
                some, many = max(some, few + 1), max(many, few + 1)
                tried = poses(many)
                self._lines[key] = (
                    Line.through(on_device, tried, few, many),
                    Line.through(on_cpu, tried, few, some),
                )
            device, cpu = self._lines[key]
        return device.at(count) < cpu.at(count)


def _best_of_three(solve: Timed, poses: Floats) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        solve(poses)
        times.append(time.perf_counter() - start)
    return min(times)
