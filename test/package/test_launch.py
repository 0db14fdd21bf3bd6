"""The nodes that the launch files start, and the topics that RViz shows."""

import ast
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from scripts_as_modules import load

from generative_ik_ros import KinematicChain
from generative_ik_ros.robot.known import known_robot

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
    assert calls or path.name == "panda.launch.py"  # it has those of ik.launch.py
    for call in calls:
        assert {"description", "default_value"} <= {keyword.arg for keyword in call.keywords}


def test_the_description_of_two_arms_defines_every_name_once():
    """The parsers of ROS and MoveIt refuse one that does not."""
    tree = ast.parse((CHECKOUT / "launch" / "two_arms.launch.py").read_text())
    # The function alone: launch is not installed everywhere.
    names = {"two_pandas", "ARMS", "MOUNTS"}
    tree.body = [
        node
        for node in tree.body
        if getattr(node, "name", None) in names
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in names)
    ]
    scope = {"ElementTree": ElementTree, "known_robot": known_robot}
    exec(compile(tree, "two_arms.launch.py", "exec"), scope)
    urdf = scope["two_pandas"]()
    defined = [(part.tag, part.get("name")) for part in ElementTree.fromstring(urdf)]
    assert len(defined) == len(set(defined))
    for arm in scope["ARMS"].values():
        assert KinematicChain.from_urdf(urdf, **arm).num_joints == 7


def test_rviz_shows_the_node():
    config = yaml.safe_load((CHECKOUT / "rviz" / "ik.rviz").read_text())["Visualization Manager"]
    displays = {display["Class"].split("/")[1]: display for display in config["Displays"]}
    assert displays["RobotModel"]["Description Topic"]["Value"] == "/robot_description"
    assert displays["MarkerArray"]["Topic"]["Value"] == "/generative_ik/solution_markers"
    target = displays["InteractiveMarkers"]
    assert target["Enabled"]
    assert target["Interactive Markers Namespace"] == "/generative_ik/target"
    assert {"Grid", "TF"} <= set(displays)


def test_rviz_shows_both_arms():
    config = yaml.safe_load((CHECKOUT / "rviz" / "two_arms.rviz").read_text())
    manager = config["Visualization Manager"]
    topics = {
        display["Topic"]["Value"] for display in manager["Displays"] if "Topic" in display
    } | {
        display["Interactive Markers Namespace"]
        for display in manager["Displays"]
        if display["Class"].endswith("/InteractiveMarkers")
    }
    assert topics == {
        f"/{side}/generative_ik/{name}"
        for side in ("left", "right")
        for name in ("scene_markers", "path_markers", "solution_markers", "target")
    }
    assert manager["Global Options"]["Fixed Frame"] == "world"


def test_rviz_shows_the_reachability_map():
    config = yaml.safe_load((CHECKOUT / "rviz" / "reach.rviz").read_text())
    shown = {
        display["Topic"]["Value"]: display
        for display in config["Visualization Manager"]["Displays"]
        if "Topic" in display
    }
    for name in ("reachability", "reachability_markers"):
        topic = shown[f"/generative_ik/{name}"]["Topic"]
        assert topic["Durability Policy"] == "Transient Local"
    assert shown["/generative_ik/reachability_markers"]["Enabled"]


