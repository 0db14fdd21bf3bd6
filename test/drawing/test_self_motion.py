"""Self-motions keep the tip pose and the limits, are continuous, and close if possible."""

from pathlib import Path

import numpy as np
import pytest

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.self_motion import self_motion

STEP = 0.05
TWO_ARMS = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"
HANDS = ["left_hand", "right_hand"]
JOINT = (
    '<joint name="{0}" type="{1}"><parent link="{0}"/><child link="{2}"/>'
    '<origin xyz="{3} 0 0"/><axis xyz="0 0 1"/>{4}</joint><link name="{2}"/>'
)


def planar(kind="continuous", limits=""):
    """Three links of 1 m, turning about z: one joint to spare where only the place counts."""
    joints = (("a", "b", 0), ("b", "c", 1), ("c", "d", 1))
    chain = "".join(JOINT.format(name, kind, child, x, limits) for name, child, x in joints)
    tip = JOINT.format("d", "fixed", "e", 1, "")
    return KinematicChain.from_urdf(f'<robot name="p"><link name="a"/>{chain}{tip}</robot>')


@pytest.mark.parametrize("seed", range(4))
def test_the_panda_moves_without_its_hand(seed):
    chain = load_robot("panda")
    (start,) = random_configurations(chain, 1, seed)
    motion = self_motion(chain, start, step=STEP)
    q = motion.positions
    assert np.array_equal(q[motion.start], start) and len(q) > 5
    assert np.allclose(chain.forward(q), chain.forward(start), atol=1e-8)
    assert (q >= chain.lower).all() and (q <= chain.upper).all()
    steps = np.linalg.norm(np.diff(q, axis=0), axis=1)
    assert 0.0 < steps.min() and steps.max() <= 1.5 * STEP
    # Straight on: no step turns back.
    along = np.diff(q, axis=0) / steps[:, None]
    assert (np.einsum("ij,ij->i", along[1:], along[:-1]) > 0.5).all()
    # Both ends are at a limit, to the last sixty-fourth of a step.
    for end in (q[0], q[-1]):
        room = np.minimum(end - chain.lower, chain.upper - end)
        assert room.min() < STEP / 16


def test_a_curve_without_limits_is_closed():
    chain = planar()
    motion = self_motion(chain, np.array([0.3, 1.2, -0.8]), position_only=True, step=0.02)
    assert motion.closed and motion.start == 0
    q = motion.positions
    assert np.allclose(chain.forward(q)[:, :3, 3], chain.forward(q[0])[:3, 3], atol=1e-8)
    gap = np.remainder(q[-1] - q[0] + np.pi, 2 * np.pi) - np.pi
    assert 0.0 < np.linalg.norm(gap) <= 0.02


def test_limits_cut_the_curve():
    chain = planar("revolute", '<limit lower="-1.3" upper="1.3"/>')
    motion = self_motion(chain, np.array([0.3, 1.2, -0.8]), position_only=True, step=0.02)
    assert not motion.closed and 0 < motion.start < len(motion.positions) - 1
    assert np.abs(motion.positions).max() <= 1.3


def test_without_redundancy_nothing_moves():
    chain = load_robot("ur10")
    (start,) = random_configurations(chain, 1, 2)
    assert len(self_motion(chain, start).positions) == 1
    turned = self_motion(chain, start, position_only=True, max_steps=50).positions
    assert len(turned) > 20
    assert np.allclose(chain.forward(turned)[:, :3, 3], chain.forward(start)[:3, 3], atol=1e-8)


def test_misuse():
    chain = load_robot("panda")
    with pytest.raises(InvalidArgumentError, match="7 long"):
        self_motion(chain, np.zeros(6))
    with pytest.raises(InvalidArgumentError, match="one configuration"):
        self_motion(chain, np.zeros((2, 7)))
    with pytest.raises(InvalidArgumentError, match="step"):
        self_motion(chain, np.full(7, -0.5), step=0.0)


def test_two_hands_stay_where_they_are():
    """A waist above two arms of six joints: one joint more than two poses need."""
    tree = KinematicTree.from_urdf(TWO_ARMS, tip_links=HANDS)
    start = 0.2 * tree.upper
    motion = self_motion(tree, start, step=STEP)
    q = motion.positions
    assert len(q) > 5 and np.allclose(tree.forward(q), tree.forward(start), atol=1e-8)
    assert np.ptp(q[:, tree.names.index("waist")]) > 0.05
    held = KinematicTree.from_urdf(TWO_ARMS, tip_links=HANDS, reference_links={HANDS[1]: HANDS[0]})
    with pytest.raises(InvalidArgumentError, match="in the base link"):
        self_motion(held, 0.2 * held.upper)
