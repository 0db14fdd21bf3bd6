"""The facts that figures depend on: the machine, other work on it, memory, cores in use."""

import ctypes
import gc
import os
import platform
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timezone
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

_PACKAGES = "numpy scipy torch pin pytracik ssik EAIK pymanopt pin-pink frankik mink placo".split()


def machine() -> dict[str, object]:
    """Return the kind of machine, versions and date, without anything that names the machine."""
    facts: dict[str, str] = {}
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        lines = cpu_info.read_text().splitlines()
        facts = {key.strip(): value.strip() for key, _, value in (x.partition(":") for x in lines)}
    vectors = [name for name in ("avx2", "avx512f") if name in facts.get("flags", "").split()]
    available = getattr(os, "sched_getaffinity", None)
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "architecture": platform.machine(),
        "processor": facts.get("model name", "") or platform.processor(),
        "cores": len(available(0)) if available else os.cpu_count(),
        "vector_units": vectors,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in _PACKAGES},
    }


def machine_line(facts: Mapping[str, object]) -> str:
    """Return the facts of `machine` in a line, to stand below a table."""
    vectors = facts["vector_units"]
    units = ", ".join(vectors) if isinstance(vectors, list) and vectors else "no wide vectors"
    return (
        f"{facts['date']}. Machine: {facts['cores']} {facts['architecture']} cores of an "
        f"{facts['processor'] or 'unknown processor'} ({units}), CPython {facts['python']}"
    )


class OtherWork:
    """The share of the cores' time that other processes took since the construction.

    Work at low priority (niced) does not count, the host's (stolen time) does.
    """

    def __init__(self) -> None:
        """Start to count."""
        self._busy, self._all = _clock_ticks()

    def share(self) -> float:
        """Return the share of the cores' time so far, 0 to 1; NaN where it cannot be known."""
        busy, everything = _clock_ticks()
        passed = everything - self._all
        return max(busy - self._busy, 0.0) / passed if passed > 0 else float("nan")


def _clock_ticks() -> tuple[float, float]:
    """Return busy time of others, and all time of all cores [clock ticks]."""
    statistics = Path("/proc/stat")
    if not statistics.exists():
        return 0.0, 0.0
    first = statistics.read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, idle, waiting, interrupts, soft, stolen = map(float, first)
    own = sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")
    busy = user + system + interrupts + soft + stolen
    return busy - own, busy + nice + idle + waiting


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


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


def fewer_cores(cores: int) -> list[int]:
    """Return 1, 2, 4 and so on, below a number of cores."""
    return [count for count in (2**power for power in range(16)) if count < cores]


Result = TypeVar("Result")


def on_cores(cores: int, call: Callable[[], Result]) -> Result:
    """Make a call in a fresh process that may use only so many of this one's cores.

    A process decides on its number of threads when it first needs them, so another number takes
    another process. The call and its result must be picklable.
    """
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    context = get_context("spawn")
    with ProcessPoolExecutor(1, context, os.sched_setaffinity, (0, chosen)) as pool:
        return pool.submit(call).result()
