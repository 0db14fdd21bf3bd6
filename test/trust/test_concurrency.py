"""One solver, many threads and processes: the guarantees of docs/reliability.md."""

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pool_work
import pytest

from generative_ik_ros import CollisionModel, IKSolver, Scene
from generative_ik_ros._core import usable_cores
from generative_ik_ros.collision.checker import SceneCheck
from generative_ik_ros.robot.known import load_robot, robot_urdf_path


@pytest.fixture(scope="module")
def solver():
    solver = IKSolver(load_robot("panda"))
    return solver


@pytest.fixture(scope="module")
def targets(solver):
    chain = solver.chain
    rng = np.random.default_rng(5)
    return chain.forward(rng.uniform(chain.lower, chain.upper, (24, chain.num_joints)))


@pytest.fixture(scope="module")
def expected(solver, targets):
    return [solver.solve(target, 10).positions for target in targets]


def test_one_solver_in_many_threads(solver, targets, expected):
    """More threads than cores use one solver: each gets what it would get alone."""

    def solve(index):
        return solver.solve(targets[index % len(targets)], 10).positions

    with ThreadPoolExecutor(16) as pool:
        for index, found in enumerate(pool.map(solve, range(4 * len(targets)))):
            np.testing.assert_array_equal(found, expected[index % len(targets)])


def test_solvers_are_built_in_many_threads_at_once(targets, expected):
    chain = load_robot("panda")
    start = threading.Barrier(8)

    def build(_):
        start.wait()
        return IKSolver(chain).solve(targets[0], 10).positions

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(build, range(8)):
            np.testing.assert_array_equal(found, expected[0])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(method, solver, targets, expected):
    """Chains are sent to other processes, which create the solvers."""
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, context) as pool:
        work = [(solver.chain, target) for target in targets[:8]]
        for found, right in zip(
            pool.map(pool_work.solve, work, chunksize=4), expected, strict=False
        ):
            np.testing.assert_array_equal(found, right)


@pytest.fixture(scope="module")
def close_calls():
    """A solver and poses with solutions that spheres cannot tell to be free."""
    model = CollisionModel.from_urdf(
        robot_urdf_path("panda"), srdf=robot_urdf_path("panda").with_suffix(".srdf")
    )
    solver = IKSolver(load_robot("panda"), collision=model)
    chain, rng = solver.chain, np.random.default_rng(3)
    targets = chain.forward(rng.uniform(chain.lower, chain.upper, (600, chain.num_joints)))
    return solver, targets, Scene(boxes={"table": ((2.0, 2.0, 0.02), (0.0, 0.0, -0.05))})


def test_what_an_exact_check_raises_reaches_the_caller(close_calls, monkeypatch):
    """The core's threads call it; of several exceptions the first target's is raised."""
    solver, targets, scene = close_calls
    expected, calls = solver.solve(targets, 4, scene=scene), []

    def collides(_, q):
        calls.append(q)
        raise ZeroDivisionError(f"configuration {len(calls)}")

    with monkeypatch.context() as patch:
        patch.setattr(SceneCheck, "collides", collides)
        with pytest.raises(ZeroDivisionError, match="configuration"):
            solver.solve(targets, 4, scene=scene)
    assert len(calls) <= usable_cores()
    again = solver.solve(targets, 4, scene=scene)
    np.testing.assert_array_equal(again.positions, expected.positions)


def test_a_call_in_every_thread_with_exact_checks(close_calls):
    """Each waits without the GIL, which the core's threads take for their checks."""
    solver, targets, scene = close_calls
    expected = solver.solve(targets, 4, scene=scene).positions
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: solver.solve(targets, 4, scene=scene), range(4)):
            np.testing.assert_array_equal(found.positions, expected)


def test_a_fork_after_exact_checks(close_calls):
    solver, targets, scene = close_calls
    expected = solver.solve(targets, 4, scene=scene).positions
    child = os.fork()
    if not child:
        found = solver.solve(targets, 4, scene=scene).positions
        same = np.array_equal(found, expected, equal_nan=True)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
