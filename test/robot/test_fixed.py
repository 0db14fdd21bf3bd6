"""Joints that are told to stand: as if the URDF had fixed joints there."""

import math
import re

import numpy as np
import pytest
from bad_urdfs import GOOD_URDF
from odd_chains import MIMICS
from robots import configurations
from test_chain import LIMIT, Z, link, mimic, robot
from test_kinematic_tree import TWO_ARMS

from generative_ik_ros.errors import (
    GenerativeIKWarning,
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.known import known_robot, load_robot


@pytest.mark.parametrize("ends", [("l0", "l6"), ("l6", "l0")], ids=["down", "up"])
@pytest.mark.parametrize(
    ("fixed", "left"),
    [({"j1": 0.7}, ["j2", "j5"]), ({"j2": -1.2}, ["j1", "j5"]), ({"j5": 0.1, "j1": 2}, ["j2"])],
    ids=str,
)
def test_the_rest_moves_as_it_did(fixed, left, ends):
    """Followers of a joint that stands do, too: j3 follows j1, and j4 follows j2."""
    whole = KinematicChain.from_urdf(MIMICS, *ends)
    chain = KinematicChain.from_urdf(MIMICS, *ends, fixed=fixed)
    assert sorted(chain.names) == left and chain.fixed == fixed
    q = configurations(chain, 10)
    values = chain.joint_values(q)
    every = np.stack([values[name] for name in whole.names], axis=-1)
    np.testing.assert_allclose(chain.forward(q), whole.forward(every), atol=1e-14)
    columns = [whole.names.index(name) for name in chain.names]
    np.testing.assert_allclose(chain.jacobian(q), whole.jacobian(every)[..., columns], atol=1e-14)


def test_the_fingerprint_is_that_of_a_urdf_with_fixed_joints():
    text = GOOD_URDF.replace('name="slide" type="prismatic"', 'name="slide" type="fixed"')
    text = text.replace('xyz="0.4 0 0" rpy="0 1.5 0"', 'xyz="0.4 0.25 0" rpy="0 1.5 0"')
    edited = KinematicChain.from_urdf(text)
    chain = KinematicChain.from_urdf(GOOD_URDF, fixed={"slide": 0.25})
    assert chain.fingerprint == edited.fingerprint
    assert chain.fingerprint != KinematicChain.from_urdf(GOOD_URDF).fingerprint
    panda = known_robot("panda").urdf.read_text()
    arm = KinematicChain.from_urdf(panda, "panda_link0", "panda_hand", fixed={"panda_joint3": 0.4})
    joint = re.search(r'<joint name="panda_joint3".*?</joint>', panda, re.DOTALL)[0]  # pyright: ignore
    assert 'rpy="1.5707963' in joint
    # Turning by 0.4 about the joint's axis is Rx(90 deg) Rz(0.4) = Ry(-0.4) Rx(90 deg).
    stands = re.sub(r'rpy="[^"]*"', f'rpy="{math.pi / 2} -0.4 0"', joint)
    stands = stands.replace('"revolute"', '"fixed"')
    edited = KinematicChain.from_urdf(panda.replace(joint, stands), "panda_link0", "panda_hand")
    assert arm.fingerprint == edited.fingerprint != load_robot("panda").fingerprint


def test_joints_elsewhere_may_stand_too():
    chain = KinematicChain.from_urdf(TWO_ARMS, None, "l4", fixed={"j8": 0.3})
    assert chain.names == ("j1", "j2", "j3") and chain.fixed == {"j8": 0.3}
    assert set(chain.joint_values([0, 0, 0])) == {"j1", "j2", "j3", "j8"}


def test_a_driver_off_the_path_stands_with_its_followers():
    chain = KinematicChain.from_urdf(TWO_ARMS, "l1", "l7", fixed={"j3": 0.4})
    assert chain.names == ("j5", "j6")
    whole = KinematicChain.from_urdf(TWO_ARMS, "l1", "l7")
    assert whole.names == ("j5", "j6", "j3")
    np.testing.assert_allclose(
        chain.forward([0.2, 0.1]), whole.forward([0.2, 0.1, 0.4]), atol=1e-15
    )


def test_trees_have_it_too():
    tree = KinematicTree.from_urdf(TWO_ARMS, None, ("l4", "l7"), fixed={"j3": 0.4, "j1": -1})
    whole = KinematicTree.from_urdf(TWO_ARMS, None, ("l4", "l7"))
    assert tree.names == ("j2", "j5", "j6") and [c.fixed for c in tree.chains] == [tree.fixed] * 2
    q = configurations(tree, 5)
    values = tree.joint_values(q)
    every = np.stack([values[name] for name in whole.names], axis=-1)
    np.testing.assert_allclose(tree.forward(q), whole.forward(every), atol=1e-14)
    with pytest.raises(RobotDescriptionError, match="all joints between 'l1' and 'l8' are fixed"):
        KinematicTree.from_urdf(
            TWO_ARMS, None, ("l4", "l8"), reference_links={"l8": "l1"}, fixed={"j8": 0.0}
        )


def test_a_joint_without_limits_may_stand_and_needs_none():
    text = robot(link(1, inside=Z), link(2))
    chain = KinematicChain.from_urdf(text, fixed={"j1": 20.0})
    assert chain.names == ("j2",)


EXTRA = robot(
    link(1),
    link(2, inside=Z + mimic("j3", 2.0)),
    link(3, inside=Z + mimic("j1")),
    link(4, "fixed", ""),
    link(5, "floating", ""),
    link(6, "continuous", Z),
)


@pytest.mark.parametrize(
    ("fixed", "error", "message"),
    [
        ({"elbow": 0.0}, UnknownNameError, "unknown joint 'elbow'; choose from: j1, j2"),
        ({"j4": 0.0}, InvalidArgumentError, "joint 'j4' is fixed; only revolute, continuous and"),
        ({"j5": 0.0}, InvalidArgumentError, "joint 'j5' is floating; only"),
        ({"j2": 0.0}, InvalidArgumentError, "joint 'j2' mimics 'j1'; fix that one"),
        ({"j1": 3.1}, InvalidArgumentError, "'j1' cannot stand at 3.1, its limits are -3 and 3"),
        ({"j6": np.inf}, InvalidArgumentError, "of joint 'j6' must be a finite number, not inf"),
        ({"j1": "left"}, InvalidArgumentError, "of joint 'j1' must be a finite number, not 'left"),
        ({"j1": None}, InvalidArgumentError, "must be a finite number, not None"),
        (["j1"], InvalidArgumentError, "must map names of joints to positions, not list"),
        ({"j1": 0.0}, RobotDescriptionError, "all joints between 'l0' and 'l3' are fixed"),
    ],
)
def test_misuse_is_named(fixed, error, message):
    with pytest.raises(error, match=message):
        KinematicChain.from_urdf(EXTRA, "l0", "l3", fixed=fixed)


def test_limits_themselves_are_allowed():
    text = robot(link(1, inside=Z + LIMIT), link(2))
    assert KinematicChain.from_urdf(text, fixed={"j1": 3}).names == ("j2",)


SLIDE = robot(
    link(1, "prismatic", Z + '<limit lower="0" upper="0.4"/>'), link(2), link(3, "fixed", "")
)


@pytest.mark.parametrize("at", [-1e-12, -1e-4, -0.005, 0.4000001])
def test_what_an_encoder_reads_a_little_beyond_a_limit_is_where_it_stands(at):
    """Both kinds warn once, though a tree is made of chains."""
    for make in (
        lambda: KinematicChain.from_urdf(SLIDE, fixed={"j1": at}),
        lambda: KinematicTree.from_urdf(SLIDE, None, ("l2", "l3"), fixed={"j1": at}),
    ):
        with pytest.warns(GenerativeIKWarning, match="'j1' is at .* beyond its .* limit") as said:
            chain = make()
        assert len(said) == 1 and said[0].filename == __file__
        np.testing.assert_allclose(chain.forward([0.3])[..., 2, 3], at, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize(("joint", "at"), [("j1", -0.006), ("j1", 0.41), ("j2", 3.06)])
def test_further_beyond_it_cannot_stand(joint, at):
    with pytest.raises(InvalidArgumentError, match=f"joint '{joint}' cannot stand at {at}"):
        KinematicChain.from_urdf(SLIDE, fixed={joint: at})
