"""The clients of the node: Python's asks a real one, C++'s is compiled against the interfaces."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CLIENT = ROOT / "examples/ros_client_cpp"
MAIN = (CLIENT / "main.cpp").read_text(encoding="utf-8")


@pytest.mark.ros
def test_python_client(tmp_path):
    pytest.importorskip("rclpy", reason="rclpy is not installed: make setup")
    pytest.importorskip("generative_ik_ros.srv", reason="interfaces are not built: make setup")
    from node_process import NodeProcess, choose_domain

    choose_domain()
    panda = (ROOT / "config/robots/panda.urdf").read_text(encoding="utf-8")
    node = NodeProcess(robot_description=panda, tip_link="panda_hand_tcp")
    try:
        node.wait_for("preparation took", timeout=200.0)
        done = subprocess.run(
            [sys.executable, str(ROOT / "examples/ros_client.py"), "--ros-args", "-r",
             f"__ns:={node.namespace}"],
            cwd=tmp_path, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    finally:
        node.stop()
        node.wait()
    assert done.returncode == 0, done.stdout + done.stderr + node.output()
    assert "panda_joint7" in done.stdout
    for target in (0, 1):
        assert f"target {target}: 20 solutions, the first: [[" in done.stdout


def _fields(text):
    """Names of the fields of a part of a service definition."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return {words[1] for words in lines if len(words) >= 2 and "=" not in words}


def test_cpp_client_uses_fields_that_exist():
    request, response = map(_fields, (ROOT / "srv/GetIKSolutions.srv").read_text().split("---"))
    assert "num_solutions" in request and "SOLVED" not in response
    used = set(re.findall(r"request->(\w+)", MAIN))
    assert {"targets", "num_solutions"} <= used <= request
    used = set(re.findall(r"response->(\w+)", MAIN))
    assert {"counts", "positions"} <= used <= response


def test_cpp_client_compiles_against_the_interfaces():
    """With the generated headers, which say what types fields have, and a stand-in for rclcpp."""
    include = Path(sys.prefix, "include")
    if not (include / "generative_ik_ros").is_dir():
        pytest.skip("the interfaces of the package are not built: make setup")
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed: sudo apt install g++")
    folders = [HERE / "rclcpp_stand_in", *(path for path in include.iterdir() if path.is_dir())]
    done = subprocess.run(
        ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
         *(word for folder in folders for word in ("-isystem", str(folder))),
         str(CLIENT / "main.cpp")],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.ros
def test_cpp_client_is_built(tmp_path):
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    if not any(
        Path(prefix, "share/rclcpp/package.xml").is_file() for prefix in prefixes if prefix
    ):
        pytest.skip("rclcpp is not installed: sudo apt install ros-jazzy-ros-base")
    for command in (
        ["cmake", "-S", str(CLIENT), "-B", str(tmp_path)],
        ["cmake", "--build", str(tmp_path)],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert (tmp_path / "ik_client").is_file()