@pytest.fixture(scope="module")
def prefixes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The checkout as an installed package, and stand-ins of the packages that it starts."""
    # The folder launch/ of the checkout is importable as an empty package, hence the submodule.
    pytest.importorskip("launch.actions", reason="launch is not installed")
    pytest.importorskip("launch_ros.actions", reason="launch_ros is not installed")
    pytest.importorskip("ros2launch.api", reason="ros2launch is not installed")
    from launched import install, install_stand_ins

    folder = tmp_path_factory.mktemp("install")
    return [install(folder / "ours"), install_stand_ins(folder / "others")]


@pytest.fixture
def started(
    prefixes: list[Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, dict]]:
    """Return the parameters, arguments and namespace of each executable of ik.launch.py."""
    monkeypatch.setenv("AMENT_PREFIX_PATH", os.pathsep.join(map(str, prefixes)))
    from launch import LaunchContext
    from launch.actions import DeclareLaunchArgument, OpaqueFunction
    from launch.substitutions import TextSubstitution
    from launch.utilities import perform_substitutions
    from launch_ros.utilities import evaluate_parameters, normalize_parameters

    def start(**arguments: str) -> dict[str, dict]:
        context = LaunchContext()
        context.launch_configurations.update(arguments)
        nodes = []
        for entity in (
            load(CHECKOUT / "launch" / "ik.launch.py").generate_launch_description().entities
        ):
            if isinstance(entity, DeclareLaunchArgument):
                if entity.name == "params_file":
                    context.launch_configurations["params_file"] = os.devnull
                entity.visit(context)
            elif isinstance(entity, OpaqueFunction):
                nodes = entity.execute(context)
        result = {}
        for node in nodes:
            # The other arguments are known only once the node runs.
            words = [word[0] for word in node.cmd[1:] if isinstance(word[0], TextSubstitution)]
            prefix = node.process_description.prefix
            parameters: dict = {}
            # The name of this attribute of launch_ros differs between releases.
            given = vars(node)["_Node__parameters"]
            for part in evaluate_parameters(context, normalize_parameters(given)):
                parameters.update(part if isinstance(part, dict) else {})
            result[node.node_executable] = {
                "command": [word.text for word in words],
                "prefix": perform_substitutions(context, prefix),
                "parameters": parameters,
                "namespace": vars(node)["_Node__node_namespace"],
                "remappings": {
                    perform_substitutions(context, old): perform_substitutions(context, new)
                    for old, new in vars(node)["_Node__remappings"]
                },
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
    assert nodes["rviz2"]["command"][0] == "-d"
    # A configuration of the package is fitted to the robot, which comes by topic.
    assert "generative_ik_ros.ros.rviz" in nodes["rviz2"]["prefix"]
    assert nodes["rviz2"]["parameters"]["use_joint_state_publisher"]
    assert "robot_description" not in nodes["rviz2"]["parameters"]


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


def test_the_servo_is_switched_by_arguments(started: Callable[..., dict[str, dict]]):
    def servo(**arguments: str) -> list[object]:
        nodes = started(robot="panda", rviz="false", **arguments)
        parameters = nodes["generative_ik_node"]["parameters"]
        return [parameters.get(name) for name in ("servo", "servo_handle")]

    assert servo() == [None, None]
    assert servo(servo="true", servo_handle="false") == [True, False]


def test_the_servo_may_be_the_node_in_cpp(
    started: Callable[..., dict[str, dict]], prefixes: list[Path]
):
    from launched import install_package

    with pytest.raises(RuntimeError, match="generative_ik_servo .servo_node:=python leaves it"):
        started(robot="panda", rviz="false", servo="true", servo_node="cpp")
    share = install_package(prefixes[1], "generative_ik_servo")
    program = share.parents[1] / "lib" / share.name / "servo_node"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    nodes = started(robot="panda", rviz="false", servo="true", servo_node="cpp", namespace="left")
    assert set(nodes) == {"generative_ik_node", "servo_node", "robot_state_publisher"}
    assert nodes["generative_ik_node"]["parameters"]["servo"] is False
    servo = nodes["servo_node"]
    assert servo["parameters"]["servo"] is True and servo["namespace"] == "left"
    assert servo["parameters"]["tip_link"] == "panda_hand_tcp"
    assert servo["remappings"] == {
        "~/servo_target": "generative_ik/servo_target",
        "~/servo_twist": "generative_ik/servo_twist",
        "~/servo_commands": "generative_ik/servo_commands",
        "~/servo_trajectory": "generative_ik/servo_trajectory",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "servo_node:=cpp needs servo:=true"),
        ({"servo": "true", "servo_handle": "true"}, "needs servo_node:=python"),
    ],
)
def test_the_node_in_cpp_is_only_a_servo(
    started: Callable[..., dict[str, dict]], arguments: dict[str, str], said: str
):
    with pytest.raises(RuntimeError, match=said):
        started(robot="panda", rviz="false", servo_node="cpp", **arguments)


def test_a_configuration_of_ones_own_is_opened_as_it_is(
    started: Callable[..., dict[str, dict]], tmp_path: Path
):
    (tmp_path / "mine.rviz").touch()
    nodes = started(robot="panda", rviz_config=str(tmp_path / "mine.rviz"))
    assert nodes["rviz2"]["command"][:2] == ["-d", str(tmp_path / "mine.rviz")]
    assert nodes["rviz2"]["prefix"] == ""


def test_panda_has_the_arguments_of_ik_but_for_the_robot(prefixes: list[Path]):
    def names(file: str) -> set[str]:
        description = load(CHECKOUT / "launch" / file).generate_launch_description()
        return {argument.name for argument in description.get_launch_arguments()}

    assert names("ik.launch.py") - names("panda.launch.py") == {
        "robot",
        "description_package",
        "description_file",
        "description_arguments",
    }


PANDA, IK = "panda.launch.py", "ik.launch.py"
NO_RVIZ = "rviz:=false"
NO_STATES = "use_joint_state_publisher:=false"
NO_DESCRIPTION = "use_robot_state_publisher:=false"


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ([PANDA], {"rviz2", "robot_state_publisher", "joint_state_publisher"}),
        ([PANDA, NO_RVIZ, NO_STATES], {"robot_state_publisher"}),
        (["two_arms.launch.py"], {"rviz2", "robot_state_publisher", "joint_state_publisher"}),
    ],
    ids=lambda value: " ".join(sorted(value)),
)
def test_a_missing_package_is_named_and_nothing_is_started(
    prefixes: list[Path], tmp_path: Path, arguments: list[str], missing: set[str]
):
    from launched import Launched

    launch = Launched(tmp_path, *arguments, prefixes=prefixes[:1])
    assert launch.wait() == 1
    output = launch.output()
    switches = {
        "rviz2": NO_RVIZ,
        "robot_state_publisher": NO_DESCRIPTION,
        "joint_state_publisher": NO_STATES,
    }
    for package, switch in switches.items():
        both_are_said = f"{package} ({switch} leaves it out)" in output
        assert both_are_said == (package in missing), output
    assert "process started" not in output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([PANDA, "robot:=ur10"], "robot:=ur10 is for ik.launch.py"),
        ([IK, "robot:=panda", "description_file:=a.urdf"], "not both"),
        ([IK, "robot:=panda", "sampler:=quasi"], "'quasi_random'"),
        ([IK, "robot:=panda", "params_file:=no.yaml"], "there is no file no.yaml"),
        ([IK, "compare_samplers:=true", NO_RVIZ], "compare_samplers:=true needs robot"),
        ([IK, "description_file:=missing.urdf"], "there is no file missing.urdf"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_misuse_is_explained_and_nothing_is_started(
    prefixes: list[Path], tmp_path: Path, arguments: list[str], said: str
):
    from launched import Launched

    launch = Launched(tmp_path, *arguments, prefixes=prefixes)
    assert launch.wait() == 1
    assert said in launch.output() and "process started" not in launch.output()


def test_show_args(prefixes: list[Path], tmp_path: Path):
    """The Panda's file lists no other robots; the samplers are listed."""
    from launched import Launched

    launch = Launched(tmp_path, PANDA, "--show-args", prefixes=prefixes)
    assert launch.wait() == 0
    assert "'robot'" not in launch.output() and "'description_file'" not in launch.output()
    assert "'rviz'" in launch.output() and "'quasi_random'" in launch.output()
