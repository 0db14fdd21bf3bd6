"""Start the node generative_ik for the Panda in RViz, through ik.launch.py."""

from pathlib import Path

from launch import LaunchDescription
from launch.launch_description_sources import load_python_launch_file_as_module


def generate_launch_description() -> LaunchDescription:
    """Return that of ik.launch.py, without the arguments that choose the robot."""
    ik = load_python_launch_file_as_module(str(Path(__file__).with_name("ik.launch.py")))
    return ik.describe("panda", use_joint_state_publisher="true", compare_samplers="true")
