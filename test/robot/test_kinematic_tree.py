"""Kinematic trees: by hand, against chains, finite differences and pinocchio."""

import dataclasses
import pickle

import numpy as np
import pytest
from odd_chains import CHAINS
from real_robots import PinocchioChain, example_robot, needs_real_robots
from robots import configurations
from test_chain import LIMIT, Z, link, mimic, robot

from generative_ik_ros.errors import (
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.known import load_robot, robot_names
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms

Y = '<axis xyz="0 1 0"/>'
TWO_ARMS = robot(
    link(1, origin="0 0 1"),  # the waist
    link(2, inside=Y + LIMIT, origin="0 0.2 0.5", rpy="0.3 0 0.1"),
    link(3, inside=Z + LIMIT, origin="0.4 0 0"),
    link(4, "fixed", "", origin="0.1 0 0.05"),  # the left hand
    link(5, inside=Y + LIMIT, origin="0 -0.2 0.5", rpy="-0.3 0 0.1", parent="l1"),
    link(6, "prismatic", '<axis xyz="1 0 0"/><limit lower="-0.1" upper="0.3"/>', "0.4 0 0"),
    link(7, inside=Z + mimic("j3", -0.5, 0.2), origin="0.2 0 0"),  # the right hand
    link(8, inside=Y + LIMIT, origin="0 0 0.8", parent="l1"),  # the head
)
"""A waist, two arms and a head. The right wrist mimics the left one."""
MANY = {
    "two arms": (TWO_ARMS, None, ("l4", "l7"), {}),
    "right first": (TWO_ARMS, None, ("l7", "l4"), {}),
    "tips within": (TWO_ARMS, None, ("l1", "l7", "l5", "l8"), {}),
    "from a hand": (TWO_ARMS, "l4", ("l7", "l8", "l0"), {}),
    "from an elbow": (TWO_ARMS, "l2", ("l4", "l7"), {}),
    "a tray": (TWO_ARMS, None, ("l4", "l7"), {"l7": "l4"}),
    "only relative": (TWO_ARMS, None, ("l7",), {"l7": "l4"}),
    "seen from the head": (TWO_ARMS, "l5", ("l4", "l7"), {"l4": "l8", "l7": "l3"}),
}
TREES = {
    name: KinematicTree.from_urdf(text, base, tips, reference_links=references)
    for name, (text, base, tips, references) in MANY.items()
}
each_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
SINGLE = CHAINS | {name: load_robot(name) for name in robot_names()}


def by_links(tree, q):
    """Place each tip in its reference link by the frames of all links."""
    frames = link_transforms(
        tree.description, dict(zip(tree.names, q.T, strict=True)), tree.base_link
    )
    return np.stack(
        [
            inverse(frames[reference]) @ frames[tip]
            for tip, reference in zip(tree.tip_links, tree.reference_links, strict=True)
        ],
        axis=-3,
    )


def test_two_planar_fingers_by_hand():
    """A palm that turns, and two fingers 1 m beside it that reach 1 m to the front."""
    text = robot(
        link(1),
        link(2, origin="0 1 0"),
        link(3, "fixed", "", origin="1 0 0"),
        link(4, origin="0 -1 0", parent="l1"),
        link(5, "fixed", "", origin="1 0 0"),
    )
    tree = KinematicTree.from_urdf(text, tip_links=["l3", "l5"])
    assert tree.names == ("j1", "j2", "j4") and tree.joint_parent.tolist() == [-1, 0, 0]
    assert (tree.tip_joint.tolist(), tree.reference_joint.tolist()) == ([1, 2], [-1, -1])
    assert tree.num_tips == 2 and tree.num_joints == 3 and tree.reach == pytest.approx(2.0)
    assert repr(tree) == "KinematicTree('', 'l0' -> 'l3', 'l5', 3 joints)"
    quarter = np.pi / 2
    tips = tree.forward([quarter, 0.0, quarter])
    np.testing.assert_allclose(tips[:, :3, 3], [[-1, 1, 0], [0, 0, 0]], atol=1e-15)
    columns = tree.jacobian([quarter, 0.0, quarter])
    np.testing.assert_allclose(columns[0, :2], [[-1, -1, 0], [-1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(columns[1, :2], [[0, 0, 0], [0, 0, -1]], atol=1e-15)
    np.testing.assert_allclose(columns[:, 5], [[1, 1, 0], [1, 0, 1]])


@each_tree
def test_forward_agrees_with_the_frames_of_all_links(tree):
    q = configurations(tree, 20)
    tips = tree.forward(q)
    np.testing.assert_allclose(tips, by_links(tree, q), atol=1e-14)
    for k, chain in enumerate(tree.chains):
        columns = [tree.names.index(name) for name in chain.names]
        np.testing.assert_allclose(tips[:, k], chain.forward(q[:, columns]), atol=1e-14)


@each_tree
def test_jacobian_is_the_central_difference(tree):
    """In the base's axes: what moves the tip against its reference, seen by the base."""
    q, step = configurations(tree, 5, seed=1), 1e-6
    tips, columns = tree.tip_and_jacobian(q)
    np.testing.assert_allclose(tips, tree.forward(q), rtol=0.0, atol=1e-14)
    values = dict(zip(tree.names, q.T, strict=True))
    frames = link_transforms(tree.description, values, tree.base_link)
    turned = np.stack([frames[link][:, :3, :3] for link in tree.reference_links], axis=1)
    for j, unit in enumerate(np.eye(tree.num_joints)):
        rate = (tree.forward(q + step * unit) - tree.forward(q - step * unit)) / (2 * step)
        spin = rate[..., :3, :3] @ np.swapaxes(tips[..., :3, :3], -1, -2)
        angular = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
        for found, expected in (
            (columns[..., :3, j], rate[..., :3, 3]),
            (columns[..., 3:, j], angular),
        ):
            seen = (turned @ expected[..., None])[..., 0]
            np.testing.assert_allclose(found, seen, atol=2e-9)


@pytest.mark.parametrize("chain", SINGLE.values(), ids=SINGLE.keys())
def test_a_tree_of_one_tip_is_the_chain(chain):
    tree = KinematicTree.from_urdf(chain.description, chain.base_link, [chain.tip_link])
    fields = [field.name for field in dataclasses.fields(chain) if "tip" not in field.name]
    properties = ["periodic", "circular", "joint_units", "reach", "characteristic_length"]
    for name in [*fields, *properties, "fingerprint", "joint_names", "num_joints"]:
        ours, theirs = getattr(tree, name), getattr(chain, name)
        assert np.array_equal(ours, theirs), name
    q = configurations(chain, 20)
    np.testing.assert_allclose(tree.forward(q)[:, 0], chain.forward(q), rtol=0, atol=1e-14)
    np.testing.assert_allclose(tree.jacobian(q)[:, 0], chain.jacobian(q), rtol=0, atol=1e-14)
    assert tree.joint_parent.tolist() == list(range(-1, len(tree.joint_axes) - 1))


def test_mimic_joints_follow_across_branches():
    tree = TREES["two arms"]
    assert tree.names == ("j1", "j2", "j3", "j5", "j6")
    assert tree.joint_variable.tolist() == [0, 1, 2, 3, 4, 2]
    assert tree.joint_multiplier[-1] == -0.5 and tree.joint_offset[-1] == 0.2
    # Without the left hand, its wrist is still a variable, the last one.
    right = KinematicTree.from_urdf(TWO_ARMS, tip_links=["l7"])
    assert right.names == ("j1", "j5", "j6", "j3")


def test_what_does_not_move_tips_against_their_references_is_no_variable():
    tree = TREES["only relative"]
    assert "j1" not in tree.names and set(tree.names) == {"j2", "j3", "j5", "j6"}
    np.testing.assert_array_equal(tree.joint_parent, [-1, 0, 1, -1, 3])
    chain = KinematicChain.from_urdf(TWO_ARMS, "l4", "l7")
    assert tree.reach == chain.reach and tree.fingerprint == chain.fingerprint
    # It stands where drawings and collision checks place it, nearest to zero.
    away = robot(
        link(1, inside=Z + '<limit lower="0.5" upper="1"/>'),
        link(2),
        link(3, parent="l1"),
    )
    standing = KinematicTree.from_urdf(away, tip_links=["l3"], reference_links={"l3": "l2"})
    assert set(standing.names) == {"j2", "j3"}
    cosine = np.cos(0.5)
    np.testing.assert_allclose(standing.joint_origins[:, 0, 0], [cosine, cosine])


def test_limits_of_velocity_are_the_least_of_driver_and_followers():
    speed = '<limit lower="-1" upper="1" velocity="{}"/>'
    text = robot(
        link(1, inside=Z + speed.format(2)),
        link(2, inside=Z + speed.format(3), parent="l0"),
        link(3, inside=Z + mimic("j2", 2.0) + speed.format(1), parent="l0"),
        link(4, inside=Z + mimic("j1", -0.5) + '<limit lower="-1" upper="1"/>', parent="l3"),
    )
    tree = KinematicTree.from_urdf(text, tip_links=["l1", "l2", "l4"])
    assert dict(zip(tree.names, tree.velocity_limits, strict=True)) == {"j1": 2.0, "j2": 0.5}


def test_fingerprints_know_sharing_and_order_but_no_mounting():
    tree = TREES["two arms"]
    prints = {name: other.fingerprint for name, other in TREES.items()}
    assert len(set(prints.values())) == len(prints)
    assert all(len(text) == 16 for text in prints.values())
    moved = TWO_ARMS.replace('<origin xyz="0 0 1"', '<origin xyz="3 2 1"')
    moved = moved.replace("0.1 0 0.05", "0.4 0.1 0")
    assert KinematicTree.from_urdf(moved, None, tree.tip_links).fingerprint == tree.fingerprint
    longer = TWO_ARMS.replace('xyz="0.4 0 0"', 'xyz="0.41 0 0"', 1)
    assert KinematicTree.from_urdf(longer, None, tree.tip_links).fingerprint != tree.fingerprint
    # Two arms that are each other's copy, on one shoulder or on two.
    arms = [link(2, origin="0.3 0 0"), link(3), link(4, origin="0.3 0 0", parent="l3")]
    apart = robot(link(1), *arms[:1], link(3, parent="l0"), *arms[2:])
    shared = robot(link(1), *arms[:1], link(3, "fixed", "", parent="l1"), *arms[2:])
    one, other = (KinematicTree.from_urdf(t, None, ["l2", "l4"]) for t in (apart, shared))
    assert [chain.fingerprint for chain in one.chains] == [
        chain.fingerprint for chain in other.chains
    ]
    assert (one.num_joints, other.num_joints) == (4, 3) and one.fingerprint != other.fingerprint


@pytest.mark.parametrize("batch", [(), (1,), (2, 3), (0,)], ids=str)
def test_batch_axes(batch):
    tree = TREES["a tray"]
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (*batch, tree.num_joints))
    tips, columns = tree.tip_and_jacobian(q)
    assert tips.shape == tree.forward(q).shape == (*batch, 2, 4, 4)
    assert columns.shape == (*batch, 2, 6, tree.num_joints)
    for index in np.ndindex(batch):
        np.testing.assert_allclose(columns[index], tree.jacobian(q[index]), atol=1e-15)
        np.testing.assert_allclose(tips[index], tree.forward(q[index]), atol=1e-15)


def test_reach_bounds_every_tip():
    for tree in TREES.values():
        tips = tree.forward(configurations(tree, 500))
        for k, chain in enumerate(tree.chains):
            first = chain.joint_origins[0, :3, 3]
            distance = np.linalg.norm(tips[:, k, :3, 3] - first, axis=1)
            assert distance.max() <= tree.reach + 1e-12


def test_nothing_of_a_tree_can_be_changed_and_it_can_be_sent():
    tree = TREES["a tray"]
    for field in dataclasses.fields(tree):
        value = getattr(tree, field.name)
        assert not isinstance(value, np.ndarray) or not value.flags.writeable, field.name
    sent = pickle.loads(pickle.dumps(tree))
    q = configurations(tree, 3)
    np.testing.assert_array_equal(sent.jacobian(q), tree.jacobian(q))
    assert sent.fingerprint == tree.fingerprint and tree in {tree}
    assert repr(tree) == "KinematicTree('', 'l0' -> 'l4', 'l7' in 'l4', 5 joints)"


LONG = robot(*(link(i) for i in range(1, 41)), *(link(i) for i in range(41, 67)))
LONG = LONG.replace('<parent link="l40"/>', '<parent link="l0"/>')


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"tip_links": "l4"}, InvalidArgumentError, "list of names, not 'l4'"),
        ({"tip_links": None}, InvalidArgumentError, "list of names, not None"),
        ({}, InvalidArgumentError, "is empty; leaves of the robot: l4, l7, l8"),
        ({"tip_links": ["l4"] * 17}, InvalidArgumentError, "17 names, at most 16"),
        ({"tip_links": ["l4", "l7", "l4"]}, InvalidArgumentError, "names 'l4' twice"),
        ({"tip_links": ["l4", "hand"]}, UnknownNameError, "unknown link 'hand'; choose from: l0"),
        ({"tip_links": ["l4", 7]}, UnknownNameError, "unknown link '7'"),
        ({"tip_links": ["l4"], "base_link": "b"}, UnknownNameError, "unknown link 'b'"),
        (
            {"tip_links": ["l4"], "reference_links": {"l7": "l0"}},
            UnknownNameError,
            "unknown tip link 'l7'; choose from: l4",
        ),
        (
            {"tip_links": ["l4"], "reference_links": {"l4": "x"}},
            UnknownNameError,
            "unknown link 'x'",
        ),
        (
            {"tip_links": ["l4"], "reference_links": "l0"},
            InvalidArgumentError,
            "must map tip links to links, not str",
        ),
        (
            {"tip_links": ["l4"], "reference_links": {"l4": "l3"}},
            RobotDescriptionError,
            "no joint moves between 'l3' and 'l4'",
        ),
        (
            {"tip_links": ["l4", "l0"]},
            RobotDescriptionError,
            "no joint moves between 'l0' and 'l0'",
        ),
        (
            {"source": LONG, "tip_links": ["l40", "l66"]},
            RobotDescriptionError,
            "66 joints move between 'l0' and 'l40', 'l66', at most 64 may",
        ),
        (
            {"source": TWO_ARMS.replace('"prismatic"', '"floating"'), "tip_links": ["l4", "l7"]},
            RobotDescriptionError,
            "joint 'j6' between 'l0' and 'l7' is floating",
        ),
        (
            {"tip_links": ["l4"], "missing_limits": "none"},
            InvalidArgumentError,
            "'error' or 'continuous', not 'none'",
        ),
    ],
)
def test_misuse_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        KinematicTree.from_urdf(**{"source": TWO_ARMS, **arguments})


