"""Start the node generative_ik for the Panda in RViz, through ik.launch.py."""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description() -> LaunchDescription:
    """Include ik.launch.py, whose other arguments may be given as well."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "use_joint_state_publisher",
                default_value="true",
                choices=("true", "false"),
                description="Publish joint states, for use without a robot or simulation",
            ),
            IncludeLaunchDescription(
                # A path known in advance, so that ros2 launch --show-args lists all arguments.
                PythonLaunchDescriptionSource(str(Path(__file__).with_name("ik.launch.py"))),
                launch_arguments={"robot": "panda"}.items(),
            ),
        ]
    )
