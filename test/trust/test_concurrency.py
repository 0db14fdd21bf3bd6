"""One solver, many threads and processes: the guarantees of docs/reliability.md."""

import math
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pool_work
import pytest

from generative_ik_ros import IKSolver
from generative_ik_ros.parallel import for_each
from generative_ik_ros.robot.known import load_robot


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


def test_forks_while_other_threads_solve(solver, targets, expected):
    """The child must not wait for locks held by other threads at the fork."""
    stop, failures = threading.Event(), []

    def keep_solving(index):
        while not stop.is_set():
            if not np.array_equal(solver.solve(targets[index], 10).positions, expected[index]):
                failures.append(index)

    threads = [threading.Thread(target=keep_solving, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(10):
            child = os.fork()
            if not child:
                found = solver.solve(targets[turn], 10).positions
                os._exit(0 if np.array_equal(found, expected[turn]) else 1)
            end = time.monotonic() + 60.0
            while not (ended := os.waitpid(child, os.WNOHANG))[0]:
                if time.monotonic() > end:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    pytest.fail("a child hangs")
                time.sleep(0.005)
            assert ended[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures


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


def test_after_a_failure_no_further_piece_is_started():
    """Otherwise an interrupted solve would continue in the helper threads."""
    begun = []

    def work(piece):
        begun.append(piece)
        time.sleep(0.01)
        if piece == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        for_each(work, range(1000), math.inf)
    time.sleep(0.1)
    count = len(begun)
    time.sleep(0.1)
    assert len(begun) == count < 20
