"""What every sampler promises, whatever it is made of."""

import dataclasses

import numpy as np

from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.samplers.base import SeedRequest


def request_for(chain, targets=3, count=50, random_seed=0, first=0):
    """Return a request for seeds of reachable poses."""
    lower, upper = finite_limits(chain)
    q = np.random.default_rng(0).uniform(lower, upper, (targets, chain.num_joints))
    return SeedRequest(chain.forward(q), count, lower, upper, random_seed, first)


def keeps_the_contract(sampler, chain):
    """Check shape, type, bounds, repetition, and what requests have to do with each other."""
    request, n = request_for(chain), chain.num_joints
    seeds = sampler.propose(request).copy()
    assert seeds.shape == (3, 50, n) and seeds.dtype == np.float64
    assert (seeds >= request.lower).all() and (seeds <= request.upper).all()
    np.testing.assert_array_equal(sampler.propose(request), seeds)
    assert not np.allclose(sampler.propose(request_for(chain, random_seed=1)), seeds)
    parts = [sampler.propose(request_for(chain, count=c, first=f)) for c, f in ((7, 0), (43, 7))]
    np.testing.assert_allclose(np.concatenate(parts, axis=1), seeds, atol=1e-9)
    alone = dataclasses.replace(request, targets=request.targets[1:2])
    np.testing.assert_allclose(sampler.propose(alone)[0], seeds[1], atol=1e-9)
    assert sampler.propose(request_for(chain, count=0)).shape == (3, 0, n)
    assert sampler.propose(request_for(chain, targets=0)).shape == (0, 50, n)
