"""Start the node generative_ik for any arm, with RViz and publishers of the robot's state.

The robot is one that ships with the package (robot:=panda), a URDF or xacro file
(description_package:=my_robot description_file:=urdf/my_robot.urdf.xacro), or, if neither is
given, the one that another node publishes on the topic robot_description.

Whatever is needed is looked up first: nothing is started if anything is missing.
"""

import shlex
import shutil
import sys
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.substitutions import Command, PathJoinSubstitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

from generative_ik_ros.robot.known import known_robot, robot_names
from generative_ik_ros.samplers.registry import sampler_names

PACKAGE = "generative_ik_ros"
SERVO_PACKAGE = "generative_ik_servo"
BOOLEAN = ["true", "false"]
SHARE = FindPackageShare(PACKAGE)

ARGUMENTS = {
    "robot": "Robot that ships with this package; empty: see description_file",
    "description_package": "Package of description_file; empty: it is a path of its own",
    "description_file": (
        "URDF file, or xacro file if its name ends with .xacro; empty: robot, or the topic "
        "robot_description"
    ),
    "description_arguments": "Arguments for xacro, such as 'name:=ur10 safety_limits:=true'",
    "base_link": "Link that targets are given in; empty: that of robot or params_file",
    "tip_link": "Tip link; empty: that of robot or params_file",
    "target_tips": (
        "Tip links with a target each to drag in RViz, separated by spaces; empty: those of "
        "params_file, or tip_link"
    ),
    "sampler": "Sampler that proposes the seeds; empty: that of params_file",
    "avoid_collisions": "true: all requests avoid collisions; empty: as params_file says",
    "scene_file": (
        "YAML file with obstacles, a MoveIt planning scene or a world of cuRobo; empty: that of "
        "params_file"
    ),
    "collision_padding": (
        "Smallest accepted distance from obstacles [m]; empty: that of params_file"
    ),
    "mesh_dirs": (
        "Folders of the packages of collision meshes, separated by colons, before those of the "
        "ROS environment; empty: those of params_file"
    ),
    "point_cloud_topic": (
        "Topic of a point cloud of obstacles, without the robot; empty: that of params_file"
    ),
    "reachability_map": (
        "Stored reachability map, which reach.launch.py shows in RViz; poses that it proves to "
        "be out of reach are not searched for. Empty: that of params_file"
    ),
    "servo": "true: the arm follows ~/servo_target and ~/servo_twist; empty: as params_file says",
    "servo_handle": (
        "true: the arm follows the target that is dragged in RViz, too; empty: as params_file says"
    ),
    "servo_node": (
        "cpp: with servo:=true the arm is commanded by a node of its own in C++, of the package "
        "generative_ik_servo; its topics have the same names"
    ),
    "servo_commands": (
        "Topic of joint positions (std_msgs/Float64MultiArray), such as "
        "/forward_position_controller/commands"
    ),
    "servo_trajectory": (
        "Topic of joint trajectories, such as /joint_trajectory_controller/joint_trajectory"
    ),
    "fastdds_transports": (
        "Transports of Fast DDS: UDPv4, DEFAULT and others; with shared memory, a client that "
        "is killed can block the replies to all others. Empty: those of params_file"
    ),
    "params_file": "Parameters of the node",
    "position_ik_service": (
        "Name of the service for MoveIt's messages; MoveIt's own name is solve_ik"
    ),
    "namespace": "Namespace of all nodes",
    "use_sim_time": "Use the time from the topic /clock",
    "use_robot_state_publisher": (
        "Publish robot or description_file on robot_description, and TF; false: pass it to the "
        "node only"
    ),
    "use_joint_state_publisher": "Publish joint states, for use without a robot or simulation",
    "compare_samplers": (
        "Print a table of what learned samplers propose for a pose of robot, beside auto"
    ),
    "rviz": "Start RViz with the robot, its solutions and a tool to set targets",
    "rviz_config": "Configuration of RViz",
}
"""What every launch argument is."""
DEFAULTS = {
    "servo_node": "python",
    "servo_commands": "~/servo_commands",
    "servo_trajectory": "~/servo_trajectory",
    "params_file": PathJoinSubstitution([SHARE, "config", "generative_ik.yaml"]),
    "position_ik_service": "~/get_position_ik",
    "use_sim_time": "false",
    "use_robot_state_publisher": "true",
    "use_joint_state_publisher": "false",
    "compare_samplers": "false",
    "rviz": "true",
    "rviz_config": PathJoinSubstitution([SHARE, "rviz", "ik.rviz"]),
}
"""Those of arguments; of all others: empty."""

