"""Calls in processes that are forked after, and while, the library's threads work."""

import multiprocessing
import os
import threading

import numpy as np

from generative_ik_ros import IKSolver, load_robot

FORKS, POSES = 10, 4000


def main() -> None:
    """Fork, and have each process solve batches and single poses as its parent has."""
    solvers = [IKSolver(load_robot("ur10")), IKSolver(load_robot("panda")).searching()]
    rng = np.random.default_rng(0)
    targets = [
        solver.chain.forward(rng.uniform(-2.0, 2.0, (POSES, solver.chain.num_joints)))
        for solver in solvers
    ]

    def solve() -> list[object]:
        return [
            [solver.solve(poses, 1).counts.sum(), solver.solve(poses[0], 10).positions.tolist()]
            for solver, poses in zip(solvers, targets, strict=True)
        ]

    found = solve()
    over = threading.Event()

    def go_on() -> None:
        while not over.is_set():
            solve()

    worker = threading.Thread(target=go_on)
    worker.start()
    for _ in range(FORKS):
        child = os.fork()
        if child == 0:
            os._exit(0 if solve() == found else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    over.set()
    worker.join()
    process = multiprocessing.get_context("fork").Process(target=solve)
    process.start()
    process.join()
    assert process.exitcode == 0
    print(f"{FORKS} forks", flush=True)


if __name__ == "__main__":
    main()
