"""SDF: frames, nested models, versions, shapes, and what is refused."""

import numpy as np
import pytest

from generative_ik_ros import IKSolver
from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.known import robot_urdf_path
from generative_ik_ros.robot.rigid import turn

HINGE = (
    '<joint name="turn" type="revolute"><parent>base</parent><child>arm</child>'
    "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis></joint>"
)


def model(inside, version="1.9", attributes=""):
    return (
        f'<sdf version="{version}"><model name="m" {attributes}><link name="base"/>'
        f'<link name="arm"><pose>1 0 0 0 0 0</pose></link>{inside}</model></sdf>'
    )


def test_a_frame_is_a_link_and_so_can_be_the_tip():
    frame = '<frame name="tool" attached_to="arm"><pose>0.5 0 0 0 0 0</pose></frame>'
    chain = KinematicChain.from_urdf(model(HINGE + frame))
    assert (chain.base_link, chain.tip_link, chain.joint_names) == ("base", "tool", ["turn"])
    assert (chain.lower[0], chain.upper[0]) == (-1.0, 2.0)
    expected = np.eye(4)
    expected[0, 3] = 1.0
    offset = np.eye(4)
    offset[0, 3] = 0.5
    np.testing.assert_allclose(
        chain.forward([0.7]), expected @ turn(np.array([0, 0, 1.0]), 0.7) @ offset, atol=1e-12
    )


def test_a_joint_beside_its_child_turns_about_its_own_axis():
    """The joint's origin is that of the base, a metre beside the arm's."""
    joint = HINGE.replace("<axis>", '<pose relative_to="base"/><axis>')
    chain = KinematicChain.from_urdf(model(joint), tip_link="arm")
    tip = chain.forward([np.pi / 2])
    np.testing.assert_allclose(tip[:3, 3], [0.0, 1.0, 0.0], atol=1e-12)
    assert "turn_frame" in chain.description.links


def test_nested_models_and_their_frames():
    inside = (
        '<model name="hand"><pose relative_to="arm">0 0 1 0 0 0</pose><link name="palm">'
        '<pose>0 0 0.5 0 0 0</pose></link><frame name="grip" attached_to="palm"/></model>'
        '<joint name="mount" type="fixed"><parent>arm</parent><child>hand::palm</child></joint>'
    )
    chain = KinematicChain.from_urdf(model(HINGE + inside), tip_link="hand::grip")
    np.testing.assert_allclose(chain.forward([0.0])[:3, 3], [1.0, 0.0, 1.5], atol=1e-12)


@pytest.mark.parametrize(
    ("version", "attribute", "axis"),
    [
        ("1.9", "", [0.0, 1.0, 0.0]),  # of the joint, which is turned with its child
        ("1.6", "<use_parent_model_frame>true</use_parent_model_frame>", [1.0, 0.0, 0.0]),
        ("1.4", "", [1.0, 0.0, 0.0]),
    ],
)
def test_which_frame_an_axis_is_given_in_depends_on_the_version(version, attribute, axis):
    text = (
        f'<sdf version="{version}"><model name="m"><link name="base"/><link name="arm">'
        '<pose>0 0 0 0 0 1.5707963267948966</pose></link><joint name="slide" type="prismatic">'
        f"<parent>base</parent><child>arm</child><axis><xyz>1 0 0</xyz>{attribute}<limit>"
        "<lower>-1</lower><upper>1</upper></limit></axis></joint></model></sdf>"
    )
    chain = KinematicChain.from_urdf(text)
    np.testing.assert_allclose(chain.forward([1.0])[:3, 3], axis, atol=1e-12)


def test_limits_of_old_versions_that_mean_none_are_none():
    joint = HINGE.replace("<lower>-1<", "<lower>-1e+16<").replace("<upper>2<", "<upper>1e16<")
    chain = KinematicChain.from_urdf(
        model(joint.replace("</limit>", "<velocity>-1</velocity></limit>"))
    )
    assert chain.continuous.tolist() == [True]
    assert np.isinf(chain.velocity_limits).all()


def test_the_world_is_a_link_where_a_joint_begins_there():
    text = model(HINGE + HINGE.replace('"turn"', '"fix"').replace("base", "world").replace(
        "arm", "base").replace("revolute", "fixed"), attributes="")  # fmt: skip
    text = text.replace('<link name="base"/>', '<pose>0 0 3 0 0 0</pose><link name="base"/>')
    chain = KinematicChain.from_urdf(text)
    assert (chain.base_link, chain.tip_link) == ("world", "arm")
    np.testing.assert_allclose(chain.forward([0.0])[:3, 3], [1.0, 0.0, 3.0], atol=1e-12)


