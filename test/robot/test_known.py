"""The robots that ship with the package: found wherever it is installed, and sound."""

import shutil
import sys

import numpy as np
import pytest

from generative_ik_ros.errors import RobotDescriptionError, UnknownNameError
from generative_ik_ros.robot import known


@pytest.fixture
def fresh(monkeypatch):
    """Forget where the robots were found, before and after."""
    cached = (known._as_it_comes, known.robots_directory)
    for function in cached:
        function.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    for function in cached:
        function.cache_clear()


def test_names():
    names = known.robot_names()
    assert list(names) == sorted(names)
    assert {"iiwa", "lwa4d", "lwa4p", "panda", "ur10"} <= set(names)


@pytest.mark.parametrize("name", known.robot_names())
def test_each_robot_is_sound_and_drawn(name):
    robot, chain = known.known_robot(name), known.load_robot(name)
    assert known.robot_urdf_path(name).is_file()
    assert robot.display_name and len(robot.source) > 40
    assert (chain.base_link, chain.tip_link) == (robot.base_link, robot.tip_link)
    assert np.isfinite(chain.lower).all() and np.isfinite(chain.upper).all()
    drawn = chain.description.visuals
    assert len(drawn) >= chain.num_joints
    assert all(v.shape != "mesh" for visuals in drawn.values() for v in visuals)
    assert known.load_robot(name) is chain


def test_panda_has_its_hand():
    chain = known.load_robot("panda")
    assert chain.joint_names == [f"panda_joint{i}" for i in range(1, 8)]
    np.testing.assert_allclose(chain.tip_in_last_joint[:3, 3], [0, 0, 0.107 + 0.1034])
    # Straight up, the hand hanging down from the wrist's offset: the maker's lengths.
    np.testing.assert_allclose(
        chain.forward(np.zeros(7))[:3, 3], [0.088, 0, 0.333 + 0.316 + 0.384 - 0.2104], atol=1e-12
    )


def test_unknown_robot_lists_the_known():
    for function in (known.load_robot, known.known_robot, known.robot_urdf_path):
        with pytest.raises(
            UnknownNameError, match="unknown robot 'r2d2'; choose from: .*panda, .*ur10"
        ):
            function("r2d2")


@pytest.mark.parametrize("place", ["pip", "beside", "ament", "prefix"])
def test_found_where_it_is_installed(fresh, tmp_path, place):
    original = known.robots_directory()
    known.robots_directory.cache_clear()
    prefix = tmp_path / "prefix"
    site = prefix if place == "beside" else tmp_path / "elsewhere"
    package = site / "lib" / "python3" / "site-packages" / "generative_ik_ros"
    share = prefix / "share" / "generative_ik_ros" / "config" / "robots"
    target = package / "config" / "robots" if place == "pip" else share
    shutil.copytree(original, target)
    fresh.setattr(known, "_package", lambda: package)
    fresh.delenv("AMENT_PREFIX_PATH", raising=False)
    if place == "prefix":
        fresh.setattr(sys, "prefix", str(prefix))
    if place == "ament":
        fresh.setenv("AMENT_PREFIX_PATH", f"/nowhere:{prefix}")
    assert known.robots_directory() == target
    assert known.load_robot("ur10").num_joints == 6


def test_not_installed_says_where_it_looked(fresh, tmp_path):
    fresh.setattr(known, "_package", lambda: tmp_path / "package")
    fresh.setattr(sys, "prefix", str(tmp_path))
    fresh.delenv("AMENT_PREFIX_PATH", raising=False)
    with pytest.raises(RobotDescriptionError, match="not installed; looked in .*share"):
        known.robot_names()


@pytest.mark.parametrize(
    ("text", "message"),
    [("a: [", "is not JSON"), ('{"a": 1}', "must have exactly the keys"), ("[]", "keys")],
)
def test_malformed_entries(fresh, tmp_path, text, message):
    folder = tmp_path / "config" / "robots"
    folder.mkdir(parents=True)
    (folder / "odd.json").write_text(text)
    fresh.setattr(known, "_package", lambda: tmp_path)
    with pytest.raises(RobotDescriptionError, match=message):
        known.load_robot("odd")
