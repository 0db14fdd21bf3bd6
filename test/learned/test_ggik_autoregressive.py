"""The autoregressive model: densities on the circle, equal seeds from PyTorch and the core."""

import math

import numpy as np
import pytest
import torch
from ggik_models import write_autoregressive, write_latent
from robots import random_chain
from sampler_contract import keeps_the_contract, request_for

from generative_ik_ros.learned.ggik.autoregressive.model import VonMisesMixture
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.robot.known import load_robot


def samplers(chain, tmp_path, **settings):
    """Return the sampler in the core, and the same without."""
    path = write_autoregressive(tmp_path / "w.safetensors", {}, **settings)
    native, plain = (GGIK(chain, weights=path) for _ in range(2))
    assert native.native is not None
    plain.native = None
    return native, plain


def test_mixture_is_a_density_and_its_samples_follow_it():
    raw = torch.randn(3, 4 * 5, generator=torch.Generator().manual_seed(1)).double() * 2.0
    mixture = VonMisesMixture.of(raw)
    grid = torch.linspace(-math.pi, math.pi, 20_001, dtype=torch.float64)[:-1]
    density = mixture.log_prob(grid[:, None]).exp()
    np.testing.assert_allclose(density.mean(0) * 2.0 * math.pi, 1.0, atol=1e-9)
    unit = (torch.arange(40_000, dtype=torch.float64) + 0.5) / 40_000
    angles = mixture.sample(unit[:, None].expand(-1, 3))
    for order in (1, 2):
        for wave in (torch.cos, torch.sin):
            exact = (wave(order * grid)[:, None] * density).mean(0) * 2.0 * math.pi
            # Samples are of wrapped normals, which share only the first moment.
            np.testing.assert_allclose(
                wave(order * angles).mean(0), exact, atol=2e-3 if order == 1 else 0.1
            )


@pytest.mark.parametrize("robot", ["ur10", "panda", "prismatic"])
def test_core_and_pytorch_give_the_same_seeds(robot, tmp_path):
    if robot == "prismatic":
        _, chain = random_chain(np.random.default_rng(5), 5)
        assert chain.prismatic.any()
    else:
        chain = load_robot(robot)
    native, plain = samplers(chain, tmp_path)
    request = request_for(chain, count=70)
    one, two = native.propose(request), plain.propose(request)
    assert ((one >= request.lower) & (one <= request.upper)).all()
    off = np.abs(one - two).max(axis=-1)
    # Rounding may choose another component, or a turn at the cut, once in a while, in any try;
    # more often the other branch of a wrist, with the tip in the same place.
    moved = np.abs(chain.forward(one) - chain.forward(two)).max(axis=(-2, -1))
    assert np.quantile(off, 0.7) < 1e-3 and (off > 1e-2).mean() < 0.25
    assert np.quantile(moved, 0.9) < 1e-3 and (moved > 1e-2).mean() < 0.1
    assert one.std(axis=1).max() > 0.3


def test_contract(tmp_path):
    chain = load_robot("panda")
    keeps_the_contract(samplers(chain, tmp_path)[0], chain)


def test_two_joints_follow_from_the_goal_without_any_network(tmp_path):
    _, chain = random_chain(np.random.default_rng(1), 2)
    assert not chain.prismatic.any()
    native, _ = samplers(chain, tmp_path)
    request = request_for(chain, targets=20, count=1)
    seeds = native.propose(request)[:, 0]
    reached = chain.forward(seeds)
    inside = np.abs(reached - request.targets).max(axis=(1, 2)) < 1e-3
    assert inside.mean() > 0.9


def test_evaluations_of_the_training_say_how_many_seeds_a_solution_takes(tmp_path):
    chain = load_robot("ur10")
    robots = {"ur10": chain.fingerprint}
    figures = {"converged_in_10": 0.3, "converged_in_10_ur10": 0.9}
    for model, write in (("autoregressive", write_autoregressive), ("latent", write_latent)):
        path = write(tmp_path / f"{model}.safetensors", robots, figures=figures)
        assert GGIK(chain, weights=path).seeds_per_solution == pytest.approx(2.0)
        other = GGIK(load_robot("panda"), weights=path)
        assert other.seeds_per_solution == pytest.approx(6.0)
    path = write_autoregressive(tmp_path / "none.safetensors", robots)
    assert GGIK(chain, weights=path).seeds_per_solution is None
