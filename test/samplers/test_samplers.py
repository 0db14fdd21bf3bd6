"""The contract of a sampler, for every one in the registry and for one given as an object."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from robots import random_chain
from sampler_contract import keeps_the_contract, request_for
from scipy.stats import qmc
from two_arms import two_arms

from generative_ik_ros import IKSolver
from generative_ik_ros.errors import UnknownNameError
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.registry import sampler_class, sampler_names

pytestmark = pytest.mark.slow

FLOATING = two_arms(floating_base=([-1, -1, -1, -3, -1.5, -3], [1, 1, 1, 3, 1.5, 3]))


class Halton(Sampler):
    """A sampler that nothing registers (J. H. Halton, 1960)."""

    name = "halton"

    def propose(self, request):
        sequence = qmc.Halton(len(request.lower), scramble=True, seed=request.random_seed)
        sequence.fast_forward(request.first)
        unit = sequence.random(request.count)
        seeds = request.lower + unit * (request.upper - request.lower)
        return np.broadcast_to(seeds, (len(request.targets), *seeds.shape))


def make(name, chain):
    return Halton(chain) if name == "halton" else sampler_class(name)(chain)


every_sampler = pytest.mark.parametrize("name", [*sampler_names(), "halton"])


@pytest.fixture
def arm(name, panda, ur10):
    """Return an arm that the sampler is for."""
    return {"closed_form": ur10, "postures": FLOATING}.get(name, panda)


@pytest.fixture
def sampler(name, arm):
    return make(name, arm)


@every_sampler
def test_contract(sampler, arm):
    keeps_the_contract(sampler, arm)


@pytest.mark.parametrize(
    "name", ["quasi_random", "uniform", "capability_map", "retrieval", "halton"]
)
def test_contract_for_any_chain_where_no_weights_are_needed(name):
    chain = random_chain(np.random.default_rng(3), 5)[1]
    assert chain.prismatic.any() and chain.continuous.any()
    keeps_the_contract(make(name, chain), chain)


@every_sampler
def test_narrow_bounds_are_kept(sampler, arm):
    middle = (arm.lower + arm.upper) / 2
    narrow = SeedRequest(np.eye(4)[None], 200, middle - 1e-3, middle + 1e-3, 0)
    seeds = sampler.propose(narrow)
    assert (np.abs(seeds - middle) <= 1e-3 + 1e-15).all()


@every_sampler
def test_several_threads_at_once(sampler, arm):
    requests = [request_for(arm, random_seed=seed) for seed in range(6)]
    expected = [sampler.propose(request).copy() for request in requests]
    with ThreadPoolExecutor(3) as pool:
        for seeds, wanted in zip(pool.map(sampler.propose, requests), expected, strict=True):
            np.testing.assert_array_equal(seeds, wanted)


@every_sampler
def test_the_solver_takes_it(name, arm):
    given = Halton(arm) if name == "halton" else name
    found = IKSolver(arm, sampler=given).solve(arm.forward((arm.lower + arm.upper) / 2), 5)
    assert found.sampler == name and found.counts[0] == 5


def test_quasi_random_fills_the_box_more_evenly_than_chance(panda):
    request = request_for(panda, targets=1, count=1024)

    def discrepancy(name):
        seeds = sampler_class(name)(panda).propose(request)[0]
        return qmc.discrepancy((seeds - panda.lower) / (panda.upper - panda.lower))

    assert discrepancy("quasi_random") < 0.7 * discrepancy("uniform")


def test_unknown_sampler_lists_the_choices():
    with pytest.raises(UnknownNameError, match=", ".join(["auto", *sampler_names()])):
        sampler_class("magic")