def test_misuse_of_positions_is_named():
    with pytest.raises(InvalidArgumentError, match="must be 5 long: j1, j2, j3, j5, j6"):
        TREES["two arms"].forward(np.zeros(3))
    with pytest.raises(InvalidArgumentError, match="not finite: j5"):
        TREES["two arms"].check_positions([0, 0, 0, np.nan, 0])


TALOS = "talos_data/robots/talos_full_v2.urdf"
HANDS = ("gripper_left_base_link", "gripper_right_base_link")
TIAGO = "tiago_description/robots/tiago_dual.urdf"
PR2 = ("l_gripper_tool_frame", "r_gripper_tool_frame", "l_gripper_l_finger_tip_link")
REAL = {
    "tiago_dual": (TIAGO, None, ("hand_left_tool_link", "hand_right_tool_link"), {}),
    "talos": (TALOS, None, (*HANDS, "left_sole_link", "right_sole_link", "head_2_link"), {}),
    "talos on a foot": (TALOS, "left_sole_link", ("right_sole_link", *HANDS), {}),
    "talos with a tray": (TALOS, "base_link", HANDS, {HANDS[1]: HANDS[0]}),
    "talos, relative": (TALOS, "base_link", HANDS[1:], {HANDS[1]: HANDS[0]}),
    "baxter": ("baxter_description/urdf/baxter.urdf", None, ("left_gripper", "right_gripper"), {}),
    "pr2": ("pr2_description/urdf/pr2.urdf", "base_link", PR2, {}),
    "pr2 from a forearm": (
        "pr2_description/urdf/pr2.urdf",
        "r_forearm_roll_link",
        PR2,
        {PR2[2]: "base_link"},
    ),
}


