"""Builds what the node in C++ does without ROS, on the installed core, and runs its tests."""

import os
import re
from collections.abc import Callable

import pytest

pytest.importorskip("pinocchio")

from test_core import _CMEEL, _GTEST, _GTEST_SOURCES, _ROOT, _built, _cmake, _eigen, _run


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory):
    """Builds a target, with flags of the compiler, and returns what it prints."""
    if not any(_CMEEL.glob("lib/urdfdom_headers")):
        pytest.skip("urdfdom not found: pip install cmeel-urdfdom")
    cmake, folder = _cmake(), tmp_path_factory.mktemp("servo")
    _run(cmake, "--install", _built(), "--prefix", folder / "installed")
    gtest = next(folder for folder in _GTEST_SOURCES if (folder / _GTEST).exists())
    source = _ROOT / "servo_node" / "servo"

    def run(target: str, flags: str) -> str:
        _run(
            *(cmake, "-S", source, "-B", folder / target, _eigen(), "-DBUILD_TESTING=ON"),
            *(f"-DCMAKE_PREFIX_PATH={folder / 'installed'};{_CMEEL}", f"-DGTEST_SOURCE={gtest}"),
            f"-DCMAKE_CXX_FLAGS={flags}",
        )
        processes = str(os.cpu_count() or 1)
        _run(cmake, "--build", folder / target, "--target", target, "--parallel", processes)
        return _run(folder / target / target)

    return run


@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("target", "flags", "count"),
    [("test_servo", "-Werror", 19), ("test_loop", "-fsanitize=thread", 7)],
    ids=["all", "races"],
)
def test_the_servo_without_ros(
    build: Callable[[str, str], str], target: str, flags: str, count: int
) -> None:
    output = build(target, flags)
    passed = re.search(r"\[  PASSED  \] (\d+) tests", output)
    assert passed is not None and int(passed[1]) >= count and "SKIPPED" not in output
