"""Every registered sampler under one contract."""

import numpy as np
import pytest
from scipy.stats import qmc

from generative_ik_ros.errors import UnknownNameError
from generative_ik_ros.samplers.around import seeds_around
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.registry import sampler_class, sampler_names


def request_for(chain, targets=2, count=64, random_seed=0, first=0):
    poses = chain.forward(np.linspace(chain.lower, chain.upper, targets + 2)[1:-1])
    return SeedRequest(poses, count, chain.lower, chain.upper, random_seed, first)


@pytest.fixture(params=sampler_names())
def sampler(request, panda):
    return sampler_class(request.param)(panda)


def test_shape_type_and_bounds(sampler, panda):
    seeds = sampler.propose(request_for(panda, targets=3, count=50))
    assert seeds.shape == (3, 50, 7) and seeds.dtype == np.float64
    assert (seeds >= panda.lower).all() and (seeds <= panda.upper).all()


def test_nothing_asked_nothing_given(sampler, panda):
    assert sampler.propose(request_for(panda, targets=0)).shape == (0, 64, 7)
    assert sampler.propose(request_for(panda, count=0)).shape == (2, 0, 7)


def test_the_same_request_gives_the_same_seeds(sampler, panda):
    one, two = (sampler.propose(request_for(panda, random_seed=5)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, sampler.propose(request_for(panda, random_seed=6)))


def test_two_short_requests_are_one_long_one(sampler, panda):
    long = sampler.propose(request_for(panda, count=100))
    short = [sampler.propose(request_for(panda, count=c, first=f)) for c, f in ((37, 0), (63, 37))]
    np.testing.assert_allclose(np.concatenate(short, axis=1), long, atol=1e-12)


def test_narrow_bounds_are_kept(sampler, panda):
    middle = (panda.lower + panda.upper) / 2
    narrow = SeedRequest(np.eye(4)[None], 200, middle - 1e-3, middle + 1e-3, 0)
    seeds = sampler.propose(narrow)
    assert (np.abs(seeds - middle) <= 1e-3 + 1e-15).all()


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
    with pytest.raises(UnknownNameError, match="auto, quasi_random, uniform, capability_map"):
        sampler_class("magic")
