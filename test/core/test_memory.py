"""Memory that searches use again: no result is in it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from generative_ik_ros import IKSolver
from generative_ik_ros.select.pool import SolutionPool

NUMBER = 3000
"""Of targets: enough for arrays that are used again."""


@pytest.mark.parametrize("wanted", [1, 3])
def test_results_stay_what_they_are_while_other_calls_use_the_memory(panda, wanted, rng):
    solver = IKSolver(panda, "quasi_random")
    sets = panda.forward(rng.uniform(panda.lower, panda.upper, (3, NUMBER, 7)))
    sets[0, :5, 0, 3] += 9.0  # out of reach
    first = [solver.solve(targets, wanted) for targets in sets]
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


def test_what_was_released_is_used_again(panda):
    """At the same address; what is in use is not."""
    space = IKSolver(panda, "quasi_random")._whole

    def pool():
        return SolutionPool(7919, 1, space.grid, space.reference)

    def address(pool):
        return pool.records.ctypes.data

    one = pool()
    number, positions = address(one), one.positions
    del one
    other = pool()
    assert address(other) != number  # of which an array is still there
    del positions
    again = pool()
    assert address(again) == number
    assert address(pool()) not in (number, address(other))
