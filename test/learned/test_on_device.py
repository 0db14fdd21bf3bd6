"""Learned samplers on a GPU, whose kernels run on the CPU here, thread by thread."""

import copy
import pickle

import numpy as np
import pytest
from flows import mixed_chain
from ggik_models import write_autoregressive, write_latent
from robots import random_chain
from sampler_contract import keeps_the_contract, request_for

from generative_ik_ros import IKSolver, _core, load_robot
from generative_ik_ros.device import open as device_open
from generative_ik_ros.device.open import Opened
from generative_ik_ros.errors import GenerativeIKWarning, InvalidArgumentError
from generative_ik_ros.learned import device_network
from generative_ik_ros.learned.checkpoint import save_checkpoint
from generative_ik_ros.learned.distal.sampler import Distal
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.learned.ikflow.weights import config_for, to_checkpoint
from generative_ik_ros.samplers.registry import make_sampler
from generative_ik_ros.search import device_calls, on_device

SHIPPED = "ikflow", "ikflow_large", "ggik", "distal"


def use(monkeypatch: pytest.MonkeyPatch, opened: Opened) -> Opened:
    for module in (device_network, on_device, device_calls):
        monkeypatch.setattr(module, "OPENED", opened)
    return opened


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """The device of calls: the CPU in the place of a GPU."""
    monkeypatch.setenv(device_open.VARIABLE, "emulated")
    return use(monkeypatch, Opened())


@pytest.mark.parametrize("name", SHIPPED)
def test_seeds_are_those_of_the_cpu(emulated, name):
    chain = load_robot("panda")
    there, here = (make_sampler(name, chain, device) for device in ("cuda", "cpu"))
    request = request_for(chain, count=40)
    one, two = there.propose(request), here.propose(request)
    assert ((one >= request.lower) & (one <= request.upper)).all()
    off = np.abs(one - two).max(axis=-1)
    # Rounding may choose another component of a mixture, once in a while.
    assert np.quantile(off, 0.8 if name == "ggik" else 0.95) < 1e-3
    assert not np.array_equal(one, two), "one of them does both"


@pytest.mark.parametrize("name", SHIPPED)
def test_contract(emulated, name):
    chain = load_robot("panda")
    keeps_the_contract(make_sampler(name, chain, "cuda"), chain)


def test_any_chain(emulated, tmp_path):
    """Prismatic, mimic and continuous joints."""
    chain = mixed_chain()
    config = config_for(chain, hidden=6, hidden_layers=3, layers=3)
    flow = ConditionalFlow(config)
    path = tmp_path / "flow.safetensors"
    save_checkpoint(path, to_checkpoint(config, dict(flow.named_parameters()), chain, {}))
    keeps_the_contract(IKFlow(chain, "cuda", weights=path), chain)
    for seed in (20, 21):
        _, other = random_chain(np.random.default_rng(seed), 6)
        path = write_autoregressive(tmp_path / "ggik.safetensors", {})
        there, here = (GGIK(other, device, weights=path) for device in ("cuda", "cpu"))
        request = request_for(other, count=20)
        off = np.abs(there.propose(request) - here.propose(request)).max(axis=-1)
        assert np.quantile(off, 0.8) < 1e-3


def test_solving_with_seeds_of_the_device(emulated):
    chain = load_robot("panda")
    solver = IKSolver(chain, sampler="ikflow", device="cuda")
    targets = request_for(chain).targets
    found = solver.solve(targets, 3, random_seed=1)
    assert (found.counts == 3).all()
    for again in (pickle.loads(pickle.dumps(solver)), copy.deepcopy(solver)):
        np.testing.assert_array_equal(
            again.solve(targets, 3, random_seed=1).positions, found.positions
        )


def opened_with(device: _core.Device) -> Opened:
    opened = Opened()
    opened.device, opened._tried = device, True
    return opened


@pytest.mark.parametrize(
    ("name", "memory", "drawn_on"),
    [
        *((name, 1 << 10, "cpu") for name in SHIPPED),
        *((name, 3 << 20, "cuda") for name in ("ikflow", "ggik", "distal")),
        ("ikflow_large", 3 << 20, "cpu"),  # its weights alone take more
    ],
)
def test_where_memory_is_short(monkeypatch, name, memory, drawn_on):
    """Weights that do not fit, or samples, are left to the CPU."""
    chain = load_robot("panda")
    request = request_for(chain, targets=2, count=30)
    use(monkeypatch, opened_with(_core.Device.emulated(memory)))
    seeds = make_sampler(name, chain, "cuda").propose(request)
    use(monkeypatch, opened_with(_core.Device.emulated()))
    np.testing.assert_array_equal(seeds, make_sampler(name, chain, drawn_on).propose(request))


def test_a_device_that_fails_is_given_up(emulated, monkeypatch):
    chain = load_robot("panda")
    sampler, request = Distal(chain, "cuda"), request_for(chain)

    def fail(*_: object) -> None:
        raise RuntimeError("lost")

    network = sampler._predictor._there
    assert network is not None
    monkeypatch.setattr(network, "_on", fail)
    with pytest.warns(GenerativeIKWarning, match="lost"):
        seeds = sampler.propose(request)
    np.testing.assert_array_equal(seeds, Distal(chain).propose(request))
    assert emulated.get() is None


def test_a_new_device_gets_the_weights_again(emulated, monkeypatch):
    """As a forked process has one of its own."""
    chain = load_robot("panda")
    sampler, request = GGIK(chain, "cuda"), request_for(chain)
    seeds = sampler.propose(request)
    use(monkeypatch, Opened())
    np.testing.assert_array_equal(sampler.propose(request), seeds)


@pytest.mark.parametrize("name", SHIPPED)
def test_no_device(monkeypatch, name):
    monkeypatch.setenv(device_open.VARIABLE, "off")
    use(monkeypatch, Opened())
    with pytest.raises(InvalidArgumentError, match="'cuda' was asked for, but GENERATIVE_IK_GPU"):
        make_sampler(name, load_robot("panda"), "cuda")


def test_what_has_no_kernels_runs_in_pytorch(emulated, monkeypatch, tmp_path):
    """The papers' GGIK, for one; PyTorch sees no GPU here."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    path = write_latent(tmp_path / "latent.safetensors", {})
    with pytest.raises(InvalidArgumentError, match="there is no CUDA device"):
        GGIK(load_robot("panda"), "cuda", weights=path)