CHOSEN = (
    *("base_link", "tip_link", "target_tips", "sampler", "scene_file", "mesh_dirs"),
    *("point_cloud_topic", "reachability_map", "fastdds_transports"),
)
"""Arguments that override parameters of the same names, if they are not empty."""
CONVERTED = {
    **dict.fromkeys(("avoid_collisions", "servo", "servo_handle"), lambda text: text == "true"),
    "collision_padding": float,
}
"""Likewise, with what makes a parameter of their text."""

ROBOT_ARGUMENTS = tuple(ARGUMENTS)[:4]
"""The arguments that choose the robot."""

RVIZ_TOPICS = (
    "robot_description",
    "generative_ik/solution_markers",
    "generative_ik/scene_markers",
    "generative_ik/path_markers",
    "generative_ik/reachability",
    "generative_ik/reachability_markers",
    "generative_ik/target/update",
    "generative_ik/target/feedback",
    "generative_ik/target/get_interactive_markers",
)
"""Names that rviz/ik.rviz gives as absolute ones and that have to follow the namespace."""

FITTED = f"{shlex.quote(sys.executable)} -m generative_ik_ros.ros.rviz"
"""Before RViz's command line: fits the configuration to the robot first."""

TABLE_WIDTH = 110
"""Of the table of samplers, which is 80 characters wide where a process has no terminal."""

SWITCHES = {
    "rviz2": "rviz:=false",
    "robot_state_publisher": "use_robot_state_publisher:=false",
    "joint_state_publisher": "use_joint_state_publisher:=false",
}
"""What leaves out the nodes of other packages."""


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the nodes that they ask for."""
    return describe()


def describe(robot: str = "", **defaults: str) -> LaunchDescription:
    """Return the description for a robot that ships with the package.

    Args:
        robot: Its name; empty: the arguments choose the robot.
        **defaults: Other defaults of arguments.
    """
    choices = {
        "robot": ["", *robot_names()],
        "sampler": ["", "auto", *sampler_names()],
        "servo_node": ["python", "cpp"],
        **dict.fromkeys(("avoid_collisions", "servo", "servo_handle"), ["", *BOOLEAN]),
    }
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    name,
                    default_value=(DEFAULTS | defaults).get(name, ""),
                    description=description,
                    choices=choices.get(name, BOOLEAN if DEFAULTS.get(name) in BOOLEAN else None),
                )
                for name, description in ARGUMENTS.items()
                if not (robot and name in ROBOT_ARGUMENTS)
            ),
            OpaqueFunction(function=_nodes, args=[robot]),
        ]
    )


def _nodes(context: LaunchContext, robot: str) -> list[ExecuteProcess]:
    """Return what the arguments in `context` ask for; all nodes are installed."""
    given = context.launch_configurations
    if robot:
        for name in ROBOT_ARGUMENTS:
            if given.get(name, "") not in ("", robot):
                raise RuntimeError(
                    f"{name}:={given[name]} is for ik.launch.py; "
                    f"this launch file starts {robot}, no other robot"
                )
        given = {**given, **dict.fromkeys(ROBOT_ARGUMENTS, ""), "robot": robot}
    if given["robot"] and given["description_file"]:
        raise RuntimeError("give robot or description_file, not both")

    description = _description(context, given)
    publish = description is not None and given["use_robot_state_publisher"] == "true"
    joint_states = publish and given["use_joint_state_publisher"] == "true"
    common: dict[str, object] = {"use_sim_time": given["use_sim_time"] == "true"}
    described = {"robot_description": ParameterValue(description or "", value_type=str)}
    chosen: dict[str, object] = {key: given[key] for key in CHOSEN if given[key]}
    chosen |= {key: kind(given[key]) for key, kind in CONVERTED.items() if given[key]}
    if given["robot"]:
        known = known_robot(given["robot"])
        chosen = {"base_link": known.base_link, "tip_link": known.tip_link, **chosen}
    parameters: dict[str, object] = {**common, **chosen}
    if description is not None and not publish:
        parameters |= described
    cpp = given["servo_node"] == "cpp"
    nodes = [_server(given, {**parameters, "servo": False} if cpp else parameters)]
    if cpp:
        nodes.append(_servo(given, parameters))
    if publish:
        nodes.append(_publisher("robot_state_publisher", given, {**common, **described}, "screen"))
    if joint_states:
        nodes.append(_publisher("joint_state_publisher", given, common, "log"))
    if given["rviz"] == "true":
        nodes.append(_rviz(given, {**parameters, "use_joint_state_publisher": joint_states}))
    look_up(context, nodes)
    for name in ("params_file", "rviz_config") if given["rviz"] == "true" else ("params_file",):
        if not Path(given[name]).exists():
            raise RuntimeError(f"{name}: there is no file {given[name]}; nothing was started")
    if given["compare_samplers"] == "false":
        return nodes
    if not given["robot"]:
        raise RuntimeError("compare_samplers:=true needs robot; nothing was started")
    return [*nodes, _samplers(given["robot"])]


def _server(given: dict[str, str], parameters: dict[str, object]) -> Node:
    """Return the node of this package."""
    return Node(
        package=PACKAGE,
        executable="generative_ik_node",
        name="generative_ik",
        namespace=given["namespace"],
        parameters=[given["params_file"], parameters],
        remappings=[
            ("~/get_position_ik", given["position_ik_service"]),
            ("~/servo_commands", given["servo_commands"]),
            ("~/servo_trajectory", given["servo_trajectory"]),
        ],
        output="screen",
    )


def _servo(given: dict[str, str], parameters: dict[str, object]) -> Node:
    """Return the servo in C++, at the topics that the other node would have."""
    if given["servo"] != "true":
        raise RuntimeError("servo_node:=cpp needs servo:=true; nothing was started")
    if given["servo_handle"] == "true":
        raise RuntimeError("servo_handle:=true needs servo_node:=python; nothing was started")
    topics = {name: given[name] for name in ("servo_commands", "servo_trajectory")}
    return Node(
        package=SERVO_PACKAGE,
        executable="servo_node",
        name=SERVO_PACKAGE,
        namespace=given["namespace"],
        parameters=[given["params_file"], parameters],
        remappings=[
            *((f"~/{name}", f"generative_ik/{name}") for name in ("servo_target", "servo_twist")),
            *(
                (f"~/{name}", topic.replace("~", "generative_ik", 1))
                for name, topic in topics.items()
            ),
        ],
        output="screen",
    )


def _samplers(robot: str) -> ExecuteProcess:
    """Return a process that compares samplers, beside the node's start rather than before it."""
    return ExecuteProcess(
        cmd=[sys.executable, "-m", PACKAGE, "samplers", "--robot", robot],
        name="samplers",
        prefix="nice",
        additional_env={"COLUMNS": str(TABLE_WIDTH)},
        output="screen",
    )


