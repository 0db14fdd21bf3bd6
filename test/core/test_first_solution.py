"""A call for one solution of one target: what `Search` finds, in a call of the core."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from generative_ik_ros import IKSolver
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search import at_once, plan
from generative_ik_ros.search.plan import SearchSource
from generative_ik_ros.search.record import solutions_of
from generative_ik_ros.search.run import search

ARRAYS = (
    "positions", "counts", "position_error", "orientation_error", "best_effort",
    "best_effort_position_error", "best_effort_orientation_error",
)  # fmt: skip


@pytest.fixture(scope="module", params=["panda", "ur10"])
def solver(request):
    made = IKSolver(request.getfixturevalue(request.param), "quasi_random")
    return made


def targets_of(chain, rng, count):
    return chain.forward(rng.uniform(chain.lower, chain.upper, (count, chain.num_joints)))


def test_results_are_the_callers_own(solver, rng):
    first, second = targets_of(solver.chain, rng, 2)
    found = solver.solve(first, 1)
    kept = {name: getattr(found, name).copy() for name in ARRAYS}
    other = solver.solve(second, 1)
    assert not np.array_equal(other.positions, found.positions)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), kept[name])
        mine = getattr(found, name)
        assert mine.flags.writeable
        assert not any(np.shares_memory(mine, getattr(other, one)) for one in ARRAYS)
        rest = (getattr(found, one) for one in ARRAYS if one != name)
        assert not any(np.shares_memory(mine, one) for one in rest)
    for name in ARRAYS:
        getattr(found, name).fill(7)
    again = solver.solve(first, 1)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), kept[name])


def test_threads_share_a_solver(solver, rng):
    targets = targets_of(solver.chain, rng, 400)
    alone = [solver.solve(target, 1).positions for target in targets]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda target: solver.solve(target, 1).positions, targets))
    np.testing.assert_array_equal(np.stack(together), np.stack(alone))


@pytest.mark.parametrize("count", [5, 64, 100, 256])
def test_a_few_poses_have_what_a_search_for_them_has(solver, rng, monkeypatch, count):
    targets = targets_of(solver.chain, rng, 4 * count).reshape(4, count, 4, 4)
    targets[-1, ::3, :3, 3] = 9.0
    targets[-2, 2, :3, 3] *= 1.3
    for few in targets:
        found = solver.solve(few, 1)
        with monkeypatch.context() as patch:
            for module in (at_once, plan):
                patch.setattr(module, "MOST_TOGETHER", 1)
            searched = solver.solve(few, 1)
        for name in ARRAYS:
            expected = getattr(searched, name)
            np.testing.assert_array_equal(getattr(found, name), expected, err_msg=name)
        assert found.status == searched.status
        if found.counts.all():
            assert found.timings[5:] == searched.timings[5:]


def test_it_is_what_search_finds(solver, rng):
    # A deadline leaves the call to be checked, and `Search` to what is not solved at once.
    chain = solver.chain
    near = targets_of(chain, rng, 40)
    far = near.copy()
    far[:, :3, 3] *= 3.0
    stages = solver._stages
    for target in (*near, *far):
        found, checked = solver.solve(target, 1), solver.solve(target, 1, timeout=10.0)
        source = SearchSource()
        request = SolveRequest(target[None], 1, None, stages.whole, math.inf, 0)
        searched = solutions_of(stages, request, 0.0, search(stages, source, request, 0.0))
        for other in (checked, searched):
            np.testing.assert_array_equal(other.positions, found.positions)
            np.testing.assert_array_equal(other.counts, found.counts)
            assert other.status == found.status
        assert checked.timings[5:] == found.timings[5:]
