"""Chains cut out of robots: answers worked out by hand."""

import dataclasses

import numpy as np
import pytest
from bad_urdfs import GOOD_URDF, joint, with_extra

from generative_ik_ros.errors import (
    AmbiguousChainError,
    InvalidArgumentError,
    RobotDescriptionError,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.rigid import inverse

LIMIT = '<limit lower="-3" upper="3"/>'
Z = '<axis xyz="0 0 1"/>'


def robot(*joints: str) -> str:
    """A robot of links l0, l1, ... that `joints` connect."""
    links = "".join(f'<link name="l{i}"/>' for i in range(len(joints) + 1))
    return f"<robot>{links}{''.join(joints)}</robot>"


def link(i, kind="revolute", inside=Z + LIMIT, origin="0 0 0", rpy="0 0 0", parent=None):
    """The joint ji from l(i-1), or from another parent, to li."""
    inside = f'<origin xyz="{origin}" rpy="{rpy}"/>' + inside
    return joint(f"j{i}", f"l{i - 1}" if parent is None else parent, f"l{i}", kind, inside)


PLANAR = robot(
    link(1),
    link(2, origin="2 0 0"),
    link(3, "fixed", "", origin="1 0 0"),
)
"""Two parallel joints, 2 m and 1 m of arm."""


def planar_tip(first, second):
    angle = first + second
    x = 2 * np.cos(first) + np.cos(angle)
    y = 2 * np.sin(first) + np.sin(angle)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, 0], [0, 0, 0, 1]])


def test_planar_arm():
    chain = KinematicChain.from_urdf(PLANAR)
    np.testing.assert_allclose(chain.forward([0.3, -1.1]), planar_tip(0.3, -1.1), atol=1e-15)
    assert chain.reach == pytest.approx(3.0)
    assert chain.joint_names == ["j1", "j2"] and chain.num_joints == 2
    assert chain.lower.tolist() == [-3.0, -3.0] and chain.upper.tolist() == [3.0, 3.0]
    assert not chain.continuous.any() and not chain.prismatic.any()
    assert repr(chain) == "KinematicChain('', 'l0' -> 'l3', 2 joints)"


def test_batches_of_any_shape():
    chain = KinematicChain.from_urdf(PLANAR)
    q = np.random.default_rng(0).uniform(-3, 3, (2, 3, 2))
    poses = chain.forward(q)
    assert poses.shape == (2, 3, 4, 4) and poses.dtype == np.float64
    for i in np.ndindex(2, 3):
        np.testing.assert_allclose(poses[i], planar_tip(*q[i]), atol=1e-15)
    assert chain.forward(np.empty((0, 2))).shape == (0, 4, 4)
    assert chain.forward([[1, 2]]).shape == (1, 4, 4)


def test_upward_joints_turn_the_other_way():
    there = KinematicChain.from_urdf(PLANAR, "l0", "l3")
    back = KinematicChain.from_urdf(PLANAR, "l3", "l0")
    assert back.joint_names == ["j2", "j1"]
    np.testing.assert_array_equal(back.joint_axes, [[0, 0, -1], [0, 0, -1]])
    np.testing.assert_allclose(back.joint_origins[0][:3, 3], [-1, 0, 0])
    np.testing.assert_allclose(back.joint_origins[1][:3, 3], [-2, 0, 0])
    np.testing.assert_allclose(
        back.forward([-1.1, 0.3]), inverse(there.forward([0.3, -1.1])), atol=1e-15
    )


def test_up_one_branch_and_down_another():
    """From the left hand to the right hand: both shoulders hang off the root."""
    chain = KinematicChain.from_urdf(
        robot(link(1, origin="0 1 0"), link(2, origin="0 -1 0", parent="l0")), "l1", "l2"
    )
    assert chain.joint_names == ["j1", "j2"]
    # The left frame turns by +90 degrees, so the right shoulder, 2 m along -y, is seen at -x.
    np.testing.assert_allclose(
        chain.forward([np.pi / 2, np.pi / 2])[:3, 3], [-2, 0, 0], atol=1e-15
    )
    np.testing.assert_allclose(chain.forward([0.4, 0.4])[:3, :3], np.eye(3), atol=1e-15)


