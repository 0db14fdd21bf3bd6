"""The build looks for MoveIt and ros2_control again once packages have been installed."""

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
@pytest.mark.parametrize(
    ("package", "version", "plugin"),
    [
        ("moveit_core", "2.12.4", "the MoveIt plugin"),
        ("kinematics_interface", "1.7.0", "the plugin for ros2_control"),
    ],
)
def test_what_is_installed_later_is_found(tmp_path: Path, package: str, version: str, plugin: str):
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
    assert f"{plugin} is not built" in said and "Generating done" in said, said
    check = ("--build", str(build), "--target", "cmake_check_build_system")
    assert "Configuring done" not in run(*check)

    config = prefix / "share" / package / "cmake"
    config.mkdir(parents=True)
    found = f"set(PACKAGE_VERSION {version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n"
    (config / f"{package}ConfigVersion.cmake").write_text(found)
    (config / f"{package}Config.cmake").write_text('message(FATAL_ERROR "found it now")\n')
    os.utime(prefix / "share", (time := (build / "Makefile").stat().st_mtime + 5.0, time))
    assert "found it now" in run(*check)
