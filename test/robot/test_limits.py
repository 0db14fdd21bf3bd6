"""Joint limits of a caller's own, and soft ones of the description."""

import math

import numpy as np
import pytest
from test_chain import LIMIT, PLANAR, Z, link, robot
from test_kinematic_tree import TWO_ARMS

from generative_ik_ros.errors import (
    GenerativeIKWarning,
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.known import load_robot


def limits_of(chain):
    return list(zip(chain.lower.tolist(), chain.upper.tolist(), strict=True))


def test_own_limits_may_be_narrower_and_wider():
    chain = KinematicChain.from_urdf(PLANAR, joint_limits={"j1": (-1, 0.5), "j2": (-4, 4)})
    assert limits_of(chain) == [(-1.0, 0.5), (-4.0, 4.0)]
    assert not chain.continuous.any()
    tree = KinematicTree.from_urdf(TWO_ARMS, None, ("l4", "l7"), joint_limits={"j5": (0.25, 0.5)})
    assert limits_of(tree)[tree.names.index("j5")] == (0.25, 0.5)
    panda = load_robot("panda", joint_limits={"panda_joint2": (-0.5, 0.5)})
    assert limits_of(panda)[1] == (-0.5, 0.5)
    assert limits_of(panda)[0] == limits_of(load_robot("panda"))[0]


def test_a_continuous_joint_may_get_limits_and_a_limited_one_lose_them():
    text = robot(link(1, "continuous", Z), link(2, origin="1 0 0"), link(3, "fixed", "", "1 0 0"))
    chain = KinematicChain.from_urdf(
        text, joint_limits={"j1": (-2.0, 1.0), "j2": (-math.inf, math.inf)}
    )
    assert limits_of(chain) == [(-2.0, 1.0), (-math.inf, math.inf)]
    assert chain.continuous.tolist() == [False, True]
    assert KinematicChain.from_urdf(chain.description).fingerprint == chain.fingerprint


def test_what_was_learned_is_looked_up_by_the_limits_that_count():
    whole = load_robot("panda")
    same = dict(zip(whole.names, limits_of(whole), strict=True))
    assert load_robot("panda", joint_limits=same).fingerprint == whole.fingerprint
    narrow = load_robot("panda", joint_limits={"panda_joint1": (-1, 1)})
    assert narrow.fingerprint != whole.fingerprint


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"j9": (0, 1)}, UnknownNameError, "unknown joint 'j9'; choose from: j1, j2$"),
        ({"j3": (0, 1)}, InvalidArgumentError, "'j3' is fixed.*joints that have: j1, j2$"),
        ({"j1": (1, 0)}, InvalidArgumentError, "'j1': lower 1 is above upper 0"),
        ({"j1": (0, math.inf)}, InvalidArgumentError, "'j1' must be finite, or -inf and inf"),
        ({"j1": (0, math.nan)}, InvalidArgumentError, "'j1' must be finite"),
        ({"j1": (0, 1, 2)}, InvalidArgumentError, "'j1' must be two numbers"),
        ({"j1": 1.0}, InvalidArgumentError, "'j1' must be two numbers"),
        ([("j1", 0, 1)], InvalidArgumentError, "must map names of joints"),
    ],
    ids=str,
)
def test_unusable_limits_are_refused(given, error, words):
    for make in (
        lambda: KinematicChain.from_urdf(PLANAR, joint_limits=given),
        lambda: KinematicTree.from_urdf(PLANAR, None, ("l3",), joint_limits=given),
    ):
        with pytest.raises(error, match=words):
            make()


def test_groups_of_a_robot_with_own_limits_have_them():
    own = KinematicChain.from_urdf(PLANAR, joint_limits={"j1": (0.5, 1.0)}).description
    group = JointGroup.from_links(own, "arm")
    assert group.default_positions.tolist() == [0.75, 0.0]
    assert limits_of(group.chain())[0] == (0.5, 1.0)


def soft(lower, upper, hard=LIMIT, kind="revolute"):
    safety = f'<safety_controller k_velocity="1" soft_lower_limit="{lower}" '
    return link(1, kind, Z + hard + safety + f'soft_upper_limit="{upper}"/>')


REST = (link(2, origin="1 0 0"), link(3, "fixed", "", "1 0 0"))


@pytest.mark.parametrize(
    ("joint", "expected"),
    [
        (soft(-1, 1), (-1.0, 1.0)),
        (soft(-5, 1), (-3.0, 1.0)),
        (soft(0, 0), (-3.0, 3.0)),
        (soft("-inf", "inf"), (-3.0, 3.0)),
        (soft(0, 1), (0.0, 1.0)),
        (soft("a", "b"), (-3.0, 3.0)),
        (soft(-1, 1, "", "continuous"), (-math.inf, math.inf)),
        (link(1, inside=Z + LIMIT + '<safety_controller k_velocity="1"/>'), (-3.0, 3.0)),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:soft_limits")
def test_soft_limits_count_where_asked(joint, expected):
    text = robot(joint, *REST)
    assert limits_of(KinematicChain.from_urdf(text, soft_limits=True))[0] == expected
    assert limits_of(KinematicTree.from_urdf(text, None, ("l3",), soft_limits=True))[0] == expected
    hard = limits_of(KinematicChain.from_urdf(text))[0]
    assert hard in [(-3.0, 3.0), (-math.inf, math.inf)]
    own = KinematicChain.from_urdf(text, soft_limits=True, joint_limits={"j1": (-2, 2)})
    assert limits_of(own)[0] == (-2.0, 2.0)


def test_soft_limits_that_leave_nothing_matter_where_they_are_used():
    text = robot(soft(4, 5), *REST)
    with pytest.raises(RobotDescriptionError, match="joint 'j1' has lower limit 4 above"):
        KinematicChain.from_urdf(text, soft_limits=True)
    KinematicChain.from_urdf(text, "l1", "l3", soft_limits=True)


def test_a_robot_without_soft_limits_is_warned_of():
    with pytest.warns(GenerativeIKWarning, match="soft_limits: no joint of '' has any") as warned:
        KinematicChain.from_urdf(RobotDescription.from_urdf(PLANAR), soft_limits=True)
    assert warned[0].filename == __file__


def test_what_is_solved_is_inside_own_limits():
    from generative_ik_ros.pipeline import IKSolver

    whole = load_robot("panda")
    quarter = (whole.upper - whole.lower) / 4.0
    own = np.stack([whole.lower + quarter, whole.upper - quarter], axis=1)
    chain = load_robot("panda", joint_limits=dict(zip(whole.names, own.tolist(), strict=True)))
    poses = chain.forward(np.random.default_rng(0).uniform(*own.T, (20, 7)))
    found = IKSolver(chain).solve(poses, 5)
    assert (found.counts > 0).all()
    for b in range(20):
        assert ((found.of(b) >= own[:, 0]) & (found.of(b) <= own[:, 1])).all()