def test_prismatic_joint_and_axis_of_any_length():
    chain = KinematicChain.from_urdf(
        robot(
            link(1, "prismatic", '<axis xyz="0 3 4"/><limit lower="-1" upper="2"/>', rpy="0 0 0"),
            link(2, "prismatic", '<limit lower="0" upper="1"/>', origin="0 0 1", rpy="0 0 0"),
        )
    )
    np.testing.assert_allclose(chain.forward([2.0, 0.5])[:3, 3], [0.5, 1.2, 2.6])
    assert chain.prismatic.tolist() == [True, True]
    assert chain.joint_axes[1].tolist() == [1.0, 0.0, 0.0]  # URDF's axis when none is given
    assert chain.reach == pytest.approx(2 + 1 + 1)


def test_fixed_joints_are_folded_in():
    chain = KinematicChain.from_urdf(
        robot(
            link(1, "fixed", "", origin="1 0 0", rpy="0 0 1.5707963267948966"),
            link(2, origin="1 0 0"),
            link(3, "fixed", "", origin="0 0 5"),
            link(4, "fixed", "", origin="0 0 6"),
        )
    )
    np.testing.assert_allclose(chain.joint_origins[0][:3, 3], [1, 1, 0], atol=1e-15)
    np.testing.assert_allclose(chain.tip_in_last_joint[:3, 3], [0, 0, 11])
    assert len(chain.joint_origins) == 1


def mimic(of, multiplier=1.0, offset=0.0):
    return f'<mimic joint="{of}" multiplier="{multiplier}" offset="{offset}"/>'


def test_mimic_of_a_joint_on_the_path():
    chain = KinematicChain.from_urdf(
        robot(link(1), link(2, inside=Z + mimic("j1", -2, 0.5), origin="2 0 0"))
    )
    assert chain.joint_names == ["j1"]
    assert chain.joint_variable.tolist() == [0, 0]
    np.testing.assert_allclose(
        chain.forward([0.3])[:3, :3], planar_tip(0.3, -0.1)[:3, :3], atol=1e-15
    )


def test_mimic_of_a_later_joint_and_of_a_mimic():
    chain = KinematicChain.from_urdf(
        robot(
            link(1, inside=Z + mimic("j2", 3, 1)),
            link(2, inside=Z + mimic("j3", 2, 0.5)),
            link(3, inside=Z + '<limit lower="-0.1" upper="0.2"/>'),
        )
    )
    assert chain.joint_names == ["j3"]
    assert chain.joint_multiplier.tolist() == [6.0, 2.0, 1.0]
    assert chain.joint_offset.tolist() == [2.5, 0.5, 0.0]
    assert (chain.lower.tolist(), chain.upper.tolist()) == ([-0.1], [0.2])


def test_a_mimic_of_no_joint_concerns_only_chains_that_pass_it():
    text = robot(link(1), link(2), link(3, inside=Z + LIMIT + mimic("left_finger"), parent="l1"))
    assert KinematicChain.from_urdf(text, tip_link="l2").joint_names == ["j1", "j2"]
    with pytest.raises(RobotDescriptionError, match="j3.*mimics 'left_finger', which is not def"):
        KinematicChain.from_urdf(text, tip_link="l3")
    held = KinematicChain.from_urdf(text, tip_link="l3", fixed={"j3": 0.5})
    assert held.joint_names == ["j1"]


