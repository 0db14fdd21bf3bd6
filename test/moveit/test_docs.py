"""The documentation and configuration files for MoveIt agree with the code."""

import re
from pathlib import Path

import pytest
import yaml

from generative_ik_ros.robot.srdf import SemanticDescription

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "moveit.md").read_text(encoding="utf-8")
PARAMETERS = ROOT / "moveit_plugin" / "plugin" / "generative_ik_parameters.yaml"
MOVEITS_OWN = {"kinematics_solver", "kinematics_solver_timeout"}


def test_the_python_example_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "docs/moveit.md", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.startswith("SUCCESS [") and printed.count("SUCCESS") == 2


def test_the_groups_example_is_read():
    (text,) = re.findall(r'parameter `groups`, as\s+`"([^"]+)"`', PAGE)
    assert set(SemanticDescription.from_chains(text).groups) == {"arm", "left"}


NAMES = ("kinematics.yaml", "kinematics_generic.yaml", "kinematics_two_arms.yaml")


@pytest.mark.parametrize("name", NAMES)
def test_kinematics_files_use_parameters_that_exist(name):
    text = (ROOT / "config" / "moveit" / name).read_text(encoding="utf-8")
    described = yaml.safe_load(PARAMETERS.read_text(encoding="utf-8"))["generative_ik_plugin"]
    for group in yaml.safe_load(text).values():
        assert group["kinematics_solver"] == "generative_ik_ros/GenerativeIKPlugin"
        for parameter in set(group) - MOVEITS_OWN:
            assert parameter in described
        if name == "kinematics_generic.yaml":
            assert set(group) - MOVEITS_OWN == set(described)
            for parameter, entry in described.items():
                assert group[parameter] == entry["default_value"], parameter


def test_the_table_lists_the_plugins_parameters():
    described = yaml.safe_load(PARAMETERS.read_text(encoding="utf-8"))["generative_ik_plugin"]
    table = PAGE.split("## Parameters of the plugin")[1].split("##")[0]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == list(described)
