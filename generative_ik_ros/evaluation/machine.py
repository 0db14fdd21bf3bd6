"""Nothing comes in, what figures depend on goes out: processor, cores, versions."""

import os
import platform
from importlib import metadata
from pathlib import Path

_PACKAGES = ("numpy", "numba", "scipy", "torch", "pin", "pytracik", "ssik", "pymanopt")


def machine() -> dict[str, object]:
    """Return the kind of machine and the versions, without anything that names the machine."""
    flags = ""
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        lines = cpu_info.read_text().splitlines()
        flags = next((line for line in lines if line.startswith("flags")), "")
    vectors = [name for name in ("avx2", "avx512f") if name in flags.split()]
    available = getattr(os, "sched_getaffinity", None)
    return {
        "architecture": platform.machine(),
        "cores": len(available(0)) if available else os.cpu_count(),
        "vector_units": vectors,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in _PACKAGES},
    }


def machine_line() -> str:
    """Return the kind of machine in a line, to stand below a table."""
    facts = machine()
    vectors = facts["vector_units"]
    units = ", ".join(vectors) if isinstance(vectors, list) and vectors else "no wide vectors"
    return (
        f"Machine: {facts['cores']} {facts['architecture']} cores ({units}), "
        f"CPython {facts['python']}"
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