def test_shapes():
    link = (
        '<collision name="a"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box>'
        '</geometry></collision><collision name="b"><geometry><capsule><radius>0.1</radius>'
        '<length>0.5</length></capsule></geometry></collision><collision name="c"><geometry><mesh>'
        "<uri>model://m/arm.stl</uri><scale>1 1 2</scale></mesh></geometry></collision>"
        '<collision name="d"><geometry><plane/></geometry></collision><collision name="e">'
        "<geometry><heightmap/></geometry></collision>"
        '<visual name="a"><geometry><capsule><radius>0.1</radius><length>0.5</length></capsule>'
        "</geometry><material><diffuse>1 0 0 1</diffuse></material></visual>"
    )
    text = model(HINGE).replace("0 0 0 0 0</pose></link>", f"0 0 0 0 0</pose>{link}</link>", 1)
    description = RobotDescription.from_urdf(text)
    box, capsule, mesh, plane, odd = description.collisions["arm"]
    assert (box.shape, box.size, box.shape_in_link[2, 3]) == ("box", (1.0, 2.0, 3.0), 1.0)
    assert (capsule.shape, capsule.size) == ("capsule", (0.1, 0.5))
    assert (mesh.mesh_uri, mesh.size) == ("model://m/arm.stl", (1.0, 1.0, 2.0))
    assert plane.shape == "plane" and not plane.fault
    assert "it has heightmap" in odd.fault
    assert [one.shape for one in description.visuals["arm"]] == ["cylinder", "sphere", "sphere"]
    assert {one.rgba for one in description.visuals["arm"]} == {(1.0, 0.0, 0.0, 1.0)}


UNSUPPORTED = [
    (HINGE.replace("revolute", "ball"), "joint 'turn' between 'base' and 'arm' is ball"),
    (HINGE.replace("revolute", "screw"), "is screw"),
    (HINGE.replace("revolute", "universal"), "is universal"),
]
MALFORMED = [
    (HINGE.replace("revolute", "rotary"), "has the type 'rotary'; valid: revolute, "),
    (HINGE.replace("<xyz>0 0 1</xyz>", ""), "joint 'turn' has no <xyz>"),
    (HINGE.replace("0 0 1</xyz>", "0 0 0</xyz>"), "zero axis"),
    (HINGE.replace("0 0 1</xyz>", "0 zero 1</xyz>"), "'zero', which is no number"),
    (HINGE.replace("<xyz>", '<xyz expressed_in="gone">'), "'gone' is not defined; frames: world"),
    (HINGE.replace("<parent>base", "<parent>gone"), "'gone' is not defined"),
    (HINGE.replace("<child>arm</child>", ""), "has no <child>"),
    (HINGE + HINGE, "'turn' is defined twice"),
    (HINGE + '<link name="arm"/>', "several links of the same name"),
    (
        HINGE + HINGE.replace("turn", "also").replace("revolute", "universal"),
        "joint 'turn' .* is coupled by the universal joint 'also': not supported",
    ),
    (
        HINGE + HINGE.replace("turn", "also").replace("</axis>", '<mimic joint="turn"/></axis>'),
        "'also' closes a loop of links and mimics 'turn'",
    ),
    (HINGE + "<include><uri>model://gone</uri></include>", "gz sdf -p"),
    (HINGE.replace("<axis>", '<pose frame="base"/><axis>'), "relative_to, of SDF 1.7"),
    (HINGE.replace("<axis>", "<pose>1 2 3</pose><axis>"), "pose needs 6 numbers"),
    (
        '<frame name="a"><pose relative_to="b"/></frame><frame name="b"><pose relative_to="a"/>'
        "</frame>" + HINGE,
        "given in each other: a, b|given in each other: b, a",
    ),
    (
        '<frame name="a" attached_to="b"/><frame name="b" attached_to="a"/>' + HINGE,
        "in each other|to each other",
    ),
    ('<model name="n" placement_frame="x"><link name="y"/></model>' + HINGE, "placement_frame"),
    (HINGE.replace("</axis>", '<mimic joint="gone"/></axis>'), "mimics 'gone'"),
]


@pytest.mark.parametrize(("inside", "message"), UNSUPPORTED + MALFORMED)
def test_what_is_refused_is_named(inside, message):
    with pytest.raises(RobotDescriptionError, match=message):
        KinematicChain.from_urdf(model(inside), "base", "arm")


