"""The node in C++ has the parameters of the Python node that its page says it has."""

import ast
import math
import re
from dataclasses import fields
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from generative_ik_ros.ros.parameters import Settings  # noqa: E402

CHECKOUT = Path(__file__).resolve().parents[2]
NODE = CHECKOUT / "servo_node" / "node"
PAGE = (CHECKOUT / "docs" / "streaming.md").read_text().split("## The node in C++")[1]
ENTRY = re.compile(
    r'\{"(\w+)", ParameterValue\(([^)]*)\),\s*((?:"[^"]*"\s*)+)(?:,\s*([^,}]+),\s*([^,}]+))?\}'
)
OWN = {"servo_priority": "0", "servo_lock_memory": "False"}
NUMBERS = {"kNoBound": math.inf, "true": True, "false": False}


def number(text: str) -> object:
    return NUMBERS[text] if text in NUMBERS else ast.literal_eval(text)


def table() -> dict[str, tuple[object, object, object]]:
    """Return default, lowest and highest value of each parameter in C++."""
    text = (NODE / "settings.cpp").read_text()
    found = {
        name: (number(default), bound(low), bound(high))
        for name, default, _, low, high in ENTRY.findall(text)
    }
    assert len(found) == text.count(", ParameterValue(") > 10
    return found


def bound(text: str) -> object:
    return number(text.strip()) if text else None


def test_parameters_have_the_defaults_and_bounds_of_the_python_node():
    entries = {entry.name: entry for entry in fields(Settings)}
    for name, found in table().items():
        if name not in OWN:
            entry = entries[name]
            expected = entry.default, entry.metadata["low"], entry.metadata["high"]
            assert found == expected, name


def test_the_page_says_which_they_are():
    rows = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGE, re.MULTILINE))
    assert rows == OWN
    servo = {entry.name for entry in fields(Settings) if entry.name.startswith("servo")}
    without = set(re.findall(r"`(servo_\w+)`", re.findall(r"servo except ([^,]*),", PAGE)[0]))
    other = set(re.findall(r"only the Python node does\*\*: ([^.]*)\.", PAGE))
    named = set(re.findall(r"`(\w+)`", PAGE))
    names = set(table())
    assert names - servo - set(OWN) <= named and names & servo == servo - without
    assert len(without) == 2 and len(other) == 1
    refused = set(re.findall(r"`(\w+)`", other.pop()))
    for name in refused:
        assert f'"{name}"' in (NODE / "settings.cpp").read_text().split("onlyInPython(")[1]


def test_the_package_lists_its_files():
    cmake = (NODE.parent / "CMakeLists.txt").read_text()
    assert {path.name for path in NODE.glob("*.cpp")} == set(re.findall(r"node/(\w+\.cpp)", cmake))
    loop = (NODE.parent / "servo" / "CMakeLists.txt").read_text()
    sources = re.findall(r"STATIC ([^)]*)\)", loop)[0].split()
    assert {path.name for path in (NODE.parent / "servo").glob("*.cpp")} == set(sources)
