"""Joints that known distances decide, arms from either end, and seeds that are drawn again."""

import numpy as np
import pytest
import torch
from ggik_models import write_autoregressive
from robots import random_chain

from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.learned.ggik.autoregressive.goal_features import training_pairs
from generative_ik_ros.learned.ggik.autoregressive.known_distances import (
    KnownDistances,
    from_better_end,
)
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.lines import seen_from_tip
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.random_poses import random_reachable_poses

PUBLISHED = {"iiwa": 5.3, "lwa4d": 4.7, "lwa4p": 5.7, "panda": 12.3, "ur10": 9.2}
"""Mean distance of raw samples in table II of the T-RO paper [mm]."""


def distances(chain, seeds, targets):
    """Return distances (T, K) of seeds from their targets [mm]."""
    reached = chain.forward(seeds)[..., :3, 3]
    return 1e3 * np.linalg.norm(reached - targets[:, None, :3, 3], axis=-1)


def configurations(lines, count):
    unit = np.random.default_rng(3).uniform(-1.0, 1.0, (count, lines.num_variables))
    return lines.middle + lines.half * torch.tensor(unit)


@pytest.mark.parametrize("seed", range(4))
def test_an_arm_from_its_tip_is_the_same_arm(seed):
    _, chain = random_chain(np.random.default_rng(seed), 6)
    lines = ArmGraph.of(chain).lines
    back, q = lines.from_tip(), configurations(lines, 10)
    np.testing.assert_allclose(back.forward(q), seen_from_tip(lines.forward(q)), atol=1e-12)
    assert back.directions[0, 2] == pytest.approx(1.0)
    for part in ("directions", "last_in_first"):
        np.testing.assert_allclose(
            getattr(back.from_tip(), part), getattr(lines, part), atol=1e-12
        )


@pytest.mark.parametrize(
    ("robot", "from_tip", "decided"),
    [
        ("iiwa", False, [1, 2, 3, 4]),  # its elbow is on a circle: one joint is free
        ("ur10", False, [0, 1, 2, 3]),
        ("panda", True, [2, 3, 4]),  # the joint after the free one is of a higher degree
        ("lwa4p", False, [1, 2, 3]),  # so is the first, since its wrist is not quite spherical
    ],
)
def test_known_distances_lead_back_to_the_configuration(robot, from_tip, decided):
    arm = ArmGraph.of(load_robot(robot))
    better = from_better_end(arm)
    assert (better is not arm) == from_tip
    links, known = better.links, KnownDistances.of(better.links)
    assert np.flatnonzero(known.counts).tolist() == decided
    for joint, features, angle in training_pairs(links, configurations(links.lines, 500)):
        off = angle + 0.02
        found = known.nearest(joint, links.half_range[joint], features, off)
        if joint not in decided:
            assert torch.equal(found, off)
            continue
        # Where two solutions meet, the other one may be nearer.
        error = torch.remainder(found - angle + torch.pi, 2.0 * torch.pi) - torch.pi
        assert (error.abs() < 1e-6).double().mean() > 0.93


@pytest.mark.parametrize("robot", PUBLISHED)
def test_raw_samples_are_as_near_as_the_paper_s(robot):
    chain = load_robot(robot)
    targets = random_reachable_poses(chain, 20, 1)
    seeds = GGIK(chain).propose(SearchBox.of(chain).seed_request(targets, 32, 0))
    assert distances(chain, seeds, targets).mean() < PUBLISHED[robot]


def test_seeds_that_miss_are_drawn_again_and_the_best_try_is_kept(tmp_path):
    chain = load_robot("iiwa")
    sampler = GGIK(chain, weights=write_autoregressive(tmp_path / "w.safetensors", {}))
    targets = random_reachable_poses(chain, 10, 1)
    request = SearchBox.of(chain).seed_request(targets, 32, 0)
    seeds = sampler.propose(request)
    assert sampler.native is not None
    sampler.native.shifts = sampler.native.shifts[:1].copy()
    once = sampler.propose(request)
    before, after = (distances(chain, some, targets) for some in (once, seeds))
    assert 0.02 < (once == seeds).all(axis=-1).mean() < 0.98
    assert after.mean() < 0.5 * before.mean()
