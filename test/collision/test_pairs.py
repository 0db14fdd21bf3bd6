"""Pairs of links without an SRDF: joined, never close and always colliding ones need no check."""

import json
from dataclasses import replace

import numpy as np
import pytest

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.collision import cache_files, pairs
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.shapes import Sphere
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Loop

pytestmark = pytest.mark.slow

LINK = '<link name="{}"><collision><geometry><box size="{}"/></geometry></collision></link>'
JOINT = (
    '<joint name="j_{1}" type="{2}"><parent link="{0}"/><child link="{1}"/><origin xyz="{3}"/>'
    '<axis xyz="0 0 1"/><limit lower="{4}" upper="{5}" effort="1" velocity="1"/></joint>'
)
URDF = f"""<robot name="r">
{LINK.format("base", "0.2 0.2 0.2")}
{LINK.format("hub", "0.1 0.1 0.3")}
{LINK.format("arm", "0.1 0.1 0.1")}
{LINK.format("wing", "0.6 0.02 0.02")}
{LINK.format("fence", "0.1 0.1 0.5")}
{LINK.format("tower", "0.1 0.1 0.1")}
{LINK.format("top", "0.1 0.1 0.1")}
{JOINT.format("base", "hub", "revolute", "0 0 0", -3, 3)}
{JOINT.format("hub", "arm", "revolute", "0.05 0 0.05", -3, 3)}
{JOINT.format("arm", "wing", "continuous", "0.4 0 0.15", 0, 0)}
{JOINT.format("base", "fence", "fixed", "0.5 0 0.2", 0, 0)}
{JOINT.format("base", "tower", "fixed", "0 0 3", 0, 0)}
{JOINT.format("tower", "top", "prismatic", "0 0 0.5", 0, 0.2)}
</robot>"""


def names(found):
    return {" ".join(sorted(pair)) for pair in found}


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Keep files in a folder of the test, and forget what is in memory."""
    monkeypatch.setattr(cache_files, "folders", lambda: [tmp_path])
    monkeypatch.setattr(pairs, "_known", {})
    return tmp_path


def test_sampling_finds_the_pairs_that_need_no_check(fresh):
    model = CollisionModel.from_urdf(URDF)
    assert model.allowed is None
    unchecked = names(model.unchecked)
    assert {
        "base hub",
        "arm hub",
        "arm wing",
        "base fence",
        "base tower",
        "top tower",
    } <= unchecked
    assert {"arm base"} <= unchecked  # always inside each other
    assert {"hub tower", "arm tower", "tower wing", "top wing", "base top"} <= unchecked  # never
    # Sometimes, and never though close.
    assert not {"fence wing", "hub wing"} & unchecked


def test_it_is_found_once(fresh, monkeypatch):
    first = CollisionModel.from_urdf(URDF)
    found = first.unchecked
    (file,) = fresh.glob("*.json")

    def again(*arguments):
        raise AssertionError("sampled again")

    monkeypatch.setattr(pairs, "_sampled", again)
    assert CollisionModel.from_urdf(URDF, joint_positions={"j_hub": 1.0}).unchecked == found
    monkeypatch.setattr(pairs, "_known", {})
    assert CollisionModel.from_urdf(URDF).unchecked == found
    with pytest.raises(AssertionError, match="sampled again"):
        _ = CollisionModel.from_urdf(URDF.replace("0.4 0 0.15", "0.4 0 0.25")).unchecked
    for damage in ("", "[[0]]", "[[0, 99]]", "[[1, 0]]", '[["a", "b"]]', "7"):
        file.write_text(damage)
        monkeypatch.setattr(pairs, "_known", {})
        with pytest.raises(AssertionError, match="sampled again"):
            _ = CollisionModel.from_urdf(URDF).unchecked


def test_the_same_pairs_are_found_each_time(fresh, monkeypatch):
    first = CollisionModel.from_urdf(URDF).unchecked
    (file,) = fresh.glob("*.json")
    stored = json.loads(file.read_text())
    file.unlink()
    monkeypatch.setattr(pairs, "_known", {})
    assert CollisionModel.from_urdf(URDF).unchecked == first
    assert json.loads(file.read_text()) == stored


def test_pairs_of_a_robot_with_a_loop_are_not_those_without(fresh):
    """Links that a loop joins are not sampled; without the loop they are."""
    robot = RobotDescription.from_urdf(URDF)
    looped = replace(robot, loops=(Loop("belt", ("hub", "tower")),))
    assert "hub tower" in names(CollisionModel.from_urdf(looped).unchecked)
    assert "hub tower" in names(CollisionModel.from_urdf(robot).unchecked)


def test_attached_things_are_checked_against_all_but_their_link(fresh):
    model = CollisionModel.from_urdf(URDF)
    more = model.attach("arm", [Sphere(0.05, pose=np.eye(4))], name="held")
    assert names(more.unchecked - model.unchecked) == {"arm held"}


def test_robots_without_moving_joints_or_geometry(fresh):
    still = URDF.replace("revolute", "fixed").replace("continuous", "fixed")
    still = still.replace("prismatic", "fixed")
    everything = CollisionModel.from_urdf(still).unchecked
    assert len(everything) == 21
    assert CollisionModel.from_urdf('<robot><link name="a"/></robot>').unchecked == frozenset()


def test_an_srdf_that_disables_nothing_is_of_groups_only(fresh):
    groups = '<robot name="r"><group name="all"><link name="base"/></group></robot>'
    model = CollisionModel.from_urdf(URDF, srdf=groups)
    assert model.unchecked == CollisionModel.from_urdf(URDF).unchecked


def test_pairs_are_sampled_within_wider_limits_of_a_chain():
    """By the description the forearm never comes near the base; a caller says that it can."""
    text = (
        "<robot name='fold'>"
        + "".join(
            f"<link name='{name}'><collision><origin xyz='0 0 {z}'/><geometry>"
            f"<box size='0.1 0.1 {length}'/></geometry></collision></link>"
            for name, z, length in (("base", 0.25, 0.4), ("upper", 0.5, 0.8), ("fore", 0.7, 1.3))
        )
        + "".join(
            f"<joint name='{name}' type='revolute'><parent link='{parent}'/>"
            f"<child link='{child}'/><origin xyz='{xyz}'/><axis xyz='0 1 0'/>"
            "<limit lower='-0.3' upper='0.3'/></joint>"
            for name, parent, child, xyz in (
                ("shoulder", "base", "upper", "0 0 0.5"),
                ("elbow", "upper", "fore", "0 0 1"),
            )
        )
        + "</robot>"
    )
    model = CollisionModel.from_urdf(text, srdf=None)
    folded = [0.0, 3.1]
    narrow = IKSolver(KinematicChain.from_urdf(text), collision=model)
    assert narrow.colliding_pair(folded) is None
    wide = KinematicChain.from_urdf(text, joint_limits={"elbow": (-3.1, 3.1)})
    assert set(IKSolver(wide, collision=model).colliding_pair(folded)) == {"base", "fore"}
