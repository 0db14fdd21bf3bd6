"""Solvers that get a collision model later, and MoveIt's queries with one."""

import numpy as np
import pytest

pytest.importorskip("pinocchio")
pytest.importorskip("coal")
from arm import Oracle

from generative_ik_ros import IKSolver
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.moveit import ErrorCode, GenerativeIK


def test_it_is_the_same_as_a_solver_made_with_the_model(arm, arm_model, random_scene, rng):
    plain, made = IKSolver(arm), IKSolver(arm, collision=arm_model)
    later, scene = plain.with_collision(arm_model), random_scene(rng)
    later.prepare(scene)
    target = arm.forward(arm.lower + 0.6 * (arm.upper - arm.lower))
    a, b = (one.solve(target, 20, scene=scene) for one in (later, made))
    assert np.array_equal(a.positions, b.positions, equal_nan=True)
    # The solver it was made from has not changed.
    assert plain.solve(target, 20).clearance is None
    with pytest.raises(InvalidArgumentError, match="collisions need the robot's geometry"):
        plain.prepare(scene)


def test_a_colliding_pair_is_one_by_pinocchio(arm, arm_model, arm_urdf, random_scene, rng):
    scene = random_scene(rng)
    solver, oracle = IKSolver(arm, collision=arm_model), Oracle(arm_urdf, scene)
    for q in rng.uniform(arm.lower, arm.upper, (100, 7)):
        assert (solver.colliding_pair(q, scene) is None) == oracle.free(q)
    assert IKSolver(arm).colliding_pair(q) is None


def test_queries_of_moveit_avoid_the_scene(arm, arm_model, arm_urdf, random_scene, rng):
    plain = GenerativeIK.initialize(arm_urdf, base_frame="link0", tip_frame="tool")
    ik = plain.with_collision(arm_model)
    scene = random_scene(rng)
    oracle = Oracle(arm_urdf, scene)
    found = blocked = 0
    for q in rng.uniform(arm.lower, arm.upper, (60, 7)):
        pose = arm.forward(q)
        # A seed that solves is the answer, unless it collides.
        assert np.array_equal(plain.search_position_ik(pose, q).solution, q)
        result = ik.search_position_ik(pose, q, timeout=2.0, scene=scene)
        if result.error_code == ErrorCode.SUCCESS:
            assert oracle.free(result.solution)
            assert np.array_equal(result.solution, q) == oracle.free(q)
            found += 1
        else:
            assert not oracle.free(q)
            blocked += "reached in collision only: " in result.message
    assert found > 10 and blocked > 0
