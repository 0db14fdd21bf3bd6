"""Start the node generative_ik for any arm, with what it takes to see the arm and its solutions.

The robot is one that ships with the package (robot:=panda), a URDF or xacro file
(description_package:=my_robot description_file:=urdf/my_robot.urdf.xacro), or, where neither is
given, the one that somebody else publishes on the topic robot_description.
"""

from collections.abc import Callable
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import (
    Command,
    FindExecutable,
    LaunchConfiguration,
    PathJoinSubstitution,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from generative_ik_ros.robot.known import load_robot, robot_names, robot_urdf_path

PACKAGE = "generative_ik_ros"
BOOLEAN = ("true", "false")


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; what they ask for is put together once their values are known."""
    share = FindPackageShare(PACKAGE)
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "robot",
                default_value="",
                choices=["", *robot_names()],
                description="Robot that ships with this package; empty: see description_file",
            ),
            DeclareLaunchArgument(
                "description_package",
                default_value="",
                description="Package that description_file is in; empty: it is a path of its own",
            ),
            DeclareLaunchArgument(
                "description_file",
                default_value="",
                description="URDF file, or xacro file if its name ends with .xacro; "
                "empty: robot, or else the topic robot_description",
            ),
            DeclareLaunchArgument(
                "description_arguments",
                default_value="",
                description="Arguments for xacro, as 'name:=ur10 safety_limits:=true'",
            ),
            DeclareLaunchArgument(
                "base_link",
                default_value="",
                description="Link in which targets are given; empty: that of robot or params_file",
            ),
            DeclareLaunchArgument(
                "tip_link",
                default_value="",
                description="Link to bring to the target; empty: that of robot or params_file",
            ),
            DeclareLaunchArgument(
                "sampler",
                default_value="",
                description="Where seeds come from; empty: that of params_file",
            ),
            DeclareLaunchArgument(
                "params_file",
                default_value=PathJoinSubstitution([share, "config", "generative_ik.yaml"]),
                description="Parameters of the node",
            ),
            DeclareLaunchArgument(
                "position_ik_service",
                default_value="~/get_position_ik",
                description="Name of the service for MoveIt's messages; solve_ik is MoveIt's own",
            ),
            DeclareLaunchArgument(
                "namespace", default_value="", description="Namespace of all the nodes"
            ),
            DeclareLaunchArgument(
                "use_sim_time",
                default_value="false",
                choices=BOOLEAN,
                description="Take the time from the topic /clock",
            ),
            DeclareLaunchArgument(
                "use_robot_state_publisher",
                default_value="true",
                choices=BOOLEAN,
                description="Publish robot and description_file on robot_description, and on TF; "
                "false: hand them to the node alone",
            ),
            DeclareLaunchArgument(
                "use_joint_state_publisher",
                default_value="false",
                choices=BOOLEAN,
                description="Publish joint states, where no robot or simulation does",
            ),
            DeclareLaunchArgument(
                "rviz",
                default_value="true",
                choices=BOOLEAN,
                description="Start RViz with the robot, its solutions and a tool to set targets",
            ),
            DeclareLaunchArgument(
                "rviz_config",
                default_value=PathJoinSubstitution([share, "rviz", "ik.rviz"]),
                description="Configuration of RViz",
            ),
            OpaqueFunction(function=_nodes),
        ]
    )


def _nodes(context: LaunchContext) -> list[Node]:
    """Return the nodes that the arguments in `context` ask for."""

    def text(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    def asked(name: str) -> bool:
        return IfCondition(LaunchConfiguration(name)).evaluate(context)

    if text("robot") and text("description_file"):
        raise RuntimeError("give robot or description_file, not both")

    common: dict[str, object] = {"use_sim_time": asked("use_sim_time")}
    description = _description(text)
    publish = description is not None and asked("use_robot_state_publisher")
    chosen = {name: text(name) for name in ("base_link", "tip_link", "sampler") if text(name)}
    if text("robot"):
        chain = load_robot(text("robot"))
        chosen = {"base_link": chain.base_link, "tip_link": chain.tip_link, **chosen}

    parameters: dict[str, object] = {**common, **chosen}
    if description is not None and not publish:
        parameters["robot_description"] = description
    nodes = [
        Node(
            package=PACKAGE,
            executable="generative_ik_node",
            name="generative_ik",
            namespace=text("namespace"),
            parameters=[text("params_file"), parameters],
            remappings=[("~/get_position_ik", text("position_ik_service"))],
            output="screen",
        )
    ]
    if publish:
        nodes.append(
            Node(
                package="robot_state_publisher",
                executable="robot_state_publisher",
                namespace=text("namespace"),
                parameters=[{**common, "robot_description": description}],
                output="screen",
            )
        )
        if asked("use_joint_state_publisher"):
            nodes.append(
                Node(
                    package="joint_state_publisher",
                    executable="joint_state_publisher",
                    namespace=text("namespace"),
                    parameters=[common],
                )
            )
    if asked("rviz"):
        base_link = chosen.get("base_link")
        nodes.append(
            Node(
                package="rviz2",
                executable="rviz2",
                namespace=text("namespace"),
                arguments=[
                    "-d",
                    text("rviz_config"),
                    *(["-f", base_link] if base_link else []),
                ],
                parameters=[common],
                # The configuration has absolute names; these follow the namespace.
                remappings=[
                    (f"/{name}", name)
                    for name in (
                        "robot_description",
                        "generative_ik/solution_markers",
                        "generative_ik/target_pose",
                        "generative_ik/target/update",
                        "generative_ik/target/feedback",
                        "generative_ik/target/get_interactive_markers",
                    )
                ],
            )
        )
    return nodes


def _description(text: Callable[[str], str]) -> ParameterValue | None:
    """Return the robot that the arguments name as URDF, None where they name none."""
    if text("robot"):
        return ParameterValue(robot_urdf_path(text("robot")).read_text(), value_type=str)
    if not text("description_file"):
        return None
    path = Path(text("description_file"))
    if text("description_package"):
        path = Path(get_package_share_directory(text("description_package")), path)
    if path.suffix != ".xacro":
        return ParameterValue(path.read_text(), value_type=str)
    xacro = [FindExecutable(name="xacro"), f" '{path}' ", text("description_arguments")]
    return ParameterValue(Command(xacro), value_type=str)