def test_a_screw_that_closes_a_loop_is_an_obstacle_of_its_loop_only():
    """As in the PR2's torso and grippers."""
    screw = (
        '<link name="nut"/><joint name="lift" type="prismatic"><parent>base</parent><child>nut'
        "</child><axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>1</upper></limit></axis>"
        '</joint><link name="spindle"/><joint name="motor" type="continuous"><parent>base</parent>'
        "<child>spindle</child><axis><xyz>0 0 1</xyz></axis></joint>"
        '<joint name="thread" type="screw"><parent>nut</parent><child>spindle</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint>"
    )
    text = model(screw + HINGE.replace("base", "nut"))
    with pytest.raises(RobotDescriptionError, match="'lift' .* coupled by the screw .* 'thread'"):
        KinematicChain.from_urdf(text, "base", "arm")
    assert KinematicChain.from_urdf(text, "nut", "arm").joint_names == ["turn"]
    held = KinematicChain.from_urdf(text, "base", "arm", fixed={"lift": 0.5})
    assert held.joint_names == ["turn"] and held.forward([0.0])[2, 3] == 0.5


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_joint_may_lead_from_a_link_without_a_parent_to_one_that_has_one(kind):
    """As the parallel links of the PR2's grippers."""
    back = HINGE.replace("turn", "back").replace("base", "finger").replace("revolute", kind)
    inside = '<link name="finger"><pose>1.5 0 0 0 0 0.3</pose></link>' + HINGE
    inside += back.replace("<axis>", "<pose>0.1 0 0 0 0.2 0</pose><axis>")
    chain = KinematicChain.from_urdf(model(inside), "base", "finger")
    assert chain.joint_names == ["turn", "back"]
    assert chain.lower.tolist() == [-1.0, -1.0] and chain.upper.tolist() == [2.0, 2.0]
    # The arm in the finger, as the joint says.
    there = KinematicChain.from_urdf(model(inside), "finger", "arm")
    straight = HINGE.replace("turn", "back").replace("base", "finger").replace("revolute", kind)
    straight = straight.replace("<axis>", "<pose>0.1 0 0 0 0.2 0</pose><axis>")
    alone = model('<link name="finger"><pose>1.5 0 0 0 0 0.3</pose></link>' + straight)
    alone = alone.replace('<link name="base"/>', "")
    expected = KinematicChain.from_urdf(alone, "finger", "arm").forward([0.7])
    np.testing.assert_allclose(there.forward([0.7]), expected, atol=1e-12)


def test_joints_may_have_names_of_links_before_version_1_7():
    """As in Gazebo's own UR10."""
    same = HINGE.replace('"turn"', '"arm"').replace("<axis>", "<pose>-1 0 0 0 0 0</pose><axis>")
    chain = KinematicChain.from_urdf(model(same, "1.4"), "base", "arm")
    assert chain.joint_names == ["arm"]
    np.testing.assert_allclose(chain.forward([np.pi / 2])[:3, 3], [0.0, 1.0, 0.0], atol=1e-12)
    with pytest.raises(RobotDescriptionError, match="'arm' is defined twice"):
        KinematicChain.from_urdf(model(same, "1.7"), "base", "arm")


def test_comments_may_be_such_as_gazebo_takes(tmp_path):
    odd = "<!-- -- a licence -->\n<?xml version='1.0'?><!-- <sdf> -->"
    inside = "<!--- a -- b --->" + HINGE
    file = tmp_path / "model.sdf"
    file.write_text(odd + model(inside))
    for source in (odd + model(inside), file):
        assert [joint.name for joint in RobotDescription.from_urdf(source).joints] == ["turn"]
    wrong = "<!-- -- -->\n" + model(HINGE).replace("</sdf>", "\n</sd>")
    with pytest.raises(RobotDescriptionError, match="line 1"):
        RobotDescription.from_urdf(wrong)


@pytest.mark.parametrize("inside", [inside for inside, _ in UNSUPPORTED])
def test_unsupported_joints_elsewhere_do_not_matter(inside):
    odd = inside.replace("turn", "odd").replace("base", "arm", 1).replace("<child>arm", "<child>x")
    text = model(HINGE + '<link name="x"/>' + odd)
    assert KinematicChain.from_urdf(text, "base", "arm").joint_names == ["turn"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<sdf version="1.9"/>', "has no model"),
        ('<sdf version="1.9"><include/></sdf>', "included files are not read"),
        ('<sdf version="1.9"><model name="a"/><model name="b"/></sdf>', "2 models, not one: a, b"),
        ('<sdf><model name="a"/></sdf>', "the version ''"),
        ('<sdf version="1.2"><model name="a"/></sdf>', "the version '1.2'"),
        ('<sdf version="2.0"><model name="a"/></sdf>', "the version '2.0'"),
    ],
)
def test_documents_without_one_model(text, message):
    with pytest.raises(RobotDescriptionError, match=message):
        RobotDescription.from_urdf(text)


