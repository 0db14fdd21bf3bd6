"""MoveIt's test of kinematics plugins, for the Python interface."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from real_robots import PinocchioChain, example_robot

from generative_ik_ros.moveit import ErrorCode, GenerativeIK
from generative_ik_ros.robot.known import robot_urdf_path

NEAR_JOINT = 0.1
"""Largest step of a joint in the random walk [rad or m]."""
TOLERANCE = 2e-5
ARMS = {
    "panda": ("panda", "panda_link0", "panda_link8"),
    "ur10": ("ur10", "base_link", "tool0"),
    "pr2": ("pr2_description/urdf/pr2.urdf", "base_link", "l_gripper_tool_frame"),
}


@lru_cache
def setup(name):
    """A solver and pinocchio's kinematics of the same chain."""
    file, base, tip = ARMS[name]
    path = example_robot(file) if file.endswith(".urdf") else robot_urdf_path(file)
    text = Path(path).read_text(encoding="utf-8")
    return GenerativeIK.initialize(text, name, base, tip), PinocchioChain(text, base, tip)


@pytest.fixture(params=ARMS)
def arm(request):
    return setup(request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(42)


def draw(ik, rng):
    chain = ik.chain
    lower = np.where(chain.continuous, -np.pi, chain.lower)
    return rng.uniform(lower, np.where(chain.continuous, np.pi, chain.upper))


def assert_reaches(ik, truth, solution, pose):
    assert np.abs(truth.tip_in_base(ik.joint_names, solution) - pose).max() <= TOLERANCE
    assert (solution >= ik.chain.lower - 1e-12).all()
    assert (solution <= ik.chain.upper + 1e-12).all()


def test_get_fk(arm, rng):
    ik, truth = arm
    for _ in range(20):
        q = draw(ik, rng)
        (pose,) = ik.get_position_fk(ik.tip_frames, q)
        assert np.allclose(pose, truth.tip_in_base(ik.joint_names, q), atol=1e-9)


def test_random_walk(arm, rng):
    ik, truth = arm
    chain, limits = ik.chain, np.full(len(ik.joint_names), 1.05 * NEAR_JOINT)
    q, failures, runs = draw(ik, rng), 0, 100
    for _ in range(runs):
        goal = np.clip(q + rng.uniform(-NEAR_JOINT, NEAR_JOINT, len(q)), chain.lower, chain.upper)
        pose = truth.tip_in_base(ik.joint_names, goal)
        result = ik.search_position_ik(pose, q, 0.1, limits)
        if not result:
            failures += 1
            continue
        assert_reaches(ik, truth, result.solution, pose)
        assert (np.abs(result.solution - q) <= limits + 1e-9).all()
        q = result.solution
    assert failures <= 0.05 * runs


def test_search(arm, rng):
    ik, truth = arm
    seed, runs = np.zeros(len(ik.joint_names)), 50
    found = 0
    for _ in range(runs):
        pose = truth.tip_in_base(ik.joint_names, draw(ik, rng))
        result = ik.search_position_ik(pose, seed, 1.0)
        if result:
            assert_reaches(ik, truth, result.solution, pose)
            assert max(result.position_error, result.orientation_error) <= 1e-5
            found += 1
    assert found >= 0.98 * runs


def test_search_with_callback(arm, rng):
    ik, truth = arm
    calls, found, runs = 0, 0, 30
    for _ in range(runs):
        q, before = draw(ik, rng), calls
        pose = truth.tip_in_base(ik.joint_names, q)

        def above(given, solution, pose=pose, least=q[1] - 1e-9, before=before):
            """Accept none of the first that is offered, and later ones if joint 2 is high."""
            nonlocal calls
            calls += 1
            assert given is pose
            assert_reaches(ik, truth, solution, pose)
            fits = calls > before + 1 and solution[1] > least
            return ErrorCode.SUCCESS if fits else ErrorCode.FAILURE

        result = ik.search_position_ik(pose, q + 0.01, 1.0, solution_callback=above)
        found += bool(result)
        if result:
            assert result.solution[1] > q[1] - 1e-9
    assert calls > runs and found >= 0.8 * runs


def test_get_ik_returns_a_seed_that_solves(arm, rng):
    ik, truth = arm
    for _ in range(50):
        q = draw(ik, rng)
        result = ik.get_position_ik(truth.tip_in_base(ik.joint_names, q), q)
        assert result and np.array_equal(result.solution, q)


def test_many_solutions_and_the_nearest_of_them(arm, rng):
    ik, truth = arm
    for _ in range(30):
        pose, seed = truth.tip_in_base(ik.joint_names, draw(ik, rng)), draw(ik, rng)
        one, many = ik.get_position_ik(pose, seed), ik.get_position_ik_all(pose, seed)
        assert one and many and len(many.solutions) > 1
        for solution in many.solutions[:5]:
            assert_reaches(ik, truth, solution, pose)
        away = np.abs(many.solutions - seed).sum(axis=1)
        assert (np.diff(away) >= 0.0).all()
        assert np.abs(one.solution - seed).sum() == pytest.approx(away[0], abs=1e-9)
