"""The contract of a sampler, for every one in the registry and for one given as an object."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from robots import random_chain
from scipy.stats import qmc
from two_arms import two_arms

from generative_ik_ros import IKSolver
from generative_ik_ros.errors import UnknownNameError
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.registry import sampler_class, sampler_names
from generative_ik_ros.search.seeding import seeds_around

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


def request_for(chain, targets=2, count=64, random_seed=0, first=0):
    lower = np.where(chain.continuous, -np.pi, chain.lower)
    upper = np.where(chain.continuous, np.pi, chain.upper)
    poses = chain.forward(np.linspace(lower, upper, targets + 2)[1:-1])
    return SeedRequest(poses, count, lower, upper, random_seed, first)


every_sampler = pytest.mark.parametrize("name", [*sampler_names(), "halton"])


@pytest.fixture
def arm(name, panda, ur10):
    """Return an arm that the sampler is for."""
    return {"closed_form": ur10, "postures": FLOATING}.get(name, panda)


@pytest.fixture
def sampler(name, arm):
    return make(name, arm)


@every_sampler
def test_name(name, sampler):
    assert sampler.name == name


@every_sampler
def test_shape_type_and_bounds(sampler, arm):
    seeds = sampler.propose(request_for(arm, targets=3, count=50))
    assert seeds.shape == (3, 50, arm.num_joints) and seeds.dtype == np.float64
    assert (seeds >= arm.lower).all() and (seeds <= arm.upper).all()


@every_sampler
def test_no_targets_or_no_seeds(sampler, arm):
    assert sampler.propose(request_for(arm, targets=0)).shape == (0, 64, arm.num_joints)
    assert sampler.propose(request_for(arm, count=0)).shape == (2, 0, arm.num_joints)


@every_sampler
def test_the_same_request_gives_the_same_seeds(sampler, arm):
    one, two = (sampler.propose(request_for(arm, random_seed=5)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, sampler.propose(request_for(arm, random_seed=6)))


@every_sampler
def test_two_short_requests_are_one_long_one(sampler, arm):
    long = sampler.propose(request_for(arm, count=100))
    short = [sampler.propose(request_for(arm, count=c, first=f)) for c, f in ((37, 0), (63, 37))]
    np.testing.assert_allclose(np.concatenate(short, axis=1), long, atol=1e-12)


@every_sampler
def test_targets_do_not_depend_on_each_other(sampler, arm):
    request = request_for(arm, targets=3)
    alone = dataclasses.replace(request, targets=request.targets[1:2])
    np.testing.assert_allclose(sampler.propose(alone)[0], sampler.propose(request)[1], atol=1e-9)


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


@pytest.mark.parametrize(
    "name", ["quasi_random", "uniform", "capability_map", "retrieval", "halton"]
)
def test_any_chain_where_no_weights_are_needed(name):
    chain = random_chain(np.random.default_rng(3), 5)[1]
    assert chain.prismatic.any() and chain.continuous.any()
    request = request_for(chain)
    seeds = make(name, chain).propose(request)
    assert seeds.shape == (2, 64, 5)
    assert (seeds >= request.lower).all() and (seeds <= request.upper).all()


def test_quasi_random_fills_the_box_more_evenly_than_chance(panda):
    request = request_for(panda, targets=1, count=1024)

    def discrepancy(name):
        seeds = sampler_class(name)(panda).propose(request)[0]
        return qmc.discrepancy((seeds - panda.lower) / (panda.upper - panda.lower))

    assert discrepancy("quasi_random") < 0.7 * discrepancy("uniform")


def test_seeds_around_a_state_begin_there_and_spread(panda):
    state = (panda.lower + panda.upper) / 2
    seeds = seeds_around(QuasiRandom(panda), request_for(panda, count=100), state)
    np.testing.assert_array_equal(seeds[:, 0], np.stack([state, state]))
    distance = np.abs(seeds[0] - state).max(axis=1)
    assert distance[:20].max() < 0.2 < distance[60:].max()
    assert (seeds >= panda.lower).all() and (seeds <= panda.upper).all()


def test_unknown_sampler_lists_the_choices():
    with pytest.raises(UnknownNameError, match=", ".join(["auto", *sampler_names()])):
        sampler_class("magic")
