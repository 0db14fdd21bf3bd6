"""Start the node generative_ik for any arm, with RViz and publishers of the robot's state.

The robot is one that ships with the package (robot:=panda), a URDF or xacro file
(description_package:=my_robot description_file:=urdf/my_robot.urdf.xacro), or, if neither is
given, the one that another node publishes on the topic robot_description.
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
SHARE = FindPackageShare(PACKAGE)

ARGUMENTS = (
    ("robot", "", "Robot that ships with this package; empty: see description_file"),
    ("description_package", "", "Package of description_file; empty: it is a path of its own"),
    (
        "description_file",
        "",
        "URDF file, or xacro file if its name ends with .xacro; "
        "empty: robot, or the topic robot_description",
    ),
    (
        "description_arguments",
        "",
        "Arguments for xacro, such as 'name:=ur10 safety_limits:=true'",
    ),
    ("base_link", "", "Link that targets are given in; empty: that of robot or params_file"),
    ("tip_link", "", "Tip link; empty: that of robot or params_file"),
    ("sampler", "", "Sampler that proposes the seeds; empty: that of params_file"),
    (
        "params_file",
        PathJoinSubstitution([SHARE, "config", "generative_ik.yaml"]),
        "Parameters of the node",
    ),
    (
        "position_ik_service",
        "~/get_position_ik",
        "Name of the service for MoveIt's messages; MoveIt's own name is solve_ik",
    ),
    ("namespace", "", "Namespace of all nodes"),
    ("use_sim_time", "false", "Use the time from the topic /clock"),
    (
        "use_robot_state_publisher",
        "true",
        "Publish robot or description_file on robot_description, and TF; "
        "false: pass it to the node only",
    ),
    (
        "use_joint_state_publisher",
        "false",
        "Publish joint states, for use without a robot or simulation",
    ),
    ("rviz", "true", "Start RViz with the robot, its solutions and a tool to set targets"),
    ("rviz_config", PathJoinSubstitution([SHARE, "rviz", "ik.rviz"]), "Configuration of RViz"),
)
"""Name, default and description of every launch argument."""

RVIZ_TOPICS = (
    "robot_description",
    "generative_ik/solution_markers",
    "generative_ik/target_pose",
    "generative_ik/target/update",
    "generative_ik/target/feedback",
    "generative_ik/target/get_interactive_markers",
)
"""Names that rviz/ik.rviz gives as absolute ones and that have to follow the namespace."""


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the nodes that they ask for."""
    choices = {"robot": ["", *robot_names()]}
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    name,
                    default_value=default,
                    description=description,
                    choices=choices.get(name, BOOLEAN if default in BOOLEAN else None),
                )
                for name, default, description in ARGUMENTS
            ),
            OpaqueFunction(function=_nodes),
        ]
    )


def _nodes(context: LaunchContext) -> list[Node]:
    """Return the nodes that the arguments in `context` ask for."""

    def text(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    def is_true(name: str) -> bool:
        return IfCondition(LaunchConfiguration(name)).evaluate(context)

    if text("robot") and text("description_file"):
        raise RuntimeError("give robot or description_file, not both")

    common: dict[str, object] = {"use_sim_time": is_true("use_sim_time")}
    description = _description(text)
    publish = description is not None and is_true("use_robot_state_publisher")
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
        described = {**common, "robot_description": description}
        nodes.append(_publisher("robot_state_publisher", text("namespace"), described, "screen"))
        if is_true("use_joint_state_publisher"):
            nodes.append(_publisher("joint_state_publisher", text("namespace"), common, "log"))
    if is_true("rviz"):
        nodes.append(_rviz(text, chosen.get("base_link", ""), common))
    return nodes


def _publisher(name: str, namespace: str, parameters: dict[str, object], output: str) -> Node:
    """Return a publisher node whose package and executable have the same name."""
    return Node(
        package=name,
        executable=name,
        namespace=namespace,
        parameters=[parameters],
        output=output,
    )


def _rviz(text: Callable[[str], str], fixed_frame: str, parameters: dict[str, object]) -> Node:
    """Return RViz with a fixed frame; "": that of its configuration."""
    return Node(
        package="rviz2",
        executable="rviz2",
        namespace=text("namespace"),
        arguments=["-d", text("rviz_config"), *(["-f", fixed_frame] if fixed_frame else [])],
        parameters=[parameters],
        remappings=[(f"/{name}", name) for name in RVIZ_TOPICS],
    )


def _description(text: Callable[[str], str]) -> ParameterValue | None:
    """Return the URDF of the robot selected by the arguments; None if there is none."""
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