def test_driver_off_the_path_becomes_the_last_variable():
    finger = '<axis xyz="0 1 0"/><limit lower="0" upper="0.04"/>'
    text = robot(
        link(1),
        link(2, "prismatic", finger),
        link(3, "prismatic", '<axis xyz="0 -1 0"/>' + mimic("j2"), parent="l1"),
        link(4, inside=Z + LIMIT),
    )
    chain = KinematicChain.from_urdf(text, tip_link="l4")
    assert chain.joint_names == ["j1", "j4", "j2"]
    assert chain.prismatic.tolist() == [False, False, True]
    assert chain.upper.tolist() == [3.0, 3.0, 0.04]
    np.testing.assert_allclose(chain.forward([0, 0, 0.03])[:3, 3], [0, -0.03, 0])


@pytest.mark.parametrize(
    ("driver", "followers", "lower", "upper"),
    [
        (LIMIT, ["j1", 2, 0.5, -1, 1], -0.75, 0.25),
        (LIMIT, ["j1", -2, 0.5, -1, 2], -0.75, 0.75),
        # A mimic of a mimic: 2 (3 q + 1) is within -4 and 5.
        (LIMIT, ["j1", 3, 1, -5, 5, "j2", 2, 0, -4, 5], -1.0, 0.5),
        ("", ["j1", 0.5, 0, -0.2, 0.1], -0.4, 0.2),
        (LIMIT, ["j1", 0, 5, -1, 1], -3, 3),
        (LIMIT, ["j1", 1, 0, -1e16, 1e16], -3, 3),
    ],
)
def test_a_driver_stays_where_its_followers_are_within_their_limits(
    driver, followers, lower, upper
):
    rows = [followers[k : k + 5] for k in range(0, len(followers), 5)]
    joints = [
        link(k, inside=Z + mimic(*row[:3]) + f'<limit lower="{row[3]}" upper="{row[4]}"/>')
        for k, row in enumerate(rows, 2)
    ]
    chain = KinematicChain.from_urdf(robot(link(1, inside=Z + driver), *joints))
    np.testing.assert_allclose([*chain.lower, *chain.upper], [lower, upper], atol=1e-15)
    assert not chain.continuous.any()


def test_limits_of_followers_count_where_they_move():
    """The driver is off the path, shared by two tips, or fixed."""
    text = robot(
        link(1),
        link(2, inside=Z + mimic("j1", 2) + '<limit lower="-1" upper="2"/>', parent="l0"),
        link(3, inside=Z + mimic("j1", -1) + '<limit lower="-0.4" upper="9"/>', parent="l0"),
    )
    ends = {tip: KinematicChain.from_urdf(text, tip_link=tip) for tip in ("l1", "l2", "l3")}
    limits = {tip: [*chain.lower, *chain.upper] for tip, chain in ends.items()}
    assert limits == {"l1": [-3.0, 3.0], "l2": [-0.5, 1.0], "l3": [-3.0, 0.4]}
    tree = KinematicTree.from_urdf(text, None, ["l1", "l2", "l3"])
    assert [*tree.lower, *tree.upper] == [-0.5, 0.4]
    beside = text.replace("</robot>", '<link name="l4"/>' + link(4, parent="l2") + "</robot>")
    with pytest.raises(InvalidArgumentError, match="cannot stand at 1.5: 'j2', which follows it"):
        KinematicChain.from_urdf(beside, tip_link="l4", fixed={"j1": 1.5})
    assert KinematicChain.from_urdf(beside, tip_link="l4", fixed={"j1": 1.0}).names == ("j4",)


def test_rack_and_pinion():
    """A shift that follows a turn: 0.1 m a radian."""
    chain = KinematicChain.from_urdf(
        robot(link(1), link(2, "prismatic", '<axis xyz="1 0 0"/>' + mimic("j1", 0.1)))
    )
    assert chain.prismatic.tolist() == [False] and chain.joint_prismatic.tolist() == [False, True]
    np.testing.assert_allclose(
        chain.forward([np.pi / 2])[:3, 3], [0, 0.1 * np.pi / 2, 0], atol=1e-15
    )
    assert chain.reach == pytest.approx(0.3)


