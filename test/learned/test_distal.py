"""Distal teaching: the sampler's contract, the loss by hand, and that it learns."""

import numpy as np
import pytest
import torch
from flows import mixed_chain
from robots import NONE, Z, arm, planar_two_joints, urdf
from sampler_contract import keeps_the_contract, request_for
from scipy.spatial.transform import Rotation

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError
from generative_ik_ros.learned.checkpoint import (
    save_checkpoint,
    user_weights,
    weights_path,
)
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.distal.net import DistalNet, to_checkpoint
from generative_ik_ros.learned.distal.sampler import Distal, DistalPredictor
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.training.config import TrainOptions
from generative_ik_ros.learned.training.distal_config import DistalTraining
from generative_ik_ros.learned.training.distal_task import DistalTask
from generative_ik_ros.learned.training.loop import train
from generative_ik_ros.robot.known import load_robot

CPU = torch.device("cpu")


def config_of(chain, **settings):
    return DistalConfig(**({"joints": chain.num_joints, "hidden": 16, "layers": 2} | settings))


def user_file(chain, **settings):
    """An untrained net where the sampler looks for it."""
    torch.manual_seed(0)
    config = config_of(chain, **settings)
    net = DistalNet(config, JointBox.of(chain))
    path = weights_path(user_weights(), "distal", chain.fingerprint)
    save_checkpoint(path, to_checkpoint(config, dict(net.named_parameters()), chain, {}))
    return path


@pytest.mark.parametrize("members", [1, 4])
def test_contract_on_a_chain_of_all_kinds_of_joints(members):
    chain = mixed_chain()
    user_file(chain, members=members)
    keeps_the_contract(Distal(chain), chain)


def test_first_come_the_members_answers_then_their_surroundings():
    chain = load_robot("panda")
    user_file(chain, members=3)
    request = request_for(chain, count=60)
    seeds = Distal(chain).propose(request)
    answers = DistalPredictor(Distal(chain).path, chain).configurations(request.targets)
    inside = np.clip(answers, chain.lower, chain.upper)
    np.testing.assert_allclose(seeds[:, :3], inside, atol=1e-9)
    half = (chain.upper - chain.lower) / 2
    gaps = np.abs(seeds.reshape(3, 20, 3, 7) - inside[:, None]) / half
    assert 0.0 < gaps[:, 1].max() <= 0.15 + 1e-9 < gaps[:, 19].max()


@pytest.mark.parametrize(
    "change",
    [{"hidden": 0}, {"layers": 1.5}, {"members": 1000}, {"pose_input": "euler"},
     {"position_scale": 0.0}, {"magic": 1},
     # True was accepted as 1 until torch refused it; 1e-320 led to seeds of NaN.
     {"hidden": True}, {"members": True}, {"position_scale": 1e-320}, {"position_scale": 2**70}],
)  # fmt: skip
def test_bad_configurations_are_refused(change):
    good = config_of(planar_two_joints()).as_json()
    assert DistalConfig.from_json(good).as_json() == good
    with pytest.raises(GenerativeIKError):
        DistalConfig.from_json(good | change)


@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_the_loss_is_equations_2_and_3(penalty):
    """Against scipy's rotations, the quaternion formula, and limits counted by hand."""
    joints = [("revolute", NONE, NONE, Z, (-0.2, 0.3), "")]
    joints.append(("revolute", (0.5, 0, 0), (0.4, 0, 0), (0, 1, 0), (-0.1, 0.1), ""))
    chain = KinematicChain.from_urdf(urdf([*joints, ("fixed", (0.4, 0, 0.1), NONE, Z, None, "")]))
    target = chain.forward(np.array([[0.1, 0.05]]))
    pose = torch.tensor(chain.canonical_target(target), dtype=torch.float32)
    task = DistalTask(
        chain,
        config_of(chain),
        CPU,
        penalty=penalty,
        poses=lambda count, _: pose.expand(count, 4, 4),
        seed=3,
    )
    with torch.no_grad():
        boxed = task.model(pose)[0, 0].double().numpy()
    q = (chain.lower + chain.upper) / 2 + boxed * (chain.upper - chain.lower) / 2
    reached = chain.forward(q)
    one, two = (Rotation.from_matrix(m[:3, :3]).as_quat() for m in (reached, target[0]))
    angle = 2 * np.arccos(min(abs(one @ two), 1.0))
    distance = np.linalg.norm(reached[:3, 3] - target[0, :3, 3])
    beyond = np.maximum(0, q - chain.upper).sum() + np.maximum(0, chain.lower - q).sum()
    assert beyond > 0.1
    loss = float(task.loss(4, torch.Generator()).detach())
    assert loss == pytest.approx(0.75 * distance + 0.25 * angle + penalty * beyond, abs=1e-5)


def test_sliding_joints_stay_inside_and_circles_have_no_end():
    chain = mixed_chain()
    assert chain.prismatic.any() and chain.continuous.any()
    torch.manual_seed(1)
    net = DistalNet(config_of(chain), JointBox.of(chain))
    poses = torch.tensor(chain.canonical_target(request_for(chain, 200).targets)).float()
    boxed = net(poses)[0].detach()
    assert boxed[:, torch.tensor(chain.prismatic | chain.continuous)].abs().max() <= 1.0 + 1e-6


def taught(chain, path, steps=400, penalty=1.0):
    task = DistalTask(chain, config_of(chain, hidden=64), CPU, penalty=penalty)
    options = TrainOptions(
        steps=steps, batch=128, learning_rate=5e-3, warm_up=20, ema=0.98, evaluate_every=0.0
    )
    return train(task, options, path, fingerprint=chain.fingerprint)["figures"]


def test_it_learns_and_its_answers_are_good_seeds():
    chain = planar_two_joints()
    path = weights_path(user_weights(), "distal", chain.fingerprint)
    figures = taught(chain, path)
    assert figures["position_error_median_mm"] < 60.0
    solver = IKSolver(chain, sampler="distal")
    found = solver.solve(request_for(chain, 20).targets, 1)
    assert (found.counts == 1).all()


def test_the_penalty_keeps_answers_inside_the_limits(tmp_path):
    chain = arm(
        ("revolute", NONE, Z, (-1.2, 1.2)),
        ("revolute", (0.5, 0, 0), Z, (-2.0, 0.6)),
        ("revolute", (0.5, 0, 0), Z, (-1.5, 1.5)),
        tool=(0.3, 0, 0),
    )
    free = taught(chain, tmp_path / "free.safetensors", 300, penalty=0.0)
    kept = taught(chain, tmp_path / "kept.safetensors", 300, penalty=2.0)
    assert kept["beyond_limits"] < 0.5 * free["beyond_limits"]


@pytest.mark.parametrize("settings", [{"penalty": -1.0}, {"position_weight": 1.5}])
def test_bad_settings_of_the_loss_are_refused(settings):
    with pytest.raises(InvalidArgumentError):
        DistalTraining(**settings)
