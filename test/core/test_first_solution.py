"""A call for one solution of one target: what `Search` finds, in memory that is used again."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from generative_ik_ros import IKSolver, SolveStatus
from generative_ik_ros.request import check_request
from generative_ik_ros.search.first_solution import first_solution
from generative_ik_ros.search.outcome import solutions_of
from generative_ik_ros.search.plan import SearchSource, plan_of
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


def request_of(solver, target, **options):
    given = {"num_solutions": 1, "seed_state": None, "consistency_limits": None, "timeout": None}
    given |= {"random_seed": None, **options}
    stages = solver._stages
    return check_request(solver.chain, stages.whole, solver.distinct_distance, target, **given)


def found_for_one(solver, request):
    """What is found in the memory of such calls; None if the search has to find it."""
    found = first_solution(solver._stages, request)
    return found and solutions_of(solver._stages, request, 0.0, found)


def test_it_is_what_the_search_finds(solver, rng):
    stages = solver._stages
    for k, target in enumerate(targets_of(solver.chain, rng, 200)):
        request = request_of(solver, target, random_seed=k % 3)
        found = found_for_one(solver, request)
        expected = search(SearchSource(stages), request, 0.0)
        expected = solutions_of(stages, request, 0.0, expected)
        if found is None:  # which takes longer than most
            assert expected.timings.iterations > 500
            continue
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
        for name in ("joint_names", "status", "sampler", "clearance", "blocked_by"):
            assert getattr(found, name) == getattr(expected, name)
        assert found.timings[5:] == expected.timings[5:]
        assert 0.0 < found.timings.refine < found.timings.total


def test_other_calls_are_left_to_the_search(solver, rng):
    stages, chain = solver._stages, solver.chain
    target = targets_of(chain, rng, 1)[0]
    (source,) = plan_of(stages, request_of(solver, target))
    assert source.for_one
    others = (
        (np.stack([target, target]), {}),
        (target[None][:0], {}),
        (target, {"num_solutions": 2}),
        (target, {"seed_state": (chain.lower + chain.upper) / 2.0}),
        (target, {"order_by": "manipulability"}),
        (target, {"timeout": 1e-4}),
    )
    for poses, options in others:
        (source,) = plan_of(stages, request_of(solver, poses, **options))
        assert not source.for_one
    assert solver.solve(target, 1, timeout=0.05).status == (SolveStatus.SOLVED,)
    for name in ("uniform", "capability_map"):
        assert not IKSolver(chain, sampler=name)._stages.makes_seeds


def test_a_pose_out_of_reach_is_answered_as_in_a_batch(solver, rng):
    chain = solver.chain
    targets = targets_of(chain, rng, 60)
    targets[:, :3, :3] = np.swapaxes(targets[:, :3, :3], 1, 2)
    targets[-1, :3, 3] += 10.0
    together, answered = solver.solve(targets, 1), 0
    for k in np.flatnonzero(together.counts == 0):
        found = found_for_one(solver, request_of(solver, targets[k]))
        if found is None:  # more restarts than are made here
            continue
        answered += 1
        assert found.status == (SolveStatus.NO_SOLUTION,)
        assert found.positions.shape == (1, 1, chain.num_joints) and found.counts.item() == 0
        assert np.isnan(found.positions).all() and np.isnan(found.position_error).all()
        np.testing.assert_allclose(found.best_effort[0], together.best_effort[k], atol=1e-9)
        # Again, for the first call wrote nothing that the second would see.
        again = solver.solve(targets[k], 1)
        np.testing.assert_array_equal(again.best_effort, found.best_effort)
    assert answered >= 5


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
    assert 1 <= len(solver._stages.spare) <= 4


def test_copies_of_a_solver_have_memory_of_their_own(solver, rng):
    targets = targets_of(solver.chain, rng, 20)
    expected = [solver.solve(target, 1).positions for target in targets]
    for other in (copy.deepcopy(solver), pickle.loads(pickle.dumps(solver)), copy.copy(solver)):
        for target, positions in zip(targets, expected, strict=True):
            np.testing.assert_array_equal(other.solve(target, 1).positions, positions)
