"""Seeds that a flow makes on the device are those of the sampler."""

import numpy as np
import pytest
import torch
from flows import mixed_chain, scrambled, write_weights

from generative_ik_benchmarks.device.flow import DeviceFlow
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.robot.known import load_robot


@pytest.mark.parametrize("kind", ["spline", "coupling"])
@pytest.mark.parametrize("chain", [load_robot("panda"), mixed_chain()], ids=["panda", "mixed"])
def test_device_flow_gives_the_samplers_seeds(chain, kind, tmp_path):
    path = write_weights(tmp_path / "flow.safetensors", chain, scrambled(chain, kind=kind))
    sampler, box = IKFlow(chain, weights=path), SearchBox.of(chain)
    flow = DeviceFlow(
        chain,
        torch.device("cpu"),
        torch.tensor(box.lower),
        torch.tensor(box.upper),
        random_seed=5,
        weights=path,
    )
    targets = chain.forward(
        np.random.default_rng(0).uniform(box.lower, box.upper, (3, chain.num_joints))
    )
    ours = flow(torch.tensor(targets), 20, 7).numpy()
    reference = sampler.propose(box.seed_request(targets, 20, 5, first=7))
    gap = np.abs(ours - reference)
    # The sampler's compiled kernel is in single precision, and a circle's ends are one place.
    gap = np.where(box.circular, np.minimum(gap, np.abs(2 * np.pi - gap)), gap)
    assert np.quantile(gap, 0.99) < 1e-3
    assert (ours >= box.lower).all() and (ours <= box.upper).all()
