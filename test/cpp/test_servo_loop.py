"""Builds what the node in C++ does without ROS, on the installed core, and runs its tests."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pinocchio")

from cpp_builds import CMEEL, QUICKLY, ROOT, build, cmake, eigen, gtest, run, with_urdf


@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("target", "flags", "count"),
    [("test_servo", "-Werror", 19), ("test_loop", "-fsanitize=thread", 7)],
    ids=["all", "races"],
)
def test_the_servo_without_ros(
    installed: Path, tmp_path: Path, target: str, flags: str, count: int
) -> None:
    if not with_urdf():
        pytest.skip("urdfdom not found: pip install cmeel-urdfdom")
    run(
        *(cmake(), "-S", ROOT / "servo_node" / "servo", "-B", tmp_path, eigen(), gtest()),
        *(f"-DCMAKE_PREFIX_PATH={installed};{CMEEL}", "-DBUILD_TESTING=ON", *QUICKLY),
        *(f"-DCMAKE_CXX_FLAGS={flags}", "-DCMAKE_UNITY_BUILD=ON"),
    )
    build(tmp_path, target)
    output = run(tmp_path / target)
    passed = re.search(r"\[  PASSED  \] (\d+) tests", output)
    assert passed is not None and int(passed[1]) >= count and "SKIPPED" not in output
