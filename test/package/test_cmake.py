"""The build looks for MoveIt again once packages have been installed."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
OURS = Path(sys.prefix)
LIBRARIES = Path(sysconfig.get_path("purelib"))


@pytest.mark.skipif(
    not (OURS / "share" / "rosidl_default_generators").is_dir(),
    reason="ROS 2 is not installed in this Python's environment: make setup",
)
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_moveit_that_is_installed_later_is_found(tmp_path: Path):
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    (prefix / "share").mkdir(parents=True)
    # pip keeps pybind11 and Eigen in folders of their own.
    prefixes = f"{prefix}:{OURS}:{LIBRARIES / 'pybind11'}:{LIBRARIES / 'cmeel.prefix'}"
    environment = {
        **os.environ,
        "AMENT_PREFIX_PATH": prefixes,
        "CMAKE_PREFIX_PATH": prefixes,
        "PATH": f"{OURS / 'bin'}:{os.environ['PATH']}",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["cmake", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return done.stdout

    said = run(
        *("-S", str(CHECKOUT), "-B", str(build), "-G", "Unix Makefiles", "-DBUILD_TESTING=OFF"),
        *(f"-DPython3_EXECUTABLE={sys.executable}", "-DPython3_FIND_VIRTUALENV=ONLY"),
    )
    assert "the MoveIt plugin is not built" in said and "Generating done" in said, said
    check = ("--build", str(build), "--target", "cmake_check_build_system")
    assert "Configuring done" not in run(*check)

    config = prefix / "share" / "moveit_core" / "cmake"
    config.mkdir(parents=True)
    version = "set(PACKAGE_VERSION 2.12.4)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n"
    (config / "moveit_coreConfigVersion.cmake").write_text(version)
    (config / "moveit_coreConfig.cmake").write_text('message(FATAL_ERROR "found it now")\n')
    os.utime(prefix / "share", (time := (build / "Makefile").stat().st_mtime + 5.0, time))
    assert "found it now" in run(*check)