@pytest.mark.slow
@needs_real_robots
@pytest.mark.parametrize(("file", "base", "tips", "references"), REAL.values(), ids=REAL.keys())
def test_pinocchio_agrees_on_real_robots(file, base, tips, references):
    text = example_robot(file).read_text(encoding="utf-8")
    tree = KinematicTree.from_urdf(text, base, tips, reference_links=references)
    q = configurations(tree, 3)
    poses, columns = tree.tip_and_jacobian(q)
    np.testing.assert_allclose(poses, tree.forward(q), rtol=0.0, atol=1e-13)
    for k, (tip, reference) in enumerate(zip(tips, tree.reference_links, strict=True)):
        pair = PinocchioChain(text, reference, tip)
        seen = PinocchioChain(text, tree.base_link, reference)
        for i, row in enumerate(q):
            expected = pair.tip_in_base(tree.names, row)
            np.testing.assert_allclose(poses[i, k], expected, atol=1e-13)
            turned = seen.tip_in_base(tree.names, row)[:3, :3]
            # The joints above both stand at zero, and do not turn the base's axes.
            expected = pair.jacobian(tree.joint_names, row).reshape(2, 3, -1)
            np.testing.assert_allclose(
                columns[i, k], (turned @ expected).reshape(6, -1), atol=1e-13
            )
