"""GGIK's models: equivariance, likelihoods by brute force, configurations."""

import numpy as np
import pytest
import torch
from ggik_models import maker_for, small_model, targets_for
from robots import planar_two_joints, random_chain
from sparse_egnn import SparseEGNN

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.learned.ggik.config import (
    AutoregressiveConfig,
    LatentConfig,
    config_from_json,
)
from generative_ik_ros.learned.ggik.latent.model import Mixture
from generative_ik_ros.learned.ggik.latent.plain_networks import PlainNetwork
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems, Problems
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.training.ggik_config import GGIKTraining
from generative_ik_ros.robot.known import load_robot


def isometry(kind):
    """(3, 3) and (3,): a rotation, a translation, or a reflection with both."""
    generator = torch.Generator().manual_seed(3)
    turn = torch.linalg.qr(torch.randn(3, 3, generator=generator, dtype=torch.float64))[0]
    turn = turn * torch.linalg.det(turn).sign()
    if kind == "translation":
        turn = torch.eye(3, dtype=torch.float64)
    if kind == "reflection":
        turn = -turn
    shift = torch.zeros(3) if kind == "rotation" else torch.tensor([0.7, -1.1, 0.4])
    return turn, shift.double()


@pytest.mark.parametrize("kind", ["rotation", "translation", "reflection"])
@pytest.mark.parametrize("latents", ["arm", "node"])
@pytest.mark.parametrize("ours", [True, False])
def test_moving_the_partial_graph_moves_the_sampled_one(kind, latents, ours):
    """T-RO, equation 8, from the points that base and target place to the decoded points."""
    start = "middle" if ours else "zero"
    model = small_model(latents=latents, start=start, hold_known=ours, frame=ours)
    arm = ArmGraph.of(load_robot("panda"))
    maker = ArmProblems(arm, model.config)
    positions, distances = arm.partial(targets_for(load_robot("panda"), 5))
    turn, shift = isometry(kind)
    moved = positions @ turn.T + shift * arm.scale
    count = model.num_latents(17)
    chance, normal = torch.rand(5, count).double(), torch.randn(5, count, 3).double()

    def sampled(points):
        problems = maker.of_points(points, distances)
        latents = model.prior_of(problems).sample(chance, normal)
        return model.decode(latents, problems)

    still = sampled(positions)
    torch.testing.assert_close(sampled(moved), still @ turn.T + shift, atol=1e-10, rtol=1e-9)
    assert (still - maker.of_points(positions, distances).positions).abs().max() > 0.1


def test_moving_the_complete_graph_leaves_its_encoding():
    model = small_model()
    arm = ArmGraph.of(load_robot("ur10"))
    maker = ArmProblems(arm, model.config)
    q = torch.randn(4, 6).double()
    positions, distances = arm.partial(arm.lines.forward(q))
    points = arm.points(q) / arm.scale
    turn, shift = isometry("reflection")
    still = maker.of_points(positions, distances)
    moved = maker.of_points(positions @ turn.T + shift * arm.scale, distances)
    for one, two in zip(
        model.posterior_of(still, points),
        model.posterior_of(moved, points @ turn.T + shift),
        strict=True,
    ):
        torch.testing.assert_close(one, two, atol=1e-10, rtol=0)


def mixed_batch():
    """Problems of arms with two, six and seven joints, apart and in one padded batch."""
    chains = planar_two_joints(), load_robot("ur10"), load_robot("panda")
    parts = [maker_for(chain).of_targets(targets_for(chain, 2)) for chain in chains]
    return parts, Problems.joined(parts)


@pytest.mark.parametrize("latents", ["arm", "node"])
def test_padding_changes_nothing(latents):
    model = small_model(latents=latents)
    parts, problems = mixed_batch()
    joined = model.prior_of(problems)
    for i, part in enumerate(parts):
        alone, count = model.prior_of(part), part.exists.shape[-1]
        rows = slice(2 * i, 2 * i + 2)
        slots = model.num_latents(count)
        torch.testing.assert_close(joined.means[rows, :slots], alone.means)
        torch.testing.assert_close(joined.logits[rows, :slots], alone.logits)
    points = torch.randn(6, 17, 3).double()
    normal = torch.randn(6, model.num_latents(17), 3).double()
    bound = model.negative_elbo(problems, points, normal)
    for i, part in enumerate(parts):
        count = part.exists.shape[-1]
        rows = slice(2 * i, 2 * i + 2)
        slots = model.num_latents(count)
        alone = model.negative_elbo(part, points[rows, :count], normal[rows, :slots])
        torch.testing.assert_close(bound[rows], alone)


