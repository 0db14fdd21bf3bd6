"""The page about ros2_control agrees with the plugin."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
PLUGIN = CHECKOUT / "kinematics_interface_plugin"
PAGE = (CHECKOUT / "docs" / "ros2_control.md").read_text(encoding="utf-8")
READ = re.findall(r'prefix \+ "(\w+)"', (PLUGIN / "plugin" / "settings.cpp").read_text())


def test_the_example_names_the_plugin_and_parameters_that_it_reads():
    library = ET.parse(PLUGIN / "plugin" / "kinematics_interface_plugin.xml").getroot()
    declared = library.find("class")
    assert declared is not None
    assert f"add_library({library.get('path')} SHARED" in (PLUGIN / "CMakeLists.txt").read_text()
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    kinematics = yaml.safe_load(text)["admittance_controller"]["ros__parameters"]["kinematics"]
    assert kinematics["plugin_name"] == declared.get("name")
    assert kinematics["plugin_package"] + "::KinematicsInterface" == declared.get(
        "base_class_type"
    )
    assert set(kinematics) - {"plugin_name", "plugin_package"} == set(READ)


def test_the_table_lists_the_parameters():
    table = PAGE.split("## Parameters")[1].split("##")[0]
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == sorted(READ)
    (default,) = re.findall(r"^\| `alpha` \| (\S+) \|", table, re.MULTILINE)
    header = (PLUGIN / "plugin" / "settings.hpp").read_text()
    assert float(default) == float(re.findall(r"damping = (\S+);", header)[0])
