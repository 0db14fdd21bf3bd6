"""Following poses without a jump: steps, limits and independent forward kinematics of paths."""

import math

import numpy as np
import pytest
from robots import NONE, Z, assert_follows, bounds_of, planar_two_joints, urdf
from wrist_arm import wrist_arm

from generative_ik_ros import (
    GenerativeIKError,
    GenerativeIKWarning,
    IKSolver,
    KinematicChain,
    time_path,
)


def smooth_joint_path(rng, chain, count=200):
    """(count, n) positions that swing smoothly between the limits, a turn where there are none."""
    lower, upper = bounds_of(chain)
    time = np.linspace(0.0, np.pi, count)[:, None]
    phase = rng.uniform(0.0, 2.0 * np.pi, (3, chain.num_joints))
    height = rng.uniform(0.0, 1.4, (3, chain.num_joints))
    swing = sum(height[k] / (k + 1) * np.sin((k + 1) * time + phase[k]) for k in range(3))
    return lower + (upper - lower) / (1.0 + np.exp(-swing))


@pytest.fixture(scope="module")
def three_parallel_joints():
    links = [((0.5, 0, 0), "revolute")] * 2 + [((0.3, 0, 0), "fixed")]
    joints = [("revolute", NONE, NONE, Z, (-3.1, 3.1), "")]
    for shift, kind in links:
        limits = (-3.1, 3.1) if kind == "revolute" else None
        joints.append((kind, shift, NONE, Z, limits, ""))
    return KinematicChain.from_urdf(urdf(joints))


def test_every_path_that_exists_is_followed(three_parallel_joints, panda, ur10):
    rng = np.random.default_rng(5)
    for chain, paths in ((three_parallel_joints, 20), (ur10, 5), (panda, 5)):
        solver = IKSolver(chain)
        for _ in range(paths):
            positions = smooth_joint_path(rng, chain)
            targets = chain.forward(positions)
            step = max(0.2, 1.5 * np.abs(np.diff(positions, axis=0)).max())
            path = solver.solve_path(targets, positions[0], step)
            assert path.complete
            assert not path.timed_out
            assert_follows(chain, targets, path, step)
            np.testing.assert_allclose(path.positions[0], positions[0], atol=step)


@pytest.mark.parametrize("count", [5, 9])
def test_a_step_is_found_if_any_solution_is_within_it(count):
    # The nearest solution may be too far for one joint where others are not.
    joints = [("revolute", (0.3, 0, 0), NONE, Z, (-2.5, 2.5), "")] * count
    chain = KinematicChain.from_urdf(urdf([*joints, ("fixed", (0.3, 0, 0), NONE, Z, None, "")]))
    solver, rng = IKSolver(chain), np.random.default_rng(0)
    for _ in range(100):
        start = rng.uniform(chain.lower, chain.upper)
        end = np.clip(start + rng.uniform(-0.2, 0.2, count), chain.lower, chain.upper)
        path = solver.solve_path(chain.forward(end)[None], start, 0.2)
        assert path.complete
        assert np.abs(path.positions[0] - start).max() <= 0.2
        assert_follows(chain, chain.forward(end)[None], path, 0.2)


def test_a_path_takes_the_branch_that_goes_on_where_two_meet():
    joints = [
        ("revolute", NONE, NONE, Z, (-3.0, 3.0), ""),
        ("revolute", (1.0, 0, 0), NONE, Z, (-3.0, 0.3), ""),
        ("revolute", (0.5, 0, 0), NONE, Z, (-3.0, 3.0), ""),
        ("fixed", (0.2, 0, 0), NONE, Z, None, ""),
    ]
    chain = KinematicChain.from_urdf(urdf(joints))
    # The arm stretches and bends to the other side: the bend that it comes from ends at 0.3.
    positions = np.zeros((201, 3))
    positions[:, 1] = np.linspace(0.25, -1.0, 201)
    targets, solver = chain.forward(positions), IKSolver(chain)
    path = solver.solve_path(targets, positions[0])
    assert path.complete
    assert_follows(chain, targets, path, 0.2)
    assert (path.positions[-1] < 0.1).all()


def test_without_a_seed_state_the_path_begins_where_it_leads_furthest():
    """A path that the arm can only follow to its end with its elbow on one side."""
    chain = planar_two_joints(1.0, 0.5)
    elbow = np.linspace(0.3, 2.0, 60)
    positions = np.stack([np.linspace(2.9, 2.0, 60), elbow], axis=1)
    targets = chain.forward(positions)
    path = IKSolver(chain).solve_path(targets)
    assert path.complete
    assert_follows(chain, targets, path, 0.2)
    np.testing.assert_allclose(path.positions, positions, atol=1e-3)


def test_a_path_out_of_reach_is_followed_as_far_as_it_goes():
    chain = planar_two_joints(1.0, 0.5)
    elbow = np.linspace(1.0, 0.2, 50)
    targets = chain.forward(np.stack([np.zeros(50), elbow], axis=1))
    targets[30:, 2, 3] = 0.1  # Out of the plane of the arm.
    path = IKSolver(chain).solve_path(targets, [0.0, 1.0])
    assert path.num_reached == 30
    assert not path.complete
    assert str(path).startswith("IKPath: 30 of 50 poses in ")
    assert path.reason.startswith("pose 30: out of reach; closest: 0.1 m")
    assert "(incomplete)" in str(path) and "largest step of a joint: 0.0" in str(path)
    assert_follows(chain, targets, path, 0.2)


