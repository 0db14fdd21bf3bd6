"""The best solutions by a score, chosen from a closed form's."""

import copy

import numpy as np
import pytest

from generative_ik_ros import IKSolver, load_robot
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.select.preferences import SCORES, limit_margin, manipulability


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
    for t, target in enumerate(poses):
        q, count = found.of(t), found.counts[t]
        np.testing.assert_allclose(found.scores[t, :count], SCORES[order](chain, q), rtol=1e-9)
        assert np.isnan(found.scores[t, count:]).all()
        assert np.isnan(found.positions[t, count:]).all()
        assert (np.diff(found.scores[t, :count]) <= 0.0).all()
        assert (q >= chain.lower).all() and (q <= chain.upper).all()
        gap = chain.forward(q) - target
        assert np.abs(gap).max() < 3e-5
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


@pytest.mark.parametrize("name", ["ur10", "lwa4p"])
def test_optimize_has_nothing_to_add_without_self_motions(name):
    arm = load_robot(name)
    solver, poses = IKSolver(arm), random_reachable_poses(arm, 20, 13, arm.forward)
    plain, found = (
        solver.solve(poses, 3, order_by="manipulability", optimize=optimize)
        for optimize in (False, True)
    )
    np.testing.assert_array_equal(plain.positions, found.positions)


def test_within_consistency_limits_of_a_seed_state(solver, poses):
    chain = solver.chain
    for target in poses[:8]:
        seed = solver.solve(target, 1).of(0)[0] + 0.02
        seed = np.clip(seed, chain.lower, chain.upper)
        limits = np.full(chain.num_joints, 0.5)
        given = {"seed_state": seed, "consistency_limits": limits}
        found = solver.solve(target, 10, order_by="limit_margin", **given)
        assert found.counts[0] >= 1
        assert (np.abs(found.of(0) - seed) <= limits + 1e-12).all()


def test_a_score_of_ones_own_is_called_once(solver, poses):
    """Also where some targets are left to a search, or are out of reach."""
    calls, far = [], poses.copy()
    far[::3, :3, 3] += 20.0

    def own(q):
        calls.append(len(q))
        return limit_margin(solver.chain, q)

    for targets in (poses, far):
        calls.clear()
        mine = solver.solve(targets, 4, order_by=own)
        assert len(calls) == 1
        named = solver.solve(targets, 4, order_by="limit_margin")
        np.testing.assert_array_equal(mine.counts > 0, named.counts > 0)
    near = poses[:1]
    mine, named = (solver.solve(near, 4, order_by=order) for order in (own, "limit_margin"))
    np.testing.assert_array_equal(mine.positions, named.positions)


def test_what_is_out_of_reach_is_left_to_the_search(solver, poses):
    targets = poses.copy()
    targets[1::2, :3, 3] += 20.0
    found = solver.solve(targets, 3, order_by="manipulability")
    assert (found.counts[::2] == 3).all() or solver.chain.num_joints == 6
    assert (found.counts[1::2] == 0).all() and np.isnan(found.scores[1::2]).all()
    assert np.isfinite(found.best_effort).all()


def test_copies_have_the_scores(solver, poses):
    found = solver.solve(poses[0], 2, order_by="manipulability")
    np.testing.assert_array_equal(copy.copy(found).scores, found.scores)


def test_turns_come_only_where_solutions_are_missing():
    arm = load_robot("ur10")
    solver = IKSolver(arm)
    for target in random_reachable_poses(arm, 10, 12, arm.forward):
        every = solver.solve(target, 3000)
        whole = len(np.unique(np.round(np.exp(1j * every.of(0)), 5), axis=0))
        found = solver.solve(target, whole, order_by="manipulability").of(0)
        assert len(np.unique(np.round(np.exp(1j * found), 5), axis=0)) == whole == len(found)
        values = manipulability(arm, solver.solve(target, 50, order_by="manipulability").of(0))
        assert len(values) == 50


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
