"""Retrieved seeds: the nearest stored configurations, in order, for every chain."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from robots import NONE, Z, arm, planar_two_joints, pose_gap

from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers import retrieval
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.retrieval import Retrieval
from generative_ik_ros.samplers.stored import ChainCache


@pytest.fixture(scope="module")
def targets(panda):
    return random_reachable_poses(panda, 4, 3)


def ask(chain, targets, count, first=0, random_seed=0, lower=None, upper=None):
    lower = chain.lower if lower is None else lower
    upper = chain.upper if upper is None else upper
    return Retrieval(chain).propose(SeedRequest(targets, count, lower, upper, random_seed, first))


def stored(chain):
    """What the sampler stores for a chain without full turns."""
    everywhere = SeedRequest(np.eye(4)[None], 50_000, chain.lower, chain.upper, 0)
    return QuasiRandom(chain).propose(everywhere)[0]


def test_seeds_are_the_nearest_by_brute_force(panda, targets):
    positions = stored(panda)
    poses = panda.canonical_target(panda.forward(positions))
    length = np.linalg.norm(poses[:, :3, 3], axis=1).max() / 2
    for target, seeds in zip(targets, ask(panda, targets, 300), strict=True):
        wanted = panda.canonical_target(target)
        gap = np.linalg.norm(poses[:, :3, 3] - wanted[:3, 3], axis=1) / length
        chord = np.linalg.norm(poses[:, :3, :3] - wanted[:3, :3], axis=(1, 2)) / np.sqrt(2)
        order = np.argsort(gap**2 + chord**2, kind="stable")
        np.testing.assert_allclose(seeds, positions[order[:300]], atol=1e-12)


def test_beyond_the_stored_ones_seeds_are_quasi_random(panda, targets):
    seeds = ask(panda, targets[:1], 20, first=49_990)
    request = SeedRequest(targets[:1], 10, panda.lower, panda.upper, 0)
    np.testing.assert_array_equal(seeds[0, 10:], QuasiRandom(panda).propose(request)[0])
    last = np.sort(stored(panda), axis=0)
    assert (seeds[0, :10] >= last[0]).all()
    far = ask(panda, targets[:1], 5, first=50_003)
    np.testing.assert_array_equal(far[0], seeds[0, 13:18])


def test_seeds_are_near_and_other_random_seeds_find_others_as_near(panda, targets):
    mean = []
    for random_seed in (0, 1, 2):
        seeds = ask(panda, targets, 100, random_seed=random_seed)
        distance, angle = pose_gap(panda.forward(seeds), targets[:, None])
        mean.append(distance.mean() / 0.5 + angle.mean())
    anywhere = QuasiRandom(panda).propose(SeedRequest(targets, 100, panda.lower, panda.upper, 0))
    distance, angle = pose_gap(panda.forward(anywhere), targets[:, None])
    assert max(mean) < 0.5 * (distance.mean() / 0.5 + angle.mean())
    assert max(mean) < 1.25 * mean[0]
    one, other = (ask(panda, targets, 100, random_seed=seed)[0] for seed in (0, 1))
    shared = (one[:, None] == other[None]).all(axis=2).any(axis=1).mean()
    assert 0.0 < shared < 0.95


def test_joints_that_go_round_are_turned_into_the_bounds():
    chain = arm(
        ("continuous", NONE, Z, None),
        ("revolute", (1, 0, 0), Z, (-6.0, 6.0)),
        ("prismatic", (0.5, 0, 0), (1, 0, 0), (0.0, 0.3)),
    )
    state = np.array([1.0, 2.0, 0.1])
    target = chain.forward(state)[None]
    lower, upper = np.array([20.0, -6.0, 0.0]), np.array([20.0 + 2 * np.pi, 6.0, 0.3])
    seeds = ask(chain, target, 50, lower=lower, upper=upper)[0]
    assert (seeds >= lower).all() and (seeds <= upper).all()
    distance, angle = pose_gap(chain.forward(seeds), target[0])
    assert distance.max() < 0.15 and angle.max() < 0.15  # clipping would have lost this


def test_mounting_and_tool_share_an_index():
    bare, with_tool = planar_two_joints(second=0.5), planar_two_joints(second=0.9)
    assert bare.fingerprint == with_tool.fingerprint
    for chain in (bare, with_tool):
        seeds = ask(chain, chain.forward([[0.3, 0.4]]), 10)
        distance, _ = pose_gap(chain.forward(seeds[0]), chain.forward([0.3, 0.4]))
        assert distance.max() < 0.1
    assert retrieval._indices.of(bare) is retrieval._indices.of(with_tool)


def test_many_threads_build_one_entry():
    chain, built = planar_two_joints(), []

    def build(chain):
        time.sleep(0.05)
        built.append(chain)
        return object()

    cache = ChainCache(build)
    with ThreadPoolExecutor(8) as pool:
        entries = set(pool.map(lambda _: cache.of(chain), range(16)))
    assert len(built) == len(entries) == 1
