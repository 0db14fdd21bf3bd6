"""Limits hold between any two steps: random robots, limits and targets."""

import numpy as np
import pytest
from courses import configuration, follow
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import poses, random_chain, random_positions
from two_arms import two_arms

from generative_ik_ros import IKSolver, TaskSpaceRegion

REGIONS = (
    None,
    TaskSpaceRegion.free_axis("z"),
    TaskSpaceRegion.position_only(),
    TaskSpaceRegion(np.full(6, -0.1), np.full(6, 0.1)),
)


def restless_targets(chain, rng, count):
    """Poses (count, 4, 4) that jump, stand, walk and leave the workspace; None: there is none."""
    targets, pose = [], poses(chain, rng, 1)[0]
    while len(targets) < count:
        kind, length = rng.integers(5), int(rng.integers(1, 60))
        if kind == 0:
            pose = poses(chain, rng, 1)[0]
        elif kind == 1:
            pose = pose.copy()
            pose[:3, 3] *= rng.uniform(0.0, 5.0)
        walk = rng.normal(size=3) * rng.choice([0.0, 1e-4, 1e-2])
        for _ in range(length):
            pose = pose.copy()
            pose[:3, 3] += walk
            targets.append(None if kind == 2 else pose)
    return targets[:count]


def limits(rng, size):
    """Velocity and acceleration limits (size,) of all orders that robots have."""
    return 10.0 ** rng.uniform(-1.5, 1.0, size), 10.0 ** rng.uniform(-1.0, 2.0, size)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from(REGIONS))
def test_limits_hold_on_random_robots(seed, num_joints, region):
    rng = np.random.default_rng(seed)
    _, chain = random_chain(rng, num_joints)
    velocity, acceleration = limits(rng, num_joints)
    start = random_positions(chain, rng)
    posture = random_positions(chain, rng) if rng.random() < 0.5 else None
    tracker = IKSolver(chain).track(
        start, float(10.0 ** rng.uniform(-4.0, -1.0)), velocity_limits=velocity,
        acceleration_limits=acceleration, region=region, posture=posture,
        joint_weights=rng.uniform(0.2, 5.0, num_joints),
        objective=(None, "limit_margin", "manipulability")[rng.integers(3)],
        largest_jump=(0.1, 0.5) if rng.random() < 0.3 else None,
    )  # fmt: skip
    follow(tracker, restless_targets(chain, rng, 400), start)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_limits_hold_with_two_tips(seed):
    rng, tree = np.random.default_rng(seed), two_arms()
    velocity, acceleration = limits(rng, tree.num_joints)
    start = configuration(tree, rng.uniform(0.2, 0.8, tree.num_joints))
    tracker = IKSolver(tree).track(
        start, 0.002, velocity_limits=velocity, acceleration_limits=acceleration
    )
    targets = tree.forward(random_positions(tree, rng, 8))
    targets[::2, :, :3, 3] *= rng.uniform(0.5, 2.0)
    follow(tracker, np.repeat(targets, 40, axis=0), start)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_limits_hold_from_a_limit(panda, share):
    start = configuration(panda, share)
    tracker = IKSolver(panda).track(start, 0.001)
    steps = follow(tracker, np.repeat(panda.forward(configuration(panda))[None], 6000, 0), start)
    assert steps[-1].position_error < steps[0].position_error


def test_a_joint_read_beyond_its_limit_comes_back_without_a_jump(panda):
    start = configuration(panda)
    start[3] = panda.upper[3] + 0.03
    tracker = IKSolver(panda).track(start, 0.001)
    steps = follow(tracker, np.repeat(panda.forward(configuration(panda))[None], 4000, 0), start)
    assert steps[0].positions[3] > panda.upper[3]
    assert (np.diff([step.positions[3] for step in steps[:100]]) <= 0.0).all()
    assert steps[-1].positions[3] <= panda.upper[3]
