"""config/generative_ik.yaml lists the node's parameters, each with the node's own default."""

from dataclasses import fields
from pathlib import Path

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from generative_ik_ros.ros.parameters import Settings  # noqa: E402

FILE = Path(__file__).resolve().parents[2] / "config" / "generative_ik.yaml"


def test_parameters_and_defaults_are_those_of_the_node():
    listed = yaml.safe_load(FILE.read_text())["/**"]["ros__parameters"]
    settings = Settings()
    expected = {entry.name: getattr(settings, entry.name) for entry in fields(settings)}
    # The descriptions come from topics or a launch file, hardly from here.
    del expected["robot_description"], expected["robot_description_semantic"]
    assert listed == expected
    assert {name: type(value) for name, value in listed.items()} == {
        name: type(value) for name, value in expected.items()
    }
