"""SRDF text to planning groups, their joints in order, their chains; untrusted text is refused."""

import pytest
from two_arm_groups import SRDF, TWO_ARMS

from generative_ik_ros.errors import (
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.description_source import LIMITS
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.srdf import SemanticDescription


@pytest.fixture(scope="module")
def robot():
    return RobotDescription.from_urdf(TWO_ARMS)


@pytest.fixture(scope="module")
def semantic():
    return SemanticDescription.from_srdf(SRDF)


@pytest.mark.parametrize(
    ("name", "base", "tip", "joints"),
    [
        ("left", "torso", "l_tool", ["left1", "left2"]),
        ("right", "torso", "r2", ["right1", "right2"]),
        ("both", "torso", "", ["left1", "left2", "right1", "right2"]),
        ("fingers", "l_tool", "", ["a_finger", "z_finger"]),
        ("left_with_lift", "base", "l_tool", ["lift", "left1", "left2"]),
        ("round", "base", "torso", ["lift"]),
    ],
)
def test_groups(robot, semantic, name, base, tip, joints):
    group = JointGroup.from_srdf(robot, semantic, name)
    assert (group.base_link, group.tip_link, list(group.joint_names)) == (base, tip, joints)


def test_a_group_of_two_arms_solves_for_each_hand(robot, semantic):
    both = JointGroup.from_srdf(robot, semantic, "both")
    assert both.chain("l_tool").joint_names == ["left1", "left2"]
    right = both.chain("r_tool")
    assert right.joint_names == ["right1", "right2"]
    assert both.indices(right).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("name", "tips"),
    [
        ("left", ("l_tool",)),
        ("right", ("r2",)),
        ("both", ("r2", "l_tool")),  # in the order of the SRDF
        ("all", ("l_tool", "r2")),  # the lift is on the way, fingers have no one tip
        ("nested", ("l_tool", "r2")),
        ("chains", ("r_tool", "l_tool")),
        ("equipped", ("r_tool", "l_tool")),  # where the hands are
        ("fingers", ()),
        ("round", ("torso",)),
    ],
)
def test_tips_of_groups(robot, semantic, name, tips):
    assert JointGroup.from_srdf(robot, semantic, name).tip_links == tips


@pytest.mark.parametrize(("depth", "tips"), [(200, ("r2", "l_tool")), (5000, ())])
def test_groups_in_groups_end(robot, depth, tips):
    """Each contains the next twice."""
    inside = [2 * f"<group name='g{k + 1}'/>" for k in range(depth)] + ["<group name='both'/>"]
    nested = [f"<group name='g{k}'>{groups}</group>" for k, groups in enumerate(inside)]
    text = SRDF.replace("</robot>", "".join(nested) + "</robot>")
    semantic = SemanticDescription.from_srdf(text)
    assert JointGroup.from_srdf(robot, semantic, "g0").tip_links == tips


def test_a_group_of_two_arms_has_a_tree(robot, semantic):
    both = JointGroup.from_srdf(robot, semantic, "both")
    tree = both.tree()
    assert (tree.base_link, tree.tip_links) == ("torso", ("r2", "l_tool"))
    assert tree.names == ("right1", "right2", "left1", "left2")
    assert both.indices(tree).tolist() == [2, 3, 0, 1]
    lifted = JointGroup.from_srdf(robot, semantic, "all").tree(("r_tool",))
    assert lifted.names == ("lift", "right1", "right2") and lifted.tip_links == ("r_tool",)
    tray = both.tree(reference_links={"l_tool": "r2"})
    assert tray.reference_links == ("torso", "r2") and tray.num_joints == 4
    group = JointGroup.from_links(robot, "arm", "torso", "l_tool")
    assert group.tip_links == ("l_tool",) and group.tree().names == group.chain().names


@pytest.mark.parametrize(
    ("name", "tips", "references", "error", "words"),
    [
        ("fingers", (), None, RobotDescriptionError, "'fingers' has no tips of its own: name"),
        ("both", ("l_tool", "torso"), None, RobotDescriptionError, "does not move link 'torso'"),
        ("both", ("l_tool", "l_b"), None, RobotDescriptionError, "'both' as well: z_finger"),
        ("both", ("l_tool", "nose"), None, UnknownNameError, "unknown link 'nose'"),
        ("both", ("l_tool",), {"l_tool": "nose"}, UnknownNameError, "unknown link 'nose'"),
        ("left", ("l_tool",), {"l_tool": "r2"}, RobotDescriptionError, "as well: right2, right1"),
        ("left", ("l_tool", "l_tool"), None, InvalidArgumentError, "names 'l_tool' twice"),
        ("left", ("l_tool",), {"l2": "l1"}, UnknownNameError, "unknown tip link 'l2'"),
    ],
)
def test_trees_that_a_group_cannot_be_solved_for(
    robot, semantic, name, tips, references, error, words
):
    with pytest.raises(error, match=words):
        JointGroup.from_srdf(robot, semantic, name).tree(tips, references)


