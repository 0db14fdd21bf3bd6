"""The first call of a process, when kernels have yet to be loaded or compiled."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys, time
from generative_ik_ros import IKSolver, load_robot
chain = load_robot("panda")
target = chain.forward((chain.lower + chain.upper) / 2.0)
solver = IKSolver(chain, device="cpu")
if sys.argv[1] == "path":
    path = solver.solve_path(target[None], timeout=0.5)
    assert path.complete and path.total_time < 0.5, path
else:
    found = solver.solve(target, 10, timeout=0.5, order_by="manipulability", optimize=True)
    assert found.status[0].name == "SOLVED" and found.timings.total < 0.5, found
"""

OPTIMIZED = """
import time
from generative_ik_ros import IKSolver, load_robot
chain = load_robot("panda")
target, solver, begin = chain.forward(chain.lower / 2.0), IKSolver(chain), time.perf_counter()
found = solver.solve(target, 1, order_by="manipulability", optimize=True)
assert 0.0 < found.timings.total < 0.5 * (time.perf_counter() - begin), found
"""

CLIMBS = """
from generative_ik_ros import IKSolver, load_robot
from generative_ik_ros.select.apart import best_apart
IKSolver(load_robot("panda"), device="cpu").warm_up(optimize=True)
assert best_apart.signatures
"""


@pytest.mark.parametrize("call", ["optimize"])
def test_kernels_are_loaded_before_the_clock_starts(call):
    _run(call)


def test_kernels_that_are_loaded_do_not_count_as_solving():
    _run(script=OPTIMIZED)


def test_warm_up_has_the_kernels_of_climbs_that_begin_with_a_search():
    """Those of the Panda begin on curves, and need fewer."""
    _run(script=CLIMBS)


def _run(*words, script=SCRIPT, **environment):
    run = subprocess.run(
        [sys.executable, "-c", script, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