def _publisher(
    name: str, given: dict[str, str], parameters: dict[str, object], output: str
) -> Node:
    """Return a publisher node whose package and executable have the same name."""
    return Node(
        package=name,
        executable=name,
        namespace=given["namespace"],
        parameters=[parameters],
        output=output,
    )


def _rviz(given: dict[str, str], parameters: dict[str, object]) -> Node:
    """Return RViz; a configuration of the package is fitted to the robot first."""
    ours = Path(given["rviz_config"]).parent == Path(get_package_share_directory(PACKAGE), "rviz")
    return Node(
        package="rviz2",
        executable="rviz2",
        exec_name="rviz2",
        namespace=given["namespace"],
        prefix=FITTED if ours else None,
        arguments=["-d", given["rviz_config"]],
        parameters=[given["params_file"], parameters],
        remappings=[(f"/{name}", name) for name in RVIZ_TOPICS],
    )


def look_up(context: LaunchContext, nodes: list[Node]) -> None:
    """Raise an error that names all packages that are missing, and how to do without them."""
    missing = []
    for node in nodes:
        package, executable = str(node.node_package), str(node.node_executable)
        try:
            ExecutableInPackage(executable=executable, package=package).perform(context)
        except (PackageNotFoundError, SubstitutionFailure):
            switch = {SERVO_PACKAGE: "servo_node:=python", **SWITCHES}.get(package)
            missing.append(f"{package} ({switch} leaves it out)" if switch else package)
    if missing:
        raise RuntimeError(f"not installed: {', '.join(missing)}; nothing was started")


def _description(context: LaunchContext, given: dict[str, str]) -> str | None:
    """Return the URDF of the robot selected by the arguments; None if there is none."""
    if given["robot"]:
        return known_robot(given["robot"]).urdf.read_text()
    if not given["description_file"]:
        return None
    path = Path(given["description_file"])
    if given["description_package"]:
        path = Path(get_package_share_directory(given["description_package"]), path)
    if not path.is_file():
        raise RuntimeError(f"description_file: there is no file {path}; nothing was started")
    if path.suffix != ".xacro":
        return path.read_text()
    if shutil.which("xacro") is None:
        raise RuntimeError(f"xacro is not installed, and {path} needs it; nothing was started")
    return Command(["xacro ", f"'{path}' ", given["description_arguments"]]).perform(context)