def test_whole_turns_of_a_continuous_driver_stay_continuous():
    chain = KinematicChain.from_urdf(
        robot(link(1, "continuous", Z), link(2, "continuous", Z + mimic("j1", -2)))
    )
    assert chain.continuous.tolist() == [True] and chain.reach == 0.0
    np.testing.assert_allclose(chain.forward([0.4]), chain.forward([0.4 + 2 * np.pi]), atol=1e-14)


def test_missing_limits_can_mean_continuous():
    text = robot(link(1, inside=Z), link(2))
    with pytest.raises(RobotDescriptionError, match="'j1' has no limits"):
        KinematicChain.from_urdf(text)
    chain = KinematicChain.from_urdf(text, missing_limits="continuous")
    assert chain.continuous.tolist() == [True, False]
    assert chain.lower.tolist() == [-np.inf, -3.0]
    with pytest.raises(InvalidArgumentError, match="'error' or 'continuous', not 'none'"):
        KinematicChain.from_urdf(text, missing_limits="none")  # pyright: ignore


def test_placeholder_limits_mean_unlimited():
    chain = KinematicChain.from_urdf(
        robot(link(1, inside=Z + '<limit lower="-1e16" upper="1e16"/>'))
    )
    assert chain.continuous.tolist() == [True] and np.isinf(chain.upper).all()


def test_equal_limits_are_allowed():
    chain = KinematicChain.from_urdf(robot(link(1, inside=Z + '<limit lower="1" upper="1"/>')))
    assert chain.lower == chain.upper == [1.0]


def test_tip_is_found_when_there_is_one():
    assert KinematicChain.from_urdf(GOOD_URDF).tip_link == "tip"
    # Leaves that do not move against the base, or hang off a floating joint, are no candidates.
    extra = '<link name="a"/>' + joint("a", "base", "a")
    extra += '<link name="b"/>' + joint("b", "base", "b", "floating")
    extra += '<link name="c"/>' + joint("c", "b", "c", "continuous")
    assert KinematicChain.from_urdf(with_extra(extra)).tip_link == "tip"
    assert KinematicChain.from_urdf(with_extra(extra), base_link="b").tip_link == "c"


def test_leaves_that_coincide_are_one():
    same = '<link name="a"/>' + joint("a", "wrist", "a", inside='<origin xyz="0 0 0.1"/>')
    assert KinematicChain.from_urdf(with_extra(same)).tip_link == "tip"
    apart = same.replace("0.1", "0.11")
    with pytest.raises(AmbiguousChainError, match="from: a, tip|from: tip, a"):
        KinematicChain.from_urdf(with_extra(apart))


def test_base_defaults_to_the_root_and_a_link_in_the_middle_will_do():
    chain = KinematicChain.from_urdf(GOOD_URDF, "upper", "wrist")
    assert chain.joint_names == ["slide", "roll"]
    assert KinematicChain.from_urdf(GOOD_URDF, tip_link="slider").base_link == "base"


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([0.0], r"shape \(1,\); the last axis must be 3 long: turn, slide, roll"),
        (0.0, r"shape \(\)"),
        (np.zeros((3, 2)), "must be 3 long"),
        ([0.0, np.nan, np.inf], "not finite: slide, roll"),
        (["a", "b", "c"], "array of numbers"),
        ([[0.0, 0.0, 0.0], [0.0]], "array of numbers"),
        (None, "array of numbers|shape"),
    ],
)
def test_check_positions_names_the_fault(q, message):
    chain = KinematicChain.from_urdf(GOOD_URDF)
    with pytest.raises(InvalidArgumentError, match=message):
        chain.check_positions(q)


def test_nothing_of_a_chain_can_be_changed():
    chain = KinematicChain.from_urdf(GOOD_URDF)
    with pytest.raises(dataclasses.FrozenInstanceError):
        chain.base_link = "tip"  # pyright: ignore
    for field in dataclasses.fields(chain):
        value = getattr(chain, field.name)
        assert not isinstance(value, np.ndarray) or not value.flags.writeable, field.name
    chain.joint_names.append("more")
    assert chain.num_joints == len(chain.joint_names) == 3
    assert chain in {chain}
