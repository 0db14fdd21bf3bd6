"""Warnings about descriptions: each where it helps, once, and none about ordinary robots."""

import warnings

import pytest
from test_chain import LIMIT, Z, joint, link, mimic, robot
from test_kinematic_tree import TWO_ARMS

from generative_ik_ros.errors import GenerativeIKWarning
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.known import load_robot, robot_names


def limit(lower, upper):
    return f'{Z}<limit lower="{lower}" upper="{upper}"/>'


def warnings_of(text, **arguments):
    """The texts of the warnings about a chain."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KinematicChain.from_urdf(text, **arguments)
    assert all(w.category is GenerativeIKWarning and w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


def test_joints_that_cannot_move_are_named():
    stuck = limit(0, 0)
    text = robot(link(1, inside=stuck), link(2), link(3, inside=stuck), link(4))
    (warning,) = warnings_of(text)
    assert warning.startswith("joints that cannot move: j1, j3; ") and "0 and 0" in warning
    assert not warnings_of(text, fixed={"j1": 0.0, "j3": 0.0})
    # Elsewhere in the robot they do not matter, and other equal limits are meant.
    assert not warnings_of(text, base_link="l3")
    assert not warnings_of(robot(link(1, inside=limit(0.5, 0.5)), link(2)))
    follower = link(2, inside=Z + mimic("j1", -1) + '<limit lower="0" upper="0.5"/>')
    (warning,) = warnings_of(robot(link(1, inside=limit(0, 0.5)), follower))
    assert warning.startswith("joints that cannot move: j1; ")


@pytest.mark.parametrize(
    ("lower", "upper", "warned"),
    [
        (-170, 170, True),
        (0, 90, True),
        (-350, 350, True),
        (-6.2832, 6.2832, False),
        (-12.566, 12.566, False),
        (-62.832, 62.832, False),  # ten turns
        (-1e16, 1e16, False),
        (-1000, 1000, False),
    ],
)
def test_limits_in_degrees_are_suspected(lower, upper, warned):
    found = warnings_of(robot(link(1), link(2, inside=limit(lower, upper))))
    assert len(found) == warned
    assert not warned or f"j2 ({lower} to {upper}); are they in degrees?" in found[0]


@pytest.mark.parametrize(
    "loop",
    [
        "<gazebo><joint name='shut' type='revolute'><parent>l1</parent><child>r::l3</child>"
        "</joint></gazebo>",
        "<loop_joint name='shut'><link1 link='l1'/><link2 link='l3'/></loop_joint>",
    ],
)
def test_loops_that_couple_joints_of_the_chain_are_said_to_be_ignored(loop):
    text = robot(link(1), link(2), link(3), link(4))
    closed = text.replace("</robot>", loop + "</robot>")
    (warning,) = warnings_of(closed)
    assert "by 'shut', which is ignored: j2, j3 move as if it were open" in warning
    assert not warnings_of(closed, tip_link="l2")
    assert not warnings_of(closed, fixed={"j3": 0.0})
    follower = robot(link(1), link(2), link(3, inside=Z + LIMIT + mimic("j2")), link(4))
    assert not warnings_of(follower.replace("</robot>", loop + "</robot>"))
    assert not warnings_of(text.replace("</robot>", loop.replace("l3", "l9") + "</robot>"))


def test_the_jaw_of_a_gripper_is_no_obvious_tip():
    arm = robot(link(1), link(2), link(3), link(4))
    jaw = "<link name='jaw'/>" + joint("gripper", "l4", "jaw", "revolute", Z + LIMIT)
    text = arm.replace("</robot>", jaw + "</robot>")
    (warning,) = warnings_of(text)
    assert "'jaw', which joint 'gripper' of the gripper moves" in warning
    assert warning.endswith("pass tip_link='l4'")
    assert not warnings_of(text, tip_link="jaw") and not warnings_of(text, tip_link="l4")
    assert not warnings_of(arm.replace('"l4"', '"gripper_link"'))
    # Published SO-101 arms number their joints.
    (warning,) = warnings_of(text.replace('"gripper"', '"6"'))
    assert "'jaw', which joint '6' of the gripper moves" in warning


def test_ordinary_robots_and_trees_pass_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in robot_names():
            chain = load_robot(name)
            KinematicChain.from_urdf(chain.description, chain.base_link, chain.tip_link)
        KinematicTree.from_urdf(TWO_ARMS, None, ["l4", "l7"])
    text = TWO_ARMS.replace('lower="-3" upper="3"', 'lower="-170" upper="170"')
    with pytest.warns(GenerativeIKWarning, match="in degrees") as warned:
        KinematicTree.from_urdf(text, None, ["l4", "l7"])
    assert len(warned) == 1 and warned[0].filename == __file__
