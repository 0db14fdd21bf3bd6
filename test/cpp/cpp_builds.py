"""How the C++ tests build the native core, and programs that use it."""

import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bindings"))

from build_backend import config_folder

CMEEL = Path(sysconfig.get_path("purelib"), "cmeel.prefix")
"""Where pip's urdfdom is; the system's is found without."""
_GTEST_SOURCES = (
    Path(sys.prefix, "src/gtest_vendor"),
    Path("/usr/src/googletest/googletest"),
    Path("/usr/src/gtest"),
)
_SANITIZERS = (
    "address,bool,bounds,builtin,enum,integer-divide-by-zero,nonnull-attribute,return,"
    "returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound"
)
"""Of `undefined`, what neither `address` finds nor the processor: null pointers, objects that are
too small, misaligned vectors would take half of the compiler's time."""
_WITH = _SANITIZERS if os.environ.get("SANITIZE") else ""
QUICKLY = "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"
"""Without optimisation: what takes the time of these programs is in the library."""
PROGRAM = *QUICKLY, f"-DCMAKE_CXX_FLAGS=-Wall -Werror{_WITH and f' -fsanitize={_WITH}'}"
"""How programs that use the core are compiled: as the core is, for Eigen allocates otherwise with
sanitizers."""
_INSTALL = (
    f"{sys.executable} -m pip install cmeel-eigen ros-jazzy-gtest-vendor"
    if sys.prefix != sys.base_prefix
    else "sudo apt install libeigen3-dev libgtest-dev"
)


def found(folder: Path | None, what: str) -> Path:
    """Return a folder; without it, the test is skipped."""
    return folder or pytest.skip(f"{what} not found: {_INSTALL}")


def run(*command: str | Path, **environment: str) -> str:
    """Return the output of a command, which must succeed."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1400, env=os.environ | environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def with_urdf() -> bool:
    """Return whether pip's urdfdom is there, with which the component urdf is built."""
    return any(CMEEL.glob("lib/urdfdom_headers"))


def cmake() -> str:
    """Return the program; without it or a compiler, the test is skipped."""
    program, compiler = shutil.which("cmake"), shutil.which("c++")
    if program is None or compiler is None:
        pytest.skip("CMake or C++ compiler not found: sudo apt install cmake g++")
    return program


def eigen() -> str:
    """Return the option that says where Eigen is."""
    return f"-DEigen3_DIR={found(config_folder('eigen3', 'Eigen3Config.cmake'), 'Eigen')}"


def gtest() -> str:
    """Return the option that says where the sources of GoogleTest are."""
    sources = (folder for folder in _GTEST_SOURCES if (folder / "src/gtest-all.cc").exists())
    return f"-DGTEST_SOURCE={found(next(sources, None), 'GoogleTest')}"


def build(folder: Path, *targets: str) -> None:
    """Build targets of a configured folder, or all."""
    words = ("--target", *targets) if targets else ()
    run(cmake(), "--build", folder, *words, "--parallel", str(os.cpu_count() or 1))


def _core(sanitizers: str) -> tuple[Path, Path, Path, list[str]]:
    """Return sources, where they are built, where the core is then, and options for that.

    Without sanitizers, what was compiled for the native module is not compiled again.
    """
    core, folders = ROOT / "core", ROOT / "build"
    native = folders / "native" / sysconfig.get_config_var("EXT_SUFFIX").strip(".")[: -len(".so")]
    if not sanitizers and (native / "CMakeCache.txt").exists():
        return ROOT / "bindings", native, native / "core", ["-DGENERATIVE_IK_TESTS=ON"]
    options = ["-DBUILD_TESTING=ON", "-DGENERATIVE_IK_STRICT=ON", "-DCMAKE_BUILD_TYPE=Release"]
    options.append(eigen())
    if sanitizers:
        options += [f"-DGENERATIVE_IK_SANITIZE={sanitizers}", "-DCMAKE_CXX_FLAGS_RELEASE=-O1"]
    folder = folders / f"core_{sanitizers.split(',')[0] or 'alone'}"
    return core, folder, folder, options


@cache
def built(sanitizers: str = _WITH, target: str = "generative_ik_core_test") -> Path:
    """Return the folder in which the core was built with some sanitizers, and its tests."""
    source, folder, core, options = _core(sanitizers)
    found_by = f"-DCMAKE_PREFIX_PATH={CMEEL}"
    run(cmake(), "-S", source, "-B", folder, *options, gtest(), found_by)
    build(folder, target)
    return core
