"""The Jacobian against answers by hand, finite differences and pinocchio."""

import numpy as np
import pytest
from odd_chains import CHAINS
from real_robots import PinocchioChain
from robots import configurations
from test_chain import PLANAR

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import known_robot, load_robot, robot_names

ALL = CHAINS | {name: load_robot(name) for name in robot_names()}
each_chain = pytest.mark.parametrize("chain", ALL.values(), ids=ALL.keys())


def test_planar_arm_by_hand():
    q = np.array([0.3, -1.1])
    far, near = np.array([np.cos(q.sum()), np.sin(q.sum())]), np.array([np.cos(0.3), np.sin(0.3)])
    x, y = 2 * near + far
    expected = [[-y, -far[1]], [x, far[0]], [0, 0], [0, 0], [0, 0], [1, 1]]
    np.testing.assert_allclose(KinematicChain.from_urdf(PLANAR).jacobian(q), expected, atol=1e-15)


@each_chain
def test_central_differences(chain):
    q, step = configurations(chain, 5), 1e-6
    tip, columns = chain.tip_and_jacobian(q)
    np.testing.assert_allclose(tip, chain.forward(q), rtol=0.0, atol=1e-14)
    for j, unit in enumerate(np.eye(chain.num_joints)):
        rate = (chain.forward(q + step * unit) - chain.forward(q - step * unit)) / (2 * step)
        spin = rate[:, :3, :3] @ tip[:, :3, :3].transpose(0, 2, 1)
        angular = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
        np.testing.assert_allclose(columns[:, :3, j], rate[:, :3, 3], atol=1e-8)
        np.testing.assert_allclose(columns[:, 3:, j], angular, atol=1e-8)


@pytest.mark.parametrize("name", robot_names())
def test_pinocchio_agrees(name):
    robot, chain = known_robot(name), load_robot(name)
    oracle = PinocchioChain(robot.urdf.read_text(), robot.base_link, robot.tip_link)
    q = configurations(chain, 5, seed=1)
    expected = np.array([oracle.jacobian(chain.joint_names, row) for row in q])
    np.testing.assert_allclose(chain.jacobian(q), expected, atol=1e-13)


@pytest.mark.parametrize("batch", [(), (1,), (2, 3), (0,)], ids=str)
def test_batch_axes(batch):
    chain = CHAINS["mimics"]
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (*batch, chain.num_joints))
    columns = chain.jacobian(q)
    assert columns.shape == (*batch, 6, chain.num_joints) and columns.dtype == np.float64
    for index in np.ndindex(batch):
        np.testing.assert_allclose(columns[index], chain.jacobian(q[index]), atol=1e-15)


def test_misuse_is_named():
    with pytest.raises(InvalidArgumentError, match="last axis must be 3 long: turn, slide, roll"):
        CHAINS["good"].jacobian(np.zeros(2))
