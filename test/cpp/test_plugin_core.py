"""The part of the MoveIt plugin that needs no MoveIt: compiled here, its C++ tests run here."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("pinocchio")

import reference_files

_ROOT = Path(__file__).parents[2]
_PREFIXES = (
    Path("/usr"),
    Path("/usr/local"),
    Path(sysconfig.get_paths()["purelib"], "cmeel.prefix"),
)
_GTEST_SOURCES = (Path(sys.prefix, "src/gtest_vendor"), Path("/usr/src/googletest"))


def _found(places: tuple[Path, ...], file: str, what: str) -> Path:
    for place in places:
        if (place / file).exists():
            return place
    pytest.skip(what)


def _run(*command: str | Path, **environment: str) -> str:
    """Return what a command prints; fail with it where the command fails."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=280, env=os.environ | environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of chains with their kinematics as pinocchio computes them."""
    folder = tmp_path_factory.mktemp("reference")
    robots = _ROOT / "config" / "robots"
    panda, ur10 = (robots / f"{name}.urdf" for name in ("panda", "ur10"))
    mixed = reference_files.SLIDING_AND_MIMIC
    for name, urdf, base, tip in (
        ("panda", panda.read_text(), "panda_link0", "panda_link8"),
        ("ur10", ur10.read_text(), "base_link", "tool0"),
        ("mixed", mixed, "base", "tip"),
    ):
        reference_files.write(urdf, base, tip, 50, folder / name)
    return folder


def test_cpp_core(reference: Path) -> None:
    cmake, compiler = shutil.which("cmake"), shutil.which("c++")
    if cmake is None or compiler is None:
        pytest.skip("needs cmake and a C++ compiler")
    eigen = "share/eigen3/cmake/Eigen3Config.cmake"
    prefix = _found(_PREFIXES, eigen, "needs Eigen: libeigen3-dev, or pip install cmeel-eigen")
    gtest = _found(
        _GTEST_SOURCES,
        "CMakeLists.txt",
        "needs GoogleTest: libgtest-dev, or pip install ros-jazzy-gtest-vendor",
    )
    build = _ROOT / "build" / "plugin_core"
    _run(
        *(cmake, "-S", _ROOT / "moveit_plugin" / "core", "-B", build, "-DBUILD_TESTING=ON"),
        *("-DGENERATIVE_IK_STRICT=ON", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_GMOCK=OFF"),
        *("-DCMAKE_CXX_FLAGS_RELEASE=-O1", f"-DEigen3_DIR={prefix / Path(eigen).parent}"),
        f"-DGTEST_SOURCE={gtest}",
    )
    _run(cmake, "--build", build, "--parallel", str(os.cpu_count() or 1))
    output = _run(
        build / "test" / "generative_ik_core_test", GENERATIVE_IK_REFERENCE_DIR=str(reference)
    )
    passed = re.search(r"\[  PASSED  \] (\d+) tests", output)
    assert passed is not None and int(passed[1]) >= 30
    assert "SKIPPED" not in output
