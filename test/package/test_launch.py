"""The nodes that the launch files start, and the topics that RViz shows."""

import ast
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
LAUNCH_FILES = sorted((CHECKOUT / "launch").glob("*.launch.py"))


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_every_argument_is_described(path: Path):
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "DeclareLaunchArgument"
    ]
    assert calls
    for call in calls:
        assert {"description", "default_value"} <= {keyword.arg for keyword in call.keywords}


def test_every_argument_of_the_table_is_described():
    tree = ast.parse((CHECKOUT / "launch" / "ik.launch.py").read_text())
    (table,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ARGUMENTS"
    ]
    for name, _, description in (row.elts for row in table.elts):
        assert name.value.isidentifier() and len(description.value) > 10


def test_rviz_shows_the_node():
    config = yaml.safe_load((CHECKOUT / "rviz" / "ik.rviz").read_text())["Visualization Manager"]
    displays = {display["Class"].split("/")[1]: display for display in config["Displays"]}
    assert displays["RobotModel"]["Description Topic"]["Value"] == "/robot_description"
    assert displays["MarkerArray"]["Topic"]["Value"] == "/generative_ik/solution_markers"
    target = displays["InteractiveMarkers"]
    assert target["Enabled"]
    assert target["Interactive Markers Namespace"] == "/generative_ik/target"
    assert {"Grid", "TF"} <= set(displays)
    (goal,) = (tool for tool in config["Tools"] if tool["Class"].endswith("/SetGoal"))
    assert goal["Topic"]["Value"] == "/generative_ik/target_pose"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("launch_file", CHECKOUT / "launch" / name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def started() -> Callable[..., dict[str, dict]]:
    """Return the parameters, arguments and namespace of each executable of ik.launch.py."""
    # The folder launch/ of the checkout is importable as an empty package, hence the submodule.
    pytest.importorskip("launch.actions", reason="launch is not installed")
    pytest.importorskip("launch_ros.actions", reason="launch_ros is not installed")
    from launch import LaunchContext
    from launch.actions import DeclareLaunchArgument, OpaqueFunction
    from launch.substitutions import TextSubstitution
    from launch_ros.utilities import evaluate_parameters, normalize_parameters

    def start(**arguments: str) -> dict[str, dict]:
        context = LaunchContext()
        context.launch_configurations.update(arguments)
        nodes = []
        for entity in load("ik.launch.py").generate_launch_description().entities:
            if isinstance(entity, DeclareLaunchArgument):
                if entity.name == "params_file":
                    context.launch_configurations["params_file"] = os.devnull
                elif entity.name == "rviz_config":
                    context.launch_configurations["rviz_config"] = "ik.rviz"
                entity.visit(context)
            elif isinstance(entity, OpaqueFunction):
                nodes = entity.execute(context)
        result = {}
        for node in nodes:
            # The other arguments are known only once the node runs.
            words = [word[0] for word in node.cmd[1:] if isinstance(word[0], TextSubstitution)]
            parameters: dict = {}
            # The name of this attribute of launch_ros differs between releases.
            given = vars(node)["_Node__parameters"]
            for part in evaluate_parameters(context, normalize_parameters(given)):
                parameters.update(part if isinstance(part, dict) else {})
            result[node.node_executable] = {
                "command": [word.text for word in words],
                "parameters": parameters,
                "namespace": vars(node)["_Node__node_namespace"],
            }
        return result

    return start


def test_the_defaults_start_the_node_and_rviz(started: Callable[..., dict[str, dict]]):
    nodes = started()
    assert set(nodes) == {"generative_ik_node", "rviz2"}
    assert "robot_description" not in nodes["generative_ik_node"]["parameters"]


def test_a_robot_is_published(started: Callable[..., dict[str, dict]]):
    nodes = started(robot="panda", use_joint_state_publisher="true", namespace="left")
    assert set(nodes) == {
        "generative_ik_node",
        "robot_state_publisher",
        "joint_state_publisher",
        "rviz2",
    }
    assert {node["namespace"] for node in nodes.values()} == {"left"}
    node = nodes["generative_ik_node"]["parameters"]
    assert (node["base_link"], node["tip_link"]) == ("panda_link0", "panda_hand_tcp")
    assert "robot_description" not in node
    published = nodes["robot_state_publisher"]["parameters"]["robot_description"]
    assert "panda_link0" in published
    assert nodes["rviz2"]["command"][:4] == ["-d", "ik.rviz", "-f", "panda_link0"]


def test_a_robot_is_passed_to_the_node_only(started: Callable[..., dict[str, dict]]):
    nodes = started(robot="ur10", use_robot_state_publisher="false", rviz="false")
    assert set(nodes) == {"generative_ik_node"}
    assert "<robot" in nodes["generative_ik_node"]["parameters"]["robot_description"]


def test_a_description_file(started: Callable[..., dict[str, dict]], tmp_path: Path):
    path = tmp_path / "arm.urdf"
    path.write_text("<robot name='mine'/>")
    nodes = started(
        description_file=str(path), base_link="a", tip_link="b", sampler="uniform", rviz="false"
    )
    assert set(nodes) == {"generative_ik_node", "robot_state_publisher"}
    node = nodes["generative_ik_node"]["parameters"]
    assert (node["base_link"], node["tip_link"], node["sampler"]) == ("a", "b", "uniform")
    assert nodes["robot_state_publisher"]["parameters"]["robot_description"] == path.read_text()


def test_robot_and_description_file_exclude_each_other(started: Callable[..., dict[str, dict]]):
    with pytest.raises(RuntimeError, match="not both"):
        started(robot="panda", description_file="arm.urdf")


def test_panda_includes_ik(started: Callable[..., dict[str, dict]]):
    description = load("panda.launch.py").generate_launch_description()
    names = {argument.name for argument in description.get_launch_arguments()}
    assert {"rviz", "use_robot_state_publisher", "params_file", "robot"} <= names
