"""The most memory that a process took for a piece of work."""

import ctypes
import gc
from pathlib import Path

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"


class PeakMemory:
    """The most memory that the process took between `start` and `stop`, beyond what it had.

    Linux only; elsewhere, and where the kernel does not let a process forget its peak, NaN.
    """

    def __init__(self) -> None:
        """Measure nothing yet."""
        self._before = float("nan")

    def start(self) -> None:
        """Give back free memory, which later work would use unseen, and forget the peak so far."""
        gc.collect()
        try:
            ctypes.CDLL(None).malloc_trim(0)
            _RESET.write_text(_FORGET_PEAK)
            self._before = _kilobytes("VmRSS")
        except (OSError, AttributeError):
            self._before = float("nan")

    def stop(self) -> float:
        """Return the growth since the start [bytes]; NaN where it cannot be known."""
        if self._before != self._before:
            return self._before
        return max(0.0, 1024.0 * (_kilobytes("VmHWM") - self._before))


def _kilobytes(field: str) -> float:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return float(line.split()[1])
    return float("nan")
