"""Real robots: our kinematics against pinocchio's, on every chain at hand."""

import numpy as np
import pytest
from robots import configurations

torch = pytest.importorskip("torch")
from real_robots import (
    REAL_CHAINS,
    PinocchioChain,
    example_robot,
    needs_real_robots,
)

from generative_ik_ros.learned.torch_kinematics import forward_kinematics
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import load_robot, robot_names
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms

pytestmark = needs_real_robots
each_chain = pytest.mark.parametrize("real", REAL_CHAINS, ids=str)
some_chains = pytest.mark.parametrize("real", REAL_CHAINS[::5], ids=str)
"""Six and seven joints and more, prismatic and continuous ones; for what needs no oracle."""
PANDA = "panda_description/urdf/panda.urdf"
UR10 = "ur_description/urdf/ur10_robot.urdf"


def test_there_are_many_robots():
    assert len(REAL_CHAINS) >= 40


@each_chain
def test_forward_kinematics_agrees_with_pinocchio(real):
    chain = real.load()
    oracle = PinocchioChain(real.text, real.base_link, real.tip_link)
    q = configurations(chain, 10)
    expected = np.array([oracle.tip_in_base(chain.joint_names, row) for row in q])
    np.testing.assert_allclose(chain.forward(q), expected, atol=1e-13)
    np.testing.assert_allclose(
        forward_kinematics(chain, torch.tensor(q)).numpy(), expected, atol=1e-13
    )
    single = forward_kinematics(chain, torch.tensor(q, dtype=torch.float32))
    np.testing.assert_allclose(single.numpy(), expected, atol=5e-6)


@each_chain
def test_jacobian_agrees_with_pinocchio(real):
    chain = real.load()
    oracle = PinocchioChain(real.text, real.base_link, real.tip_link)
    q = configurations(chain, 5, seed=1)
    expected = np.array([oracle.jacobian(chain.joint_names, row) for row in q])
    np.testing.assert_allclose(chain.jacobian(q), expected, atol=1e-13)


@some_chains
def test_reach_bounds_the_distance_from_the_first_joint(real):
    chain = real.load()
    tips = chain.forward(configurations(chain, 200, seed=2))[:, :3, 3]
    distance = np.linalg.norm(tips - chain.joint_origins[0, :3, 3], axis=1)
    assert distance.max() <= chain.reach + 1e-9
    assert chain.reach < 4.0


@some_chains
def test_canonical_chain_is_the_same_map_from_its_axis_lines(real):
    """The product of exponentials of the canonical axes, by expm, gives the canonical target."""
    chain = real.load()
    canonical = chain.canonical
    for q in configurations(chain, 3, seed=3):
        pose = np.eye(4)
        for i, axis in enumerate(canonical.axis_directions):
            twist = np.zeros((4, 4))
            if chain.joint_prismatic[i]:
                twist[:3, 3] = axis
            else:
                twist[:3, :3] = np.cross(np.eye(3), axis)
                twist[:3, 3] = np.cross(canonical.axis_points[i], axis)
            position = chain.joint_multiplier[i] * q[chain.joint_variable[i]]
            pose = (
                pose
                @ torch.matrix_exp(
                    torch.tensor(twist * (position + chain.joint_offset[i]))
                ).numpy()
            )
        np.testing.assert_allclose(
            chain.canonical_target(chain.forward(q)),
            pose @ canonical.last_joint_in_first_joint,
            atol=1e-12,
        )
    first, last = np.eye(4)[2, :3], canonical.last_joint_in_first_joint[:3, 2]
    np.testing.assert_allclose(canonical.axis_directions[0], first, atol=1e-12)
    np.testing.assert_allclose(canonical.axis_directions[-1], last, atol=1e-12)


@some_chains
def test_the_way_back_is_the_inverse(real):
    there = real.load()
    back = KinematicChain.from_urdf(there.description, real.tip_link, real.base_link)
    q = configurations(there, 5, seed=4)
    columns = [there.joint_names.index(name) for name in back.joint_names]
    np.testing.assert_allclose(back.forward(q[:, columns]), inverse(there.forward(q)), atol=1e-12)


@some_chains
def test_link_frames_agree_with_the_chain(real):
    chain = real.load()
    q = configurations(chain, 4, seed=5)
    frames = link_transforms(
        chain.description, dict(zip(chain.joint_names, q.T, strict=True)), chain.base_link
    )
    np.testing.assert_allclose(frames[chain.tip_link], chain.forward(q), atol=1e-12)
    assert set(frames) == set(chain.description.links)


def test_one_arm_has_one_fingerprint_in_every_file():
    """Files of the Panda, equipped differently, and ours."""
    arms = [
        load_robot("panda"),
        KinematicChain.from_urdf(example_robot(PANDA), "panda_link0", "panda_link8"),
        KinematicChain.from_urdf(example_robot(PANDA), "panda_link0", "panda_hand_tcp"),
        KinematicChain.from_urdf(
            example_robot("panda_description/urdf/panda_collision.urdf"), None, "panda_hand"
        ),
    ]
    assert len({arm.fingerprint for arm in arms}) == 1
    q = configurations(arms[0], 5)
    targets = [arm.canonical_target(arm.forward(q)) for arm in arms]
    for target in targets:
        np.testing.assert_allclose(target, targets[0], atol=1e-12)


def test_only_the_same_arms_share_a_fingerprint():
    # Limits do not count: they are not kinematics.
    names = {}
    for real in REAL_CHAINS:
        names.setdefault(real.load().fingerprint, set()).add(real.robot.removesuffix(".urdf"))
    same = [sorted(some) for some in names.values() if len(some) > 1]
    assert not same
    # Baxter's arms are each other's copy, those of the PR2 mirror images.
    for file, tips, alike in (
        ("baxter_description/urdf/baxter.urdf", ("left_gripper", "right_gripper"), True),
        ("pr2_description/urdf/pr2.urdf", ("l_gripper_tool_frame", "r_gripper_tool_frame"), False),
    ):
        base = "torso" if alike else "torso_lift_link"
        arms = [KinematicChain.from_urdf(example_robot(file), base, tip) for tip in tips]
        assert (arms[0].fingerprint == arms[1].fingerprint) == alike


@pytest.mark.parametrize(("name", "file"), [("panda", PANDA), ("ur10", UR10)])
def test_robots_of_the_package_agree_with_the_makers_files(name, file):
    ours = load_robot(name)
    theirs = KinematicChain.from_urdf(example_robot(file), ours.base_link, ours.tip_link)
    assert name in robot_names()
    assert ours.joint_names == theirs.joint_names
    assert ours.fingerprint == theirs.fingerprint
    np.testing.assert_allclose(ours.lower, theirs.lower, atol=1e-11)
    np.testing.assert_allclose(ours.upper, theirs.upper, atol=1e-11)
    q = configurations(ours, 50)
    np.testing.assert_allclose(ours.forward(q), theirs.forward(q), atol=1e-10)


def test_continuous_joints_with_limits_are_unlimited():
    file = example_robot("kinova_description/robots/kinova.urdf")
    assert 'type="continuous"' in file.read_text() and 'lower="-6.28318530718"' in file.read_text()
    chain = KinematicChain.from_urdf(file, "base", "j2s6s200_end_effector")
    assert chain.continuous.tolist() == [True, False, False, True, False, True]
    assert np.isinf(chain.upper).tolist() == chain.continuous.tolist()
