"""Poses out of reach are given up soon, and none that is within reach."""

import numpy as np
import pytest
from robots import NONE, X, Y, Z, urdf

from generative_ik_ros import KinematicChain
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.solutions import SolveStatus


def at_limits(chain, rng, count):
    """Return configurations with about half of the joints at a limit, or within 0.1 % of one."""
    size = count, chain.num_joints
    low = np.where(chain.continuous, -np.pi, chain.lower)
    high = np.where(chain.continuous, np.pi, chain.upper)
    inwards = 1e-3 * rng.random(size) * (high - low) * (rng.random(size) < 0.5)
    q = np.where(rng.random(size) < 0.5, low + inwards, high - inwards)
    anywhere = rng.random(size) < 0.5
    q[anywhere] = rng.uniform(low, high, size)[anywhere]
    return q


@pytest.fixture(scope="module")
def out_of_reach(panda, panda_solver):
    """Return 60 poses within the arm's length, none of which can be reached."""
    generator = np.random.default_rng(2)
    targets = panda.forward(generator.uniform(panda.lower, panda.upper, (400, 7)))
    targets[:, :3, :3] = np.swapaxes(targets[:, :3, :3], 1, 2)
    unreached = targets[panda_solver.solve(targets, 1).counts == 0]
    assert len(unreached) >= 60
    return unreached[:60]


@pytest.mark.parametrize("name", ["panda", "ur10", "iiwa"])
def test_poses_reached_with_joints_at_their_limits_are_solved(name, rng):
    chain = load_robot(name)
    targets = chain.forward(at_limits(chain, rng, 1000))
    assert IKSolver(chain).solve(targets, 1).counts.all()


WAIST_AND_ARM = urdf(
    [
        ("revolute", NONE, NONE, Z, (-2.35, 2.35), ""),
        ("revolute", (0.0, 0.15, 0.43), (0.44, 0.0, 0.0), Y, (-2.87, 2.87), ""),
        ("revolute", (0.0, 0.05, -0.02), (-0.44, 0.0, 0.0), X, (-0.34, 3.11), ""),
        ("revolute", (0.0, 0.0, -0.13), NONE, Z, (-1.3, 4.45), ""),
        ("revolute", (0.02, 0.0, -0.2), NONE, Y, (-1.25, 2.61), ""),
    ]
)


def test_poses_of_five_joints_at_their_limits_are_solved(rng):
    """Seeds that stay within the limits are trapped there."""
    chain = KinematicChain.from_urdf(WAIST_AND_ARM)
    corners = np.array(np.meshgrid(*zip(chain.lower, chain.upper, strict=True))).reshape(5, -1).T
    targets = chain.forward(np.concatenate([corners, at_limits(chain, rng, 1000)]))
    solver = IKSolver(chain)
    assert solver.solve(targets, 1).counts.all()
    for target, corner in zip(targets[:32], corners, strict=True):
        assert solver.solve(target, 1).counts[0]
        limits = np.full(5, 0.5)
        assert solver.solve(target, 1, corner, limits).counts[0]


def test_hardly_any_of_the_hardest_poses_is_lost():
    """Seeds evenly spread within the limits lose eight of these, which are at limits."""
    chain = load_robot("lwa4p")
    targets = chain.forward(at_limits(chain, np.random.default_rng(2), 40_000))
    found = IKSolver(chain, "quasi_random").solve(targets, 1, random_seed=2)
    assert (found.counts == 0).sum() <= 2


def test_a_pose_out_of_reach_takes_a_few_restarts(panda_solver, out_of_reach):
    found = panda_solver.solve(out_of_reach, 1)
    assert set(found.status) == {SolveStatus.NO_SOLUTION}
    assert found.timings.seeds < 250 * len(out_of_reach)
