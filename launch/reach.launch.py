"""What an arm reaches, in RViz: a stored reachability map, or one that is computed first.

ik.launch.py starts the nodes and takes its other arguments.
"""

import os
import sys
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.launch_description_sources import PythonLaunchDescriptionSource

from generative_ik_ros.robot.known import robot_names

IK = str(Path(__file__).with_name("ik.launch.py"))
RVIZ = str(Path(IK).parents[1] / "rviz" / "reach.rviz")


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; compute the map if there is none, then start the nodes."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "robot",
                default_value="panda",
                description="Robot that ships with this package",
                choices=list(robot_names()),
            ),
            DeclareLaunchArgument(
                "map",
                default_value="",
                description="Stored map of the robot, see generative-ik reach --save. Empty: one "
                "of the resolution, which is computed the first time and kept in ROS_HOME",
            ),
            DeclareLaunchArgument(
                "resolution",
                default_value="0.1",
                description="Edge of a voxel of a map that is computed [m]",
            ),
            OpaqueFunction(function=_start),
        ]
    )


def _start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes, or what computes the map for them."""
    given = context.launch_configurations
    robot, map, resolution = given["robot"], given["map"], given["resolution"]
    if map:
        if not Path(map).exists():
            raise RuntimeError(f"map: there is no {map}; nothing was started")
        return [_nodes(robot, map)]
    home = Path(os.environ.get("ROS_HOME") or Path.home() / ".ros")
    file = home / "generative_ik" / f"reach_{robot}_{float(resolution):g}.npz"
    if file.exists():
        return [_nodes(robot, str(file))]
    file.parent.mkdir(parents=True, exist_ok=True)
    words = ["--robot", robot, "--resolution", resolution, "--save", str(file)]
    compute = ExecuteProcess(
        cmd=[sys.executable, "-m", "generative_ik_ros", "reach", *words], output="screen"
    )

    def go_on(ended: ProcessExited, _: LaunchContext) -> list[LaunchDescriptionEntity]:
        if file.exists():
            return [_nodes(robot, str(file))]
        return [Shutdown(reason=f"the map was not computed (exit code {ended.returncode})")]

    return [
        RegisterEventHandler(OnProcessExit(target_action=compute, on_exit=go_on)),
        LogInfo(msg=f"computing {file}, which takes a minute or two"),
        compute,
    ]


def _nodes(robot: str, map: str) -> IncludeLaunchDescription:
    """Return ik.launch.py for a robot and its map."""
    arguments = {
        "robot": robot,
        "reachability_map": map,
        "rviz_config": RVIZ,
        "use_joint_state_publisher": "true",
    }
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(IK), launch_arguments=arguments.items()
    )