def test_a_model_in_a_world():
    inside = model(HINGE).removeprefix('<sdf version="1.9">').removesuffix("</sdf>")
    text = f'<sdf version="1.9"><world name="w">{inside}</world></sdf>'
    assert KinematicChain.from_urdf(text).joint_names == ["turn"]


@pytest.mark.slow
def test_a_long_row_of_frames_is_no_recursion():
    rows = "".join(
        f'<frame name="f{i}" attached_to="{f"f{i - 1}" if i else "arm"}"><pose>0 0 0.001 0 0 0'
        "</pose></frame>"
        for i in reversed(range(3000))
    )
    chain = KinematicChain.from_urdf(model(rows + HINGE), "base", "f2999")
    np.testing.assert_allclose(chain.forward([0.0])[:3, 3], [1.0, 0.0, 3.0], atol=1e-9)


def test_a_shipped_robot_is_no_sdf():
    """The file decides, not its name."""
    assert RobotDescription.from_urdf(robot_urdf_path("ur10")).joint_named


def test_the_joint_that_closes_a_loop_has_limits():
    narrow = HINGE.replace("turn", "also").replace("-1</lower>", "-0.5</lower>")
    tree = KinematicTree.from_urdf(model(HINGE + narrow), "base", ["arm"])
    assert (tree.names, tree.mobility) == (("turn",), 1)
    for q, solved in ((-0.4, True), (-0.6, False), (1.9, True)):
        found = IKSolver(tree).solve(tree.forward([q])[0], 1)
        assert bool(found.counts[0]) == solved


CRANK = (
    '<link name="rod"><pose>1.2 0.4 0 0 0 0</pose></link>'
    '<link name="slider"><pose>2 0 0 0 0 0</pose></link>'
    '<joint name="pin" type="revolute"><parent>arm</parent><child>rod</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint>"
    '<joint name="end" type="revolute"><parent>rod</parent><child>slider</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint>"
)
RAIL = '<joint name="rail" type="{}"><parent>{}</parent><child>{}</child>{}</joint>'


@pytest.mark.parametrize(
    ("kind", "axis", "mobility"),
    [("prismatic", "1 0 0", 1), ("fixed", "", 0), ("ball", "", 1), ("revolute", "0 0 1", 1)],
)
def test_joints_of_other_types_close_loops(kind, axis, mobility):
    """A slider-crank: a crank turns, its rod goes to a slider, which a rail guides or holds."""
    axis = axis and f"<axis><xyz>{axis}</xyz></axis>"
    rail = RAIL.format(kind, "base", "slider", axis)
    tree = KinematicTree.from_urdf(model(HINGE + CRANK + rail), "base", ["slider"])
    assert (tree.names, tree.mobility) == (("turn", "pin", "end"), mobility)
    distances, angles = tree.closure_errors(np.zeros(3))
    assert max(distances.max(), angles.max()) < 1e-12
    if kind == "prismatic":
        (slider,) = tree.forward(tree.close([0.5, 0.0, 0.0], hold=["turn"]))
        # By hand: the crank's pin, and the rod from there to the rail.
        pin = np.array([1.0, 0.0]) + turn(np.array([0, 0, 1.0]), 0.5)[:2, :2] @ [0.2, 0.4]
        along = np.sqrt(0.8**2 + 0.4**2 - pin[1] ** 2)
        np.testing.assert_allclose(slider[:3, 3], [pin[0] + along, 0.0, 0.0], atol=1e-9)
        np.testing.assert_allclose(slider[:3, :3], np.eye(3), atol=1e-9)


def test_the_root_may_be_the_child_of_a_joint_that_closes_a_loop():
    axis = "<axis><xyz>1 0 0</xyz></axis>"
    for ends in (("base", "slider"), ("slider", "base")):
        rail = RAIL.format("prismatic", *ends, axis)
        tree = KinematicTree.from_urdf(model(HINGE + CRANK + rail), "base", ["slider"])
        assert (tree.description.root, tree.mobility) == ("base", 1)
