"""Builds what the node in C++ does without ROS, on the installed core, and runs its tests."""

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("pinocchio")

from test_core import _CMEEL, _GTEST, _GTEST_SOURCES, _ROOT, _built, _cmake, _eigen, _run


@pytest.mark.timeout(1500)
def test_the_servo_without_ros(tmp_path: Path) -> None:
    cmake = _cmake()
    if not any(_CMEEL.glob("lib/urdfdom_headers")):
        pytest.skip("urdfdom not found: pip install cmeel-urdfdom")
    _run(cmake, "--install", _built(), "--prefix", tmp_path / "installed")
    gtest = next(folder for folder in _GTEST_SOURCES if (folder / _GTEST).exists())
    _run(
        *(cmake, "-S", _ROOT / "servo_node" / "servo", "-B", tmp_path / "build", _eigen()),
        *(f"-DCMAKE_PREFIX_PATH={tmp_path / 'installed'};{_CMEEL}", f"-DGTEST_SOURCE={gtest}"),
        *("-DBUILD_TESTING=ON", "-DCMAKE_CXX_FLAGS=-Werror"),
    )
    processes = str(os.cpu_count() or 1)
    _run(cmake, "--build", tmp_path / "build", "--parallel", processes)
    output = _run(tmp_path / "build" / "test_servo")
    passed = re.search(r"\[  PASSED  \] (\d+) tests", output)
    assert passed is not None and int(passed[1]) >= 19 and "SKIPPED" not in output
