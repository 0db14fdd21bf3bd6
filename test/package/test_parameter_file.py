"""config/generative_ik.yaml and docs/ros.md list the node's parameters with their defaults."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from generative_ik_ros.ros.parameters import Settings  # noqa: E402

CHECKOUT = Path(__file__).resolve().parents[2]


def test_parameters_and_defaults_are_those_of_the_node():
    text = (CHECKOUT / "config" / "generative_ik.yaml").read_text()
    listed = yaml.safe_load(text)["/**"]["ros__parameters"]
    settings = Settings()
    expected = {entry.name: getattr(settings, entry.name) for entry in fields(settings)}
    # The descriptions come from topics or a launch file.
    del expected["robot_description"], expected["robot_description_semantic"]
    assert listed == expected
    assert {name: type(value) for name, value in listed.items()} == {
        name: type(value) for name, value in expected.items()
    }


def test_the_page_lists_all_parameters_with_their_defaults():
    table = (CHECKOUT / "docs" / "ros.md").read_text().split("## Parameters")[1]
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", table, re.MULTILINE)
    settings = Settings()
    assert [(name, default.strip("` ")) for name, default in rows] == [
        (entry.name, str(getattr(settings, entry.name))) for entry in fields(settings)
    ]


def test_the_page_lists_all_launch_arguments():
    table = (CHECKOUT / "docs" / "ros.md").read_text().split("## Services")[0]
    text = (CHECKOUT / "launch" / "ik.launch.py").read_text()
    arguments = text.partition("ARGUMENTS = {")[2].partition("\n}")[0]
    declared = re.findall(r'^    "(\w+)": ', arguments, re.MULTILINE)
    assert len(declared) > 10 and set(declared) <= set(re.findall(r"`(\w+)`", table))
