"""What all plans of calls promise: the same answers however they are asked, and deadlines."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from arm_pairs import known_pair
from clock import in_time
from prismatic_arms import prismatic_arm
from robots import assert_true_solutions, configurations
from two_arms import two_arms
from wrist_arm import wrist_arm

from generative_ik_ros import IKSolver, SolveStatus, TaskSpaceRegion, load_robot

pytestmark = pytest.mark.slow

AXIS = {"region": TaskSpaceRegion.free_axis("z")}
CONE = {"region": TaskSpaceRegion.cone("x", 0.3, [-0.05, 0.0, 0.0], [0.1, 0.0, 0.02])}
CASES = {
    "branches": (partial(load_robot, "ur10"), {}, 1),
    "branches of a wrist": (wrist_arm, {}, 1),
    "branches of a rounded wrist": (partial(wrist_arm, 5e-6), {}, 1),
    "branches of a slide": (partial(prismatic_arm, "stanford"), {}, 1),
    "curves": (partial(load_robot, "panda"), {}, 1),
    "curves, first joint locked": (partial(load_robot, "iiwa"), {}, 1),
    "curves of a slide": (partial(prismatic_arm, "lift and ur"), {}, 1),
    "curves about an axis": (partial(load_robot, "ur10"), AXIS, 1),
    "surfaces": (partial(load_robot, "ur10"), CONE, 1),
    "surfaces of zeros": (partial(load_robot, "lwa4p"), CONE, 7),
    "surfaces of curves": (partial(load_robot, "panda"), CONE, 40),
    "limbs": (partial(known_pair, "ur10", "ur10"), {}, 1),
    "limbs on curves": (partial(known_pair, "panda", "panda"), {}, 1),
    "limbs of both kinds": (partial(known_pair, "ur10", "panda"), {}, 1),
    "search": (two_arms, {}, 40),
}
"""The robot, what a call is asked for, and from how many solutions on a batch has what its calls
have: fewer are found sooner where targets go together."""


@pytest.fixture(scope="module", params=CASES)
def case(request):
    robot, given, fewest = CASES[request.param]
    return IKSolver(robot()), given, fewest


@pytest.mark.parametrize("wanted", [1, 7, 40])
def test_batches_calls_threads_and_copies_give_the_same(case, wanted):
    solver, given, fewest = case
    targets = solver.chain.forward(configurations(solver.chain, 24))
    expected = solver.solve(targets, wanted, **given).positions
    for other in (copy.copy(solver), copy.deepcopy(solver), pickle.loads(pickle.dumps(solver))):
        np.testing.assert_array_equal(other.solve(targets, wanted, **given).positions, expected)
    if wanted < fewest:
        return
    alone = partial(solver.solve, num_solutions=wanted, timeout=10.0, **given)
    with ThreadPoolExecutor(4) as pool:
        each = [found.positions[0] for found in pool.map(alone, targets)]
    np.testing.assert_array_equal(each, expected)


def test_deadlines_are_kept(case):
    solver, given, _ = case
    targets = solver.chain.forward(configurations(solver.chain, 2000))
    found = in_time(lambda: solver.solve(targets, 40, timeout=1e-3, **given), 0.5)
    late = np.array([status is SolveStatus.TIMED_OUT for status in found.status])
    assert late.any() and not found.complete[late].any()
    assert np.isfinite(found.best_effort).all()
    if not given:
        assert_true_solutions(solver.chain, found, targets)