def test_mimic_joints_follow(robot, semantic):
    fingers = JointGroup.from_srdf(robot, semantic, "fingers")
    assert fingers.with_mimics(fingers.default_positions + [0.5, 0.3]).tolist() == [-0.3, 0.3]


@pytest.mark.parametrize(
    ("name", "link", "error", "words"),
    [
        ("both", "", RobotDescriptionError, "no one tip"),
        ("left", "r_tool", RobotDescriptionError, "does not move"),
        ("left", "l_b", RobotDescriptionError, "not in group 'left' as well: z_finger"),
        ("gap", "l2", RobotDescriptionError, "left1"),
        ("left", "nose", UnknownNameError, "unknown link 'nose'"),
    ],
)
def test_links_that_a_group_cannot_be_solved_for(robot, semantic, name, link, error, words):
    with pytest.raises(error, match=words):
        JointGroup.from_srdf(robot, semantic, name).chain(link)


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("mounts", RobotDescriptionError, "no joint of group 'mounts' moves"),
        ("lost", UnknownNameError, "unknown link 'nowhere'"),
        ("hollow", UnknownNameError, "unknown planning group 'nothing'"),
        ("leg", UnknownNameError, "left_with_lift"),
    ],
)
def test_groups_that_cannot_be(robot, semantic, name, error, words):
    with pytest.raises(error, match=words):
        JointGroup.from_srdf(robot, semantic, name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("panda", "not XML"),
        ("<sdf/>", "root element"),
        ("<robot><group/></robot>", "no name"),
        ("<robot><group name='a'/><group name='a'/></robot>", "twice"),
        ("<robot><group name='a'><chain base_link='b'/></group></robot>", "no tip_link"),
        ("<robot><group name='a'><joint/></group></robot>", "no name"),
        ("<robot><end_effector name='e' parent_link='l'/></robot>", "no group"),
        ("<!DOCTYPE r [<!ENTITY e 'x'>]><robot name='&e;'/>", "DOCTYPE"),
        ("<robot><group name='" + "a" * 2000 + "'/></robot>", "2000 characters"),
        ("<robot>" + "<group name='g'/>" * (LIMITS.max_parts + 1) + "</robot>", "more than"),
    ],
)
def test_bad_text_is_refused(text, words):
    with pytest.raises(RobotDescriptionError, match=words) as caught:
        SemanticDescription.from_srdf(text)
    assert str(caught.value).startswith("semantic description (SRDF): ")


def test_groups_in_short_form():
    groups = SemanticDescription.from_chains(" arm base tool ; left torso hand;").groups
    assert groups["arm"].chains == (("base", "tool"),) and len(groups) == 2
    assert not SemanticDescription.from_chains("").groups


@pytest.mark.parametrize("text", ["arm base", "a b c d", "a b c; a b c"])
def test_groups_in_short_form_that_are_malformed(text):
    with pytest.raises(InvalidArgumentError, match="NAME BASE_LINK TIP_LINK"):
        SemanticDescription.from_chains(text)


def test_disabled_collisions_are_pairs():
    text = (
        '<robot name="two"><disable_collisions link1="l1" link2="l2" reason="Adjacent"/>'
        '<disable_collisions link1="l2" link2="l1"/><disable_collisions link1="r1" link2="l2"/>'
        '<disable_collisions link1="r1"/><disable_collisions link1="r1" link2=" "/>'
        f'<disable_collisions link1="r1" link2="{"x" * 2000}"/>'
        '<disable_collisions link1="r1" link2="r1"/></robot>'
    )
    found = SemanticDescription.from_srdf(text).disabled_collisions
    assert found == {frozenset(("l1", "l2")), frozenset(("l2", "r1"))}
    assert SemanticDescription.from_srdf("<robot/>").disabled_collisions == frozenset()


def test_collisions_that_are_disabled_by_default():
    """Disabled pairs come last, so they win; enabled ones are exceptions from the default."""
    text = (
        '<robot name="two"><disable_default_collisions link="l2"/><disable_default_collisions/>'
        '<enable_collisions link1="l1" link2="l2"/><enable_collisions link1="r1" link2="l2"/>'
        '<disable_collisions link1="l2" link2="r1"/></robot>'
    )
    found = SemanticDescription.from_srdf(text)
    assert found.unchecked_links == {"l2"}
    assert found.disabled_collisions == {frozenset(("l2", "r1"))}
    pairs = found.unchecked_pairs(["base", "l1", "l2", "r1"])
    assert pairs == {frozenset(("l2", "r1")), frozenset(("l2", "base"))}
    assert SemanticDescription.from_srdf("<robot/>").unchecked_pairs(["a", "b"]) == frozenset()
