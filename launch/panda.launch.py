"""Start the node generative_ik for the Panda, with a simulated arm to look at: ik.launch.py."""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description() -> LaunchDescription:
    """Include ik.launch.py, whose other arguments can be given here as well."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "use_joint_state_publisher",
                default_value="true",
                choices=("true", "false"),
                description="Publish joint states, where no robot or simulation does",
            ),
            IncludeLaunchDescription(
                # A path known before the launch: ros2 launch --show-args then lists all arguments.
                PythonLaunchDescriptionSource(str(Path(__file__).with_name("ik.launch.py"))),
                launch_arguments={"robot": "panda"}.items(),
            ),
        ]
    )
