"""Seeds of the capability map: outer joints fitted exactly, poses close by, for any chain."""

import numpy as np
import pytest
from robots import NONE, Z, arm, planar_two_joints, pose_gap, random_chain, urdf

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.refine.levenberg_marquardt import RefineTask
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.capability_map import GRIDS, CapabilityMap
from generative_ik_ros.samplers.ends import End, Ends
from generative_ik_ros.samplers.quasi_random import QuasiRandom


@pytest.mark.parametrize("robot", ["panda", "ur10"])
def test_seeds_lie_much_closer_to_the_target_than_chance(robot, request, rng):
    chain = request.getfixturevalue(robot)
    lower, upper = finite_limits(chain)
    sampler, chance = CapabilityMap(chain), QuasiRandom(chain)
    for _ in range(10):
        target = chain.forward(rng.uniform(lower, upper))
        request = SeedRequest(target[None], 64, lower, upper, 0)
        near, far = (
            pose_gap(chain.forward(s.propose(request)[0]), target) for s in (sampler, chance)
        )
        assert np.median(near[0]) < 0.25 * np.median(far[0])
        assert np.median(near[1]) < 0.25 * np.median(far[1])


def test_most_seeds_converge(panda, rng):
    """Two thirds, where of seeds spread over the whole box less than a half do."""
    share = {}
    for name in ("capability_map", "quasi_random"):
        solver = IKSolver(panda, sampler=name)
        tried = converged = 0
        for q in np.random.default_rng(1).uniform(panda.lower, panda.upper, (40, 7)):
            target = panda.forward(q)
            request = SeedRequest(target[None], 64, panda.lower, panda.upper, 0)
            refined = solver.refiner.refine(
                RefineTask(
                    target[None],
                    np.ascontiguousarray(solver.sampler.propose(request)[0]),
                    np.zeros(64, np.int64),
                    panda.lower,
                    panda.upper,
                    np.array([64]),
                )
            )
            tried, converged = tried + 64, converged + int(refined.converged.sum())
        share[name] = converged / tried
    assert share["capability_map"] > 2 / 3 > 1 / 2 > share["quasi_random"]


def test_revolute_ends_are_found(panda, ur10):
    for chain in (panda, ur10):
        ends = Ends.of(chain)
        assert (ends.first, ends.last) == (End.REVOLUTE, End.REVOLUTE)
        assert len(ends.circles) == 4


def test_a_prismatic_first_joint_follows_in_closed_form(rng):
    chain = arm(
        ("prismatic", NONE, Z, (0.0, 1.0)),
        ("revolute", (0.1, 0, 0), (0.0, 1.0, 0.0), (-2.0, 2.0)),
        ("revolute", (0.4, 0, 0), (1.0, 0.0, 0.0), (-2.0, 2.0)),
        ("revolute", (0.3, 0.1, 0), (0.0, 1.0, 0.0), (-2.0, 2.0)),
        tool=(0.2, 0, 0.1),
    )
    ends = Ends.of(chain)
    assert (ends.first, ends.last) == (End.PRISMATIC, End.REVOLUTE)
    target = chain.forward(np.array([0.5, 0.7, -0.4, 0.3]))
    request = SeedRequest(target[None], 32, chain.lower, chain.upper, 0)
    seeds = CapabilityMap(chain).propose(request)[0]
    tips = chain.forward(seeds)
    # The height of the last joint is exact; only the tool's lever, turned a little, is not.
    distance, angle = pose_gap(chain.forward(seeds), target)
    assert np.median(distance) < 0.03
    assert np.median(angle) < 0.06
    assert np.isfinite(tips).all()


def test_mimicked_ends_are_left_to_the_solver():
    mimic = "<mimic joint='j0' multiplier='0.5'/>"
    joints = [
        ("revolute", NONE, NONE, Z, (-2.0, 2.0), ""),
        ("revolute", (0.4, 0, 0), NONE, (0.0, 1.0, 0.0), (-2.0, 2.0), ""),
        ("revolute", (0.4, 0, 0), NONE, Z, (-2.0, 2.0), mimic),
    ]
    chain = KinematicChain.from_urdf(urdf(joints))
    ends = Ends.of(chain)
    assert (ends.first, ends.last) == (End.FIXED, End.FIXED)
    assert len(ends.circles) == 6
    solution = IKSolver(chain, sampler="capability_map").solve(chain.forward([0.3, 0.5]), 4)
    assert solution.counts[0] >= 1


@pytest.mark.slow
def test_a_planar_arm_and_chains_of_any_kind_are_solved(rng):
    """No arm is too degenerate: parallel axes, one joint, prismatic and continuous joints."""
    chains = [planar_two_joints(), *(random_chain(rng, count)[1] for count in (1, 2, 3, 5, 8))]
    for chain in chains:
        lower, upper = finite_limits(chain)
        targets = chain.forward(rng.uniform(lower, upper, (20, chain.num_joints)))
        solutions = IKSolver(chain, sampler="capability_map").solve(targets, 4)
        assert (solutions.counts > 0).all()


def test_a_tool_and_a_mounting_share_the_map(panda):
    hand = KinematicChain.from_urdf(panda.description, "panda_link0", "panda_link7")
    assert GRIDS.of(hand) is GRIDS.of(panda)


def test_every_stored_configuration_is_found_where_it_is(panda):
    """The cell of a stored configuration's own pose holds that configuration."""
    grid = GRIDS.of(panda)
    lower, upper = finite_limits(panda)
    for i in range(0, len(grid.positions), len(grid.positions) // 20):
        q = np.clip(grid.positions[i], lower, upper)
        if not np.array_equal(q, grid.positions[i]):
            continue
        target = panda.forward(q)
        seeds = CapabilityMap(panda).propose(SeedRequest(target[None], 60, lower, upper, 0))[0]
        assert np.abs(seeds - q).max(axis=1).min() < 1e-9
