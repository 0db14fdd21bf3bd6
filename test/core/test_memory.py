"""Memory that searches use again: no result is in it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from generative_ik_ros import IKSolver
from generative_ik_ros.search import memory
from generative_ik_ros.search.memory import Memory

NUMBER = 3000
"""Of targets: enough for arrays that are used again."""


@pytest.fixture
def spare(monkeypatch):
    monkeypatch.setattr(memory, "_SPARE", found := [])
    return found


@pytest.mark.parametrize("wanted", [1, 3])
def test_results_stay_what_they_are_while_other_calls_use_the_memory(panda, wanted, rng, spare):
    solver = IKSolver(panda, "quasi_random")
    sets = panda.forward(rng.uniform(panda.lower, panda.upper, (3, NUMBER, 7)))
    sets[0, :5, 0, 3] += 9.0  # out of reach
    first = [solver.solve(targets, wanted) for targets in sets]
    assert sum(map(len, spare)) > 0
    before = [(one.positions.copy(), one.counts.copy(), one.best_effort.copy()) for one in first]
    with ThreadPoolExecutor(3) as pool:
        again = list(pool.map(lambda targets: solver.solve(targets, wanted), (*sets, *sets[::-1])))
    for one, (positions, counts, best) in zip(first, before, strict=True):
        np.testing.assert_array_equal(one.positions, positions)
        np.testing.assert_array_equal(one.counts, counts)
        np.testing.assert_array_equal(one.best_effort, best)
        errors = one.position_error[one.counts > 0, 0]
        assert errors.max() <= 1e-5
    for one, other in zip((*first, *first[::-1]), again, strict=True):
        np.testing.assert_array_equal(one.positions, other.positions)


def test_what_was_released_is_used_again_and_not_too_much_is_kept(spare):
    one = Memory()
    numbers = one.array((1 << 14, 4))
    assert one.shared and not spare
    one.release()
    assert len(spare) == 1 and not one.shared
    other = Memory()
    assert np.shares_memory(other.array((1 << 14, 3)), numbers) and not spare
    assert not np.shares_memory(other.array((1 << 14, 3)), numbers)
    other.release()
    small = Memory()
    assert not small.shared and not np.shares_memory(small.array((7,)), numbers)
    large = Memory()
    for _ in range(3):
        large.array((1 << 22, 1))
    large.release()
    assert 0 < sum(map(len, spare)) <= 1 << 26