def test_mixture_is_a_density_and_its_samples_follow_it():
    generator = torch.Generator().manual_seed(0)
    logits = torch.tensor([[[0.3, -0.5, 0.9], [0.0, 1.0, -1.0]]], dtype=torch.float64)
    means = torch.tensor([[-3.0, 0.5, 3.0], [-2.0, 1.0, 2.0]], dtype=torch.float64)
    deviations = torch.randn(1, 2, 3, 1, generator=generator, dtype=torch.float64)
    prior = Mixture(logits, means[None, ..., None], 0.3 * deviations)
    axis = torch.linspace(-12, 12, 4001, dtype=torch.float64)
    grid = axis[:, None, None].expand(-1, 2, 1)
    density = prior.log_prob(grid).exp() * (axis[1] - axis[0])
    np.testing.assert_allclose(density.sum(0), 1.0, atol=1e-9)

    chance = torch.rand(40_000, 2, generator=generator, dtype=torch.float64)
    normal = torch.randn(40_000, 2, 1, generator=generator, dtype=torch.float64)
    samples = prior.sample(chance, normal)[..., 0]
    for power in (1, 2):
        exact = (axis[:, None] ** power * density).sum(0)
        np.testing.assert_allclose((samples**power).mean(0), exact, atol=0.1)
    at = torch.tensor([-2.0, 0.0, 1.5], dtype=torch.float64)
    found = (samples[:, :, None] < at).double().mean(0)
    exact = torch.stack([density[axis < limit].sum(0) for limit in at], dim=-1)
    np.testing.assert_allclose(found, exact, atol=0.02)


@pytest.mark.parametrize("network", ["egnn", "mpnn"])
def test_every_network_learns_one_pose_of_two_joints(network):
    """The same interface: the bound rises by a lot within a few steps."""
    chain = planar_two_joints()
    model = small_model(network=network).float()
    arm = ArmGraph.of(chain).to("cpu", torch.float32)
    maker = ArmProblems(arm, model.config)
    generator = torch.Generator().manual_seed(0)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    q = torch.tensor([[0.4, 0.9]]).expand(8, 2)
    problems, points = maker.of_targets(arm.lines.forward(q)), arm.points(q) / maker.scale
    bounds = []
    for _ in range(60):
        normal = torch.randn((8, 1, 3), generator=generator)
        loss = model.negative_elbo(problems, points, normal).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        bounds.append(float(loss.detach()))
    assert np.mean(bounds[-5:]) < 0.5 * np.mean(bounds[:5])


def test_odd_chains_have_problems_too():
    for seed in range(5):
        _, chain = random_chain(np.random.default_rng(seed), 1 + seed)
        maker = maker_for(chain)
        problems = maker.of_targets(targets_for(chain, 3))
        points = small_model().decode(torch.zeros(3, 1, 3).double(), problems)
        assert torch.isfinite(points).all() and torch.isfinite(problems.features).all()


def test_bad_configurations_name_the_choices():
    with pytest.raises(UnknownNameError, match="egnn, mpnn"):
        LatentConfig(network="cnn")
    with pytest.raises(InvalidArgumentError, match="hidden"):
        LatentConfig(hidden=0)
    for name in ("encoder_layers", "decoder_layers"):  # building so many took minutes
        with pytest.raises(InvalidArgumentError, match=f"{name} must be"):
            LatentConfig(**{name: 4096})
    with pytest.raises(InvalidArgumentError, match="sigma"):
        LatentConfig(sigma=0.0)
    with pytest.raises(InvalidArgumentError, match="layers"):
        config_from_json(LatentConfig().as_json() | {"layers": 3})
    with pytest.raises(InvalidArgumentError, match="blocks"):
        AutoregressiveConfig(blocks=0)
    with pytest.raises(UnknownNameError, match="autoregressive, latent"):
        GGIKTraining(generator="gan")


def test_configurations_are_read_back_from_weight_files():
    for config in (LatentConfig(), AutoregressiveConfig()):
        assert config_from_json(config.as_json()) == config
    # Files and command lines of earlier versions call the autoregressive generator so.
    assert AutoregressiveConfig().as_json()["generator"] == "walk"
    assert GGIKTraining(generator="walk").generator == "autoregressive"
    assert GGIKTraining(generator="walk").model_config() == AutoregressiveConfig()
    assert isinstance(small_model(network="gcn").decoder, PlainNetwork)


@pytest.mark.parametrize("hold_known", [True, False])
def test_dense_and_torch_geometric_networks_are_the_same(hold_known):
    model = small_model(hold_known=hold_known, frame=hold_known)
    _, problems = mixed_batch()
    arguments = problems.features, problems.positions, problems
    for one, two in zip(model.prior(*arguments), SparseEGNN(model.prior)(*arguments), strict=True):
        exists = problems.exists
        torch.testing.assert_close(one[exists], two[exists], atol=1e-12, rtol=1e-10)
