"""Kinematics in torch against numpy, finite differences and automatic differentiation."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from bad_urdfs import with_extra
from odd_chains import CHAINS

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.torch_kinematics import forward_kinematics
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import load_robot, robot_names

each_chain = pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS.keys())


def positions(chain, *batch, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    return 2 * torch.rand(*batch, chain.num_joints, generator=generator, dtype=dtype) - 1


@each_chain
@pytest.mark.parametrize("batch", [(), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-14), (torch.float32, 2e-6)])
def test_agrees_with_numpy_in_every_shape_and_precision(chain, batch, dtype, atol):
    q = positions(chain, *batch, dtype=dtype)
    poses = forward_kinematics(chain, q)
    assert poses.shape == (*batch, 4, 4) and poses.dtype == dtype
    np.testing.assert_allclose(poses.numpy(), chain.forward(q.numpy()), atol=atol)


@pytest.mark.slow
@each_chain
def test_gradients_flow(chain):
    q = positions(chain, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: forward_kinematics(chain, x), (q,))
    linear = torch.autograd.functional.jacobian(
        lambda x: forward_kinematics(chain, x)[:3, 3], q[0]
    )
    np.testing.assert_allclose(linear, chain.jacobian(q[0].detach().numpy())[:3], atol=1e-12)


def test_vmap_and_no_grad_leaks_into_the_stored_numbers():
    chain = KinematicChain.from_urdf(with_extra(""))
    q = positions(chain, 4)
    with torch.inference_mode():
        first = forward_kinematics(chain, q)
    leaf = q.clone().requires_grad_()
    forward_kinematics(chain, leaf).sum().backward()
    assert leaf.grad is not None and first.shape == (4, 4, 4)
    mapped = torch.vmap(lambda x: forward_kinematics(chain, x))(q)
    torch.testing.assert_close(mapped, forward_kinematics(chain, q))


@pytest.mark.parametrize(
    ("q", "message"),
    [
        (torch.zeros(2), "last axis must be 3 long: turn, slide, roll"),
        (torch.tensor(0.0), "last axis must be 3 long"),
        (torch.zeros(3, dtype=torch.int64), "floating point torch tensor"),
        (np.zeros(3), "floating point torch tensor"),
    ],
)
def test_misuse_is_named(q, message):
    with pytest.raises(InvalidArgumentError, match=message):
        forward_kinematics(CHAINS["good"], q)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@each_chain
def test_on_the_gpu(chain):
    q = positions(chain, 5)
    there = forward_kinematics(chain, q.cuda())
    assert there.is_cuda
    torch.testing.assert_close(there.cpu(), forward_kinematics(chain, q))


@pytest.mark.parametrize("name", robot_names())
def test_many_configurations_are_placed_as_one_is(name):
    """The core places many side by side; numpy does where the Jacobian is needed, too."""
    chain = load_robot(name)
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (5, 10, chain.num_joints))
    poses = chain.forward(q)
    np.testing.assert_allclose(poses, chain.tip_and_jacobian(q)[0], atol=1e-13)
    np.testing.assert_allclose(poses[3, 7], chain.forward(q[3, 7]), atol=1e-15)
    assert chain.forward(q[:0]).shape == (0, 10, 4, 4)
