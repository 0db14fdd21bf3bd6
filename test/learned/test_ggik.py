"""GGIK as a sampler: for chains that it was trained on, for any other, and without weights."""

import numpy as np
import pytest
from ggik_models import write_autoregressive, write_latent
from robots import random_chain
from sampler_contract import keeps_the_contract, request_for

from generative_ik_ros import IKSolver
from generative_ik_ros.learned.checkpoint import (
    CheckpointError,
    MissingWeightsError,
    package_weights,
    user_weights,
)
from generative_ik_ros.learned.ggik import weights as module
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.ggik.weights import load_model, model_path
from generative_ik_ros.robot.known import load_robot

ROBOTS = {"ur10": load_robot("ur10").fingerprint}


@pytest.fixture(autouse=True)
def only_these(monkeypatch, tmp_path):
    """Hide the package's own weights; put two small models into the user's folder."""
    monkeypatch.setattr(module, "package_weights", lambda: tmp_path / "none")
    write_latent(model_path(user_weights(), ROBOTS), ROBOTS, seed=1)
    write_latent(model_path(user_weights(), {}), {}, seed=2)


@pytest.mark.parametrize("latents", ["arm", "node"])
def test_contract(latents, tmp_path):
    _, chain = random_chain(np.random.default_rng(3), 5)
    path = write_latent(tmp_path / "w.safetensors", {}, latents=latents)
    keeps_the_contract(GGIK(chain, weights=path), chain)


def test_model_is_chosen_by_what_it_was_trained_on():
    known, other = GGIK(load_robot("ur10")), GGIK(load_robot("panda"))
    assert known.trained.robots == ROBOTS and known.path.stem == "multi-robot"
    assert not other.trained.robots and other.path.stem == "random-robots"


@pytest.mark.parametrize("write", [write_latent, write_autoregressive])
@pytest.mark.parametrize("joints", [1, 3, 8])
def test_any_chain_is_solved_through_the_solver(joints, write):
    """Prismatic, continuous and limited joints, with an untrained model."""
    write(model_path(user_weights(), {}), {})
    _, chain = random_chain(np.random.default_rng(10 + joints), joints)
    request = request_for(chain, targets=2)
    solutions = IKSolver(chain, sampler="ggik").solve(request.targets, num_solutions=4)
    assert (solutions.counts > 0).all()
    reached = chain.forward(solutions.positions[:, 0])
    np.testing.assert_allclose(reached, request.targets, atol=1e-4)


def test_without_weights_the_message_says_how_to_train():
    for path in (user_weights() / "ggik").iterdir():
        path.unlink()
    with pytest.raises(MissingWeightsError, match="train ggik --random-robots"):
        GGIK(load_robot("panda"))


def test_a_model_for_other_robots_only_is_no_model():
    model_path(user_weights(), {}).unlink()
    GGIK(load_robot("ur10"))
    with pytest.raises(MissingWeightsError, match="fingerprint c50d"):
        GGIK(load_robot("panda"))


def test_errors_name_the_file_and_what_is_wrong(tmp_path):
    good = model_path(user_weights(), {})
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(good.read_bytes()[:-10])
    with pytest.raises(CheckpointError, match="bad.safetensors"):
        load_model(bad)
    flow = next((package_weights() / "ikflow").glob("*.safetensors"))
    with pytest.raises(CheckpointError, match="'ikflow', not of 'ggik'"):
        load_model(flow)