def test_a_start_out_of_one_steps_reach_reaches_nothing():
    chain = planar_two_joints(1.0, 0.5)
    path = IKSolver(chain).solve_path(chain.forward(np.array([[0.0, 1.0]])), [2.0, 1.0])
    assert path.num_reached == 0
    assert (
        path.reason
        == "pose 0: every solution found is more than max_step away from the seed state"
    )
    assert path.reason in str(path)
    assert np.isnan(path.position_error).all()


def test_continuous_joints_run_on_beyond_a_turn():
    joints = [
        ("continuous", NONE, NONE, Z, None, ""),
        ("revolute", (0.4, 0, 0), NONE, (0.0, 1.0, 0.0), (-2.0, 2.0), ""),
        ("fixed", (0.4, 0, 0), NONE, Z, None, ""),
    ]
    chain = KinematicChain.from_urdf(urdf(joints))
    positions = np.stack([np.linspace(0.0, 15.0, 150), np.full(150, 0.5)], axis=1)
    path = IKSolver(chain).solve_path(chain.forward(positions), positions[0])
    assert path.complete
    np.testing.assert_allclose(path.positions, positions, atol=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_step": 0.0}, "above 0"),
        ({"max_step": [0.1, np.nan]}, "above 0"),
        ({"max_step": [0.1, 0.1, 0.1]}, "j0, j1"),
        ({"max_step": "far"}, "number"),
        ({"seed_state": [0.0]}, "seed_state"),
        ({"timeout": -1.0}, "timeout"),
        ({"targets": np.eye(3)}, "shape"),
        ({"closed": "yes"}, "closed must be True or False, not 'yes'"),
        ({"on_path": 3}, "on_path must be a function, not 3"),
    ],
)
def test_misuse_is_told(arguments, message):
    chain = planar_two_joints()
    with pytest.raises(GenerativeIKError, match=message):
        IKSolver(chain).solve_path(**{"targets": np.eye(4), **arguments})


@pytest.mark.parametrize("arguments", [{}, {"closed": True}, {"end_state": [0.1, 0.2]}])
def test_a_path_through_no_poses_is_empty(arguments):
    path = IKSolver(planar_two_joints()).solve_path(np.empty((0, 4, 4)), **arguments)
    assert path.complete and path.positions.shape == (0, 2)


def beyond_a_limit(beyond, count=60):
    """Poses (count, 4, 4) that begin with the second joint of the arm beyond its limit."""
    chain = wrist_arm()
    start = np.array([0.3, chain.upper[1] + beyond, -0.9, 0.2, -0.7, 0.1])
    end = np.array([0.3, 2.0, -0.5, 0.2, -0.7, 0.1])
    q = start + np.linspace(0.0, 1.0, count)[:, None] * (end - start)
    return chain, start, chain.forward(q)


@pytest.mark.parametrize("beyond", [1e-9, 1e-4, 0.01, 0.05])
def test_an_arm_that_is_a_little_beyond_a_limit_comes_back_inside(beyond):
    chain, start, poses = beyond_a_limit(beyond)
    with pytest.warns(GenerativeIKWarning, match="joint 'j1' is at 2.* beyond .* 2.4; the path"):
        path = IKSolver(chain).solve_path(poses, seed_state=start)
    assert path.num_reached == len(poses), path.reason
    np.testing.assert_allclose(path.positions[0], start, atol=1e-5)
    np.testing.assert_allclose(chain.forward(path.positions), poses, atol=2e-5)
    outside = np.maximum(path.positions - chain.upper, chain.lower - path.positions).max(axis=1)
    outside = outside.clip(0.0)
    assert (np.diff(outside) <= 0.0).all() and outside[0] <= beyond + 1e-12
    assert outside[math.ceil(beyond / (0.4 + beyond) * 59) + 1] == 0.0
    assert path.largest_step == np.abs(np.diff(path.positions, axis=0)).max()
    trajectory = time_path(path, chain, velocity_limits=1.0, acceleration_limits=5.0)
    np.testing.assert_allclose(trajectory.positions[0], path.positions[0])


def test_a_path_that_begins_beyond_a_limit_numbers_its_poses_from_the_first():
    chain, start, poses = beyond_a_limit(0.02)
    poses[30, :3, 3] = 9.0
    with pytest.warns(GenerativeIKWarning, match="begins there"):
        path = IKSolver(chain).solve_path(poses, seed_state=start)
    assert path.num_reached == 30 and path.reason.startswith("pose 30: ")
    assert np.isfinite(path.positions[:30]).all() and np.isnan(path.positions[30:]).all()


def test_an_arm_far_beyond_a_limit_does_not_begin_there():
    chain, start, poses = beyond_a_limit(0.06)
    with pytest.warns(GenerativeIKWarning, match="outside the limits of j1"):
        path = IKSolver(chain).solve_path(poses, seed_state=start)
    assert path.num_reached == 0


def test_an_end_state_beyond_a_limit_by_rounding_is_on_it():
    chain, start, poses = beyond_a_limit(0.0)
    end = start.copy()
    end[1] += 1e-9
    path = IKSolver(chain).solve_path(poses[::-1], end_state=end)
    assert path.num_reached == len(poses) and (path.positions[-1] == start).all()


def test_results_can_be_told_apart_and_be_keys():
    """As trajectories: their arrays are not compared."""
    solver = IKSolver(planar_two_joints(), orientation_tolerance=math.inf)
    target = solver.chain.forward([0.3, 0.6])
    for call in (solver.solve, lambda pose: solver.solve_path(pose[None])):
        one, other = call(target), call(target)
        assert one == one and one != other and one in {one: 1} and one not in [other]
