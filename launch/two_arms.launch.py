"""Two arms of one robot: a node generative_ik for each, in the namespaces left and right.

It starts two Pandas on one table; for a robot of your own, copy it and change the two constants
and the description. ik.launch.py starts the nodes, RViz shows both.
"""

from pathlib import Path
from xml.etree import ElementTree

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.launch_description_sources import (
    PythonLaunchDescriptionSource,
    load_python_launch_file_as_module,
)
from launch_ros.actions import Node, SetRemap

from generative_ik_ros.robot.known import known_robot

IK = str(Path(__file__).with_name("ik.launch.py"))
ARMS = {
    "left": {"base_link": "left_panda_link0", "tip_link": "left_panda_hand_tcp"},
    "right": {"base_link": "right_panda_link0", "tip_link": "right_panda_hand_tcp"},
}
"""The chain of each namespace."""
SHARED = (
    "robot_description",
    "robot_description_semantic",
    "monitored_planning_scene",
    "get_planning_scene",
)
"""Topics and services of robot_state_publisher and move_group, which both arms have in common."""
MOUNTS = {"left": "0 0.4 0", "right": "0 -0.4 0"}
"""Positions of the arms on the link world [m]."""
ARGUMENTS = (
    ("use_robot_state_publisher", "Publish the description, and TF"),
    ("use_joint_state_publisher", "Publish joint states, for use without a robot or simulation"),
    ("rviz", "Start RViz with both arms"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the nodes that they ask for."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    name, default_value="true", description=text, choices=["true", "false"]
                )
                for name, text in ARGUMENTS
            ),
            OpaqueFunction(function=_start),
        ]
    )


def _start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes of both arms, and those of other packages, which must be installed."""
    ik = load_python_launch_file_as_module(IK)
    given = context.launch_configurations
    joint_states = {"use_joint_state_publisher": given["use_joint_state_publisher"] == "true"}
    config = str(Path(IK).parents[1] / "rviz" / "two_arms.rviz")
    options = {
        "robot_state_publisher": {"parameters": [{"robot_description": two_pandas()}]},
        "joint_state_publisher": {},
        "rviz2": {"arguments": ["-d", config], "prefix": ik.FITTED, "parameters": [joint_states]},
    }
    nodes = [
        Node(package=name, executable=name, exec_name=name, **options[name])
        for name, switch in ik.SWITCHES.items()
        if given[switch.partition(":=")[0]] == "true"
    ]
    ik.look_up(context, nodes)
    return [*nodes, *map(_arm, ARMS)]


def _arm(namespace: str) -> GroupAction:
    """Return an arm's node, which takes descriptions and scene that both arms share."""
    arguments = {"namespace": namespace, "rviz": "false", **ARMS[namespace]}
    return GroupAction(
        [
            *(SetRemap(name, f"/{name}") for name in SHARED),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(IK), launch_arguments=arguments.items()
            ),
        ]
    )


def two_pandas() -> str:
    """Return the URDF of two Pandas, the names of whose links and joints begin with their side."""
    robot = ElementTree.Element("robot", name="two_arms")
    ElementTree.SubElement(robot, "link", name="world")
    for side, place in MOUNTS.items():
        arm = ElementTree.fromstring(known_robot("panda").urdf.read_text())
        for element in arm.iter():
            if element.tag in ("link", "joint", "parent", "child", "mimic"):
                key = next(key for key in ("name", "link", "joint") if key in element.attrib)
                element.attrib[key] = f"{side}_{element.attrib[key]}"
        # The parsers of ROS and MoveIt refuse a material that is defined twice.
        known = {element.get("name") for element in robot.findall("material")}
        robot.extend(e for e in arm if e.tag != "material" or e.get("name") not in known)
        mount = ElementTree.SubElement(robot, "joint", name=f"{side}_mount", type="fixed")
        ElementTree.SubElement(mount, "parent", link="world")
        ElementTree.SubElement(mount, "child", link=ARMS[side]["base_link"])
        ElementTree.SubElement(mount, "origin", xyz=place)
    return ElementTree.tostring(robot, encoding="unicode")
