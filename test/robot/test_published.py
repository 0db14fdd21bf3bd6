"""Robots of robot_descriptions by name."""

import sys

import pytest
from bad_urdfs import GOOD_URDF

from generative_ik_ros.errors import (
    MissingDependencyError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.known import known_robot, load_robot, robot_urdf_path


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Modules beside those of robot_descriptions, which download nothing."""
    package = pytest.importorskip("robot_descriptions")
    robot = tmp_path / "good_robot"
    robot.mkdir()
    (robot / "good.urdf").write_text(GOOD_URDF)
    for name, code in {
        "made_up_description": f"URDF_PATH = {str(robot / 'good.urdf')!r}\n",
        "made_up_broken_description": "raise OSError('no route to host')\n",
        "made_up_bare_description": "",
    }.items():
        paths = f"PACKAGE_PATH = {str(robot)!r}\nREPOSITORY_PATH = {str(tmp_path)!r}\n"
        (tmp_path / f"{name}.py").write_text(paths + code)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    yield robot
    for name in [name for name in sys.modules if name.startswith("robot_descriptions.made_up")]:
        del sys.modules[name]


def test_a_name_loads_its_robot(published):
    chain = load_robot("made_up_description")
    assert (chain.base_link, chain.tip_link) == ("base", "tip")
    assert load_robot("made_up_description", "upper", "wrist").joint_names == ["slide", "roll"]
    assert robot_urdf_path("made_up_description") == published / "good.urdf"
    assert published in known_robot("made_up_description").package_dirs


def test_what_cannot_be_had_is_told(published):
    with pytest.raises(RobotDescriptionError, match="cannot provide .*no route to host"):
        load_robot("made_up_broken_description")
    with pytest.raises(RobotDescriptionError, match="no URDF, xacro file or MJCF"):
        load_robot("made_up_bare_description")


def test_similar_names_are_listed():
    pytest.importorskip("robot_descriptions")
    with pytest.raises(UnknownNameError, match="panda_description"):
        load_robot("pnda_description")


def test_the_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(MissingDependencyError, match="robot_descriptions.*formats"):
        load_robot("panda_description")
