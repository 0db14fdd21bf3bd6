"""The facts that figures depend on: processor, cores, versions, other work on the machine."""

import os
import platform
from collections.abc import Mapping
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

_PACKAGES = "numpy scipy torch pin pytracik ssik EAIK pymanopt pin-pink".split()


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
