"""The best solutions by a score, chosen from a closed form's."""

import numpy as np
import pytest
from robots import assert_true_solutions

from generative_ik_ros import IKSolver, load_robot
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.select.preferences import SCORES


@pytest.fixture(scope="module", params=["ur10", "lwa4p", "panda", "lwa4d"])
def solver(request):
    return IKSolver(load_robot(request.param))


@pytest.fixture(scope="module")
def poses(solver):
    return random_reachable_poses(solver.chain, 20, 11, solver.chain.forward)


def by_closed_form(found):
    """Whether nothing was searched for."""
    return found.timings.rounds == found.timings.iterations == 0


@pytest.mark.parametrize("order", SCORES)
@pytest.mark.parametrize("wanted", [1, 6, 100])
def test_scores_are_those_of_solutions_best_first(solver, poses, order, wanted):
    chain = solver.chain
    found = solver.solve(poses, wanted, order_by=order)
    assert_true_solutions(chain, found, poses)
    for t, target in enumerate(poses):
        q, count = found.of(t), found.counts[t]
        np.testing.assert_allclose(found.scores[t, :count], SCORES[order](chain, q), rtol=1e-9)
        assert np.isnan(found.scores[t, count:]).all()
        assert (np.diff(found.scores[t, :count]) <= 0.0).all()
        alone = solver.solve(target, wanted, order_by=order)
        np.testing.assert_array_equal(alone.positions[0], found.positions[t])
        np.testing.assert_array_equal(alone.scores[0], found.scores[t])
        assert alone.complete[0] == found.complete[t]


@pytest.mark.parametrize("order", SCORES)
def test_the_best_is_the_best_of_all(solver, poses, order):
    """Of six joints always; of seven there is mostly none better among many."""
    six, near, at_once = solver.chain.num_joints == 6, 0, 0
    for target in poses:
        best = solver.solve(target, 1, order_by=order)
        many = solver.searching().solve(target, 200 if six else 1000).of(0)
        share = best.scores[0, 0] / SCORES[order](solver.chain, many).max()
        # What a search returns is less exact.
        assert share > (0.995 if six else 0.75)
        near += share > 0.97
        at_once += by_closed_form(best)
    assert near >= (20 if six else 12) and at_once >= 16


def test_all_are_known_to_be_all(solver, poses):
    every = solver.solve(poses, 600, order_by="manipulability")
    plain = solver.solve(poses, 600)
    np.testing.assert_array_equal(every.complete, plain.complete)
    if solver.chain.num_joints == 6:
        np.testing.assert_array_equal(every.counts, plain.counts)
    few = solver.solve(poses, 1, order_by="manipulability")
    assert not few.complete[plain.counts > 1].any()


def test_where_few_are_found_none_is_missing():
    """A search may find more of a few solutions in a corner of the limits than samples do."""
    arm = load_robot("panda")
    solver, few = IKSolver(arm), 0
    for target in random_reachable_poses(arm, 600, 14, arm.forward):
        plain = solver.solve(target, 4)
        if plain.counts[0] < 4:
            few += 1
            scored = solver.solve(target, 4, order_by="manipulability")
            assert scored.counts[0] == plain.counts[0]
    assert few > 0
