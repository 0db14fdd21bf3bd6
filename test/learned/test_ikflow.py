"""IKFlow as a sampler: its contract on odd chains, and weights found by what a chain is."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
import torch
from flows import mixed_chain, planar_two_joints, scrambled, write_weights
from sampler_contract import keeps_the_contract, request_for

from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError
from generative_ik_ros.learned import checkpoint as module
from generative_ik_ros.learned.checkpoint import (
    CheckpointError,
    MissingWeightsError,
    find_weights,
    save_checkpoint,
    user_weights,
    weights_path,
)
from generative_ik_ros.learned.ikflow import sampler as flow_sampler
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.learned.ikflow.weights import to_checkpoint


def user_file(chain):
    return weights_path(user_weights(), "ikflow", chain.fingerprint)


@pytest.fixture(params=["spline", "coupling"])
def sampler(request):
    chain = mixed_chain()
    write_weights(user_file(chain), chain, scrambled(chain, kind=request.param, width=6))
    return IKFlow(chain)


def test_contract(sampler):
    keeps_the_contract(sampler, sampler.chain)


def test_many_targets_go_in_slabs(sampler, monkeypatch):
    request = request_for(sampler.chain, targets=10, count=8)
    whole = sampler.propose(request)
    few = dataclasses.replace(flow_sampler.TUNING, slab=24)
    monkeypatch.setattr(flow_sampler, "TUNING", few)
    np.testing.assert_allclose(sampler.propose(request), whole, atol=1e-9)


def test_bounds_elsewhere_on_the_circle(sampler):
    request = request_for(sampler.chain)
    turned = np.where(sampler.chain.continuous, 2 * np.pi, 0.0)
    moved = dataclasses.replace(
        request, lower=request.lower + turned, upper=request.upper + turned
    )
    np.testing.assert_allclose(
        sampler.propose(moved), sampler.propose(request) + turned, atol=1e-9
    )


def test_temperature_gathers_the_seeds(sampler):
    chain = sampler.chain
    spread = [
        IKFlow(chain, temperature=t).propose(request_for(chain)).std(axis=1).mean()
        for t in (0.0, 0.1, 1.0)
    ]
    assert spread[0] < 1e-9 < spread[1] < spread[2]
    with pytest.raises(InvalidArgumentError, match="temperature"):
        IKFlow(chain, temperature=-1.0)


def test_no_weights_says_how_to_train():
    with pytest.raises(MissingWeightsError, match="generative-ik train ikflow") as error:
        IKFlow(planar_two_joints())
    assert planar_two_joints().fingerprint in str(error.value)
    assert isinstance(error.value, GenerativeIKError)


def test_the_users_weights_come_before_the_packages(monkeypatch, tmp_path):
    chain = planar_two_joints()
    monkeypatch.setattr(module, "package_weights", lambda: tmp_path / "package")
    shipped = write_weights(
        weights_path(tmp_path / "package", "ikflow", chain.fingerprint), chain, scrambled(chain)
    )
    assert find_weights("ikflow", chain) == shipped
    own = write_weights(user_file(chain), chain, scrambled(chain))
    assert find_weights("ikflow", chain) == own and IKFlow(chain).path == own


def test_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("GENERATIVE_IK_WEIGHTS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert user_weights() == tmp_path / "generative_ik_ros" / "weights"


def test_damaged_user_weights_are_an_error_not_a_detour():
    chain = planar_two_joints()
    path = write_weights(user_file(chain), chain, scrambled(chain))
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=path.name):
        IKFlow(chain)


@pytest.mark.parametrize("pose_input", ["6d", "cylindrical"])
@pytest.mark.parametrize("settings", [{}, {"width": 7, "hidden_layers": 3, "bins": 5}])
def test_the_core_does_what_the_torch_module_does(pose_input, settings):
    chain = mixed_chain()
    flow = scrambled(chain, spread=0.1, pose_input=pose_input, **settings)
    write_weights(user_file(chain), chain, flow)
    sampler, request = IKFlow(chain), request_for(chain, count=100, first=7)
    assert sampler._native is not None
    native = sampler.propose(request)
    sampler._native = None
    slow = sampler.propose(request)
    gap = np.abs(np.remainder(native - slow + np.pi, 2 * np.pi) - np.pi)
    assert np.median(gap) < 1e-5 and gap.max() < 1e-2


def threads_of_torch():
    """How many threads PyTorch has in a thread that begins now."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(torch.get_num_threads).result()


def test_likelihoods_in_several_threads_leave_torch_its_own():
    inside, left = Event(), Event()

    def first():
        with flow_sampler._threads(1):
            assert inside.wait(10.0)
        left.set()

    def second():
        with flow_sampler._threads(1):
            inside.set()
            assert left.wait(10.0)

    torch.set_num_threads(3)
    try:
        with ThreadPoolExecutor(2) as pool:
            calls = [pool.submit(first), pool.submit(second)]
            assert [call.result() for call in calls] == [None, None]
        assert threads_of_torch() == 3
    finally:
        torch.set_num_threads(1)


@pytest.mark.parametrize(("converged", "expected"), [(0.9, 2.0), (0.6, 3.0), (0.05, None)])
def test_the_search_is_told_what_the_training_found_out(converged, expected, tmp_path):
    chain = planar_two_joints()
    flow = scrambled(chain)
    figures = {"figures": {"converged_in_10": converged}}
    checkpoint = to_checkpoint(flow.config, flow.state_dict(), chain, figures)
    save_checkpoint(tmp_path / "w.safetensors", checkpoint)
    assert IKFlow(chain, weights=tmp_path / "w.safetensors").seeds_per_solution == (
        None if expected is None else pytest.approx(expected)
    )
