"""The local solver: where seeds end, within which bounds, and when none is begun."""

import numpy as np
import pytest
from robots import NONE, Z, pose_gap, random_positions, urdf
from scipy.spatial.transform import Rotation

from generative_ik_ros import KinematicChain
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, RefineTask


def task_for(chain, targets, seeds, target_of_seed, **options):
    return RefineTask(
        targets=targets,
        seeds=seeds,
        target_of_seed=np.asarray(target_of_seed),
        lower=chain.lower,
        upper=chain.upper,
        wanted=options.pop("wanted", np.full(len(targets), 10**9)),
        **options,
    )


def test_converged_seeds_are_exact_and_inside_limits(panda, rng):
    refiner = LevenbergMarquardt(panda, 1e-6, 1e-6)
    count = 400
    targets = panda.forward(random_positions(panda, rng, 2))
    target_of_seed = np.arange(count) % 2
    seeds = random_positions(panda, rng, count)
    result = refiner.refine(task_for(panda, targets, seeds, target_of_seed))
    assert result.positions.shape == (count, 7) and result.positions.dtype == np.float64
    assert result.converged.sum() > count / 8
    position, angle = pose_gap(panda.forward(result.positions), targets[target_of_seed])
    assert (position[result.converged] <= 1e-6).all()
    assert (angle[result.converged] <= 1e-6).all()
    assert ((position > 1e-6) | (angle > 1e-6))[~result.converged].all()
    # the reported errors are the true ones, also where a seed did not converge
    np.testing.assert_allclose(result.position_error, position, atol=1e-9)
    np.testing.assert_allclose(result.orientation_error, angle, atol=1e-6)
    assert (result.positions >= panda.lower).all() and (result.positions <= panda.upper).all()
    assert (result.iterations > 0).all()


def test_no_seeds_no_results(panda):
    refiner = LevenbergMarquardt(panda, 1e-5, 1e-5)
    result = refiner.refine(task_for(panda, np.eye(4)[None], np.empty((0, 7)), np.empty(0, int)))
    assert result.positions.shape == (0, 7) and result.converged.shape == (0,)


def test_a_seed_that_already_solves_is_returned_unchanged(panda, rng):
    q = random_positions(panda, rng)
    refiner = LevenbergMarquardt(panda, 1e-5, 1e-5)
    result = refiner.refine(task_for(panda, panda.forward(q)[None], q[None], [0]))
    assert result.converged[0]
    np.testing.assert_allclose(result.positions[0], q, atol=1e-9)


def test_enough_is_enough(panda, rng):
    count = 400
    target = panda.forward(random_positions(panda, rng))[None]
    refiner = LevenbergMarquardt(panda, 1e-5, 1e-5)
    seeds = random_positions(panda, rng, count)
    result = refiner.refine(
        task_for(panda, target, seeds, np.zeros(count, int), wanted=np.array([1]))
    )
    left_out = result.iterations == 0
    assert result.converged.any() and left_out.any()
    assert np.isinf(result.position_error[left_out]).all()


def test_free_orientation_and_free_position(panda, rng):
    count = 400
    target = panda.forward(random_positions(panda, rng))[None]
    seeds = random_positions(panda, rng, count)
    for tolerances, part in (((1e-6, np.inf), 0), ((np.inf, 1e-6), 1)):
        refiner = LevenbergMarquardt(panda, *tolerances)
        result = refiner.refine(task_for(panda, target, seeds, np.zeros(count, int)))
        gap = pose_gap(panda.forward(result.positions), target)
        assert result.converged.mean() > 0.5
        assert (gap[part][result.converged] <= 1e-6).all()
        assert gap[1 - part][result.converged].max() > 0.1


def kernel(chain, tolerance=1e-10):
    return LevenbergMarquardt(chain, tolerance, tolerance)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.0, 0.8)])
def test_rotation_error_of_180_degrees(axis):
    """A spherical wrist half a turn away from its target gets there from nearly everywhere."""
    joints = [("continuous", NONE, NONE, a, None, "") for a in (Z, (0, 1, 0), Z)]
    chain = KinematicChain.from_urdf(urdf(joints))
    starts = random_positions(chain, np.random.default_rng(0), 64)
    targets = chain.forward(starts)
    half_turn = Rotation.from_rotvec(np.pi * np.array(axis)).as_matrix()
    targets[:, :3, :3] = half_turn @ targets[:, :3, :3]
    result = kernel(chain).refine(task_for(chain, targets, starts, np.arange(64)))
    assert result.converged.mean() > 0.9
    gap = pose_gap(chain.forward(result.positions), targets)
    assert gap[1][result.converged].max() < 1e-7


def test_limits_hold_to_the_last_bit(panda, rng):
    """Targets that need a joint at its limit."""
    q = random_positions(panda, rng, 40)
    q[:, 3] = panda.upper[3]
    seeds = random_positions(panda, rng, 40 * 64)
    result = kernel(panda, 1e-8).refine(
        task_for(panda, panda.forward(q), seeds, np.repeat(np.arange(40), 64))
    )
    assert (result.positions >= panda.lower).all() and (result.positions <= panda.upper).all()
    assert result.converged.reshape(40, 64).any(axis=1).mean() > 0.9


def test_thorough_seeds_end_at_a_local_minimum(panda):
    """Beyond reach, the closest approach points straight at the target."""
    target = np.eye(4)
    target[:3, 3] = 2.0, 0.0, 0.333
    refiner = LevenbergMarquardt(panda, 1e-5, np.inf)
    seeds = np.random.default_rng(0).uniform(panda.lower, panda.upper, (64, 7))
    result = refiner.refine(task_for(panda, target[None], seeds, np.zeros(64, int), thorough=True))
    rough = refiner.refine(task_for(panda, target[None], seeds, np.zeros(64, int)))
    assert not result.converged.any()
    assert result.position_error.min() <= rough.position_error.min() + 1e-12
    tip = panda.forward(result.positions[result.position_error.argmin()])[:3, 3]
    assert abs(tip[1]) < 1e-2 and tip[0] > 0.8
