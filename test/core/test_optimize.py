"""Solutions that move along self-motions to where a score is best."""

import time

import numpy as np
import pytest
from robots import assert_true_solutions, configurations, random_chain

from generative_ik_ros import IKSolver
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.select.preferences import limit_margin, manipulability
from generative_ik_ros.self_motion import self_motion

pytestmark = pytest.mark.slow

SCORES = {"manipulability": manipulability, "limit_margin": limit_margin}


@pytest.fixture(scope="module")
def solver(panda):
    return IKSolver(panda)


@pytest.mark.parametrize("order", SCORES)
def test_nearly_the_best_of_ten_thousand_solutions(panda, solver, order):
    score, dense, near = SCORES[order], IKSolver(panda, distinct_distance=1e-3), 0
    targets = panda.forward(configurations(panda, 20, 11))
    for target in targets:
        found = solver.solve(target, 1, order_by=order, optimize=True)
        assert_true_solutions(panda, found, target)
        best = score(panda, dense.solve(target, 10_000).of(0)).max()
        near += score(panda, found.of(0))[0] >= 0.99 * best
    assert near >= 19


@pytest.mark.parametrize("order", SCORES)
def test_the_first_is_a_local_optimum_of_its_self_motion(panda, solver, order):
    score = SCORES[order]
    for target in panda.forward(configurations(panda, 5, 2)):
        q = solver.solve(target, 10, order_by=order, optimize=True).of(0)[0]
        motion = self_motion(panda, q, step=0.01, max_steps=8)
        assert len(motion.positions) > 1
        assert score(panda, motion.positions).max() <= 1.005 * score(panda, q[None])[0]


def test_distinct_solutions_stay_and_the_best_come_first(panda, solver):
    for target in panda.forward(configurations(panda, 4, 8)):
        plain = solver.solve(target, 30, order_by="limit_margin")
        found = solver.solve(target, 30, order_by="limit_margin", optimize=True)
        assert found.counts[0] == plain.counts[0] == 30
        assert_true_solutions(panda, found, target)
        values = limit_margin(panda, found.of(0))
        assert (np.diff(values) <= 1e-12).all()
        # The plain search may come across something nearer to the optimum than its tolerance.
        assert values[0] > (1.0 - 1e-3) * limit_margin(panda, plain.of(0))[0]


def test_consistency_limits_are_kept(panda, solver):
    rng, moved = np.random.default_rng(4), 0
    limits = np.full(7, 0.5)
    for _ in range(10):
        q = rng.uniform(panda.lower, panda.upper)
        given = (panda.forward(q), 10, q, limits)
        plain = solver.solve(*given, order_by="manipulability").of(0)
        found = solver.solve(*given, order_by="manipulability", optimize=True)
        assert_true_solutions(panda, found, given[0])
        assert (np.abs(found.of(0) - q) <= 0.5 + 1e-12).all()
        best = manipulability(panda, plain).max()
        # To within what the tolerances leave open.
        assert manipulability(panda, found.of(0)).max() >= best * (1.0 - 1e-3)
        moved += manipulability(panda, found.of(0)).max() > 1.001 * best
    assert moved >= 2


def test_the_same_call_has_the_same_result(panda, solver):
    targets = panda.forward(configurations(panda, 6, 11))
    for order in ("limit_margin", lambda q: -np.abs(q[:, 2])):
        first, second = (solver.solve(targets, 5, order_by=order, optimize=True) for _ in "ab")
        np.testing.assert_array_equal(first.positions, second.positions)
        assert first.counts.all()
        assert_true_solutions(panda, first, targets)


def test_an_own_score_is_optimized_as_a_named_one(panda, solver):
    calls = []

    def own(q):
        calls.append(len(q))
        return limit_margin(panda, q)

    targets = panda.forward(configurations(panda, 5, 1))
    mine = solver.solve(targets, 1, order_by=own, optimize=True)
    named = solver.solve(targets, 1, order_by="limit_margin", optimize=True)
    np.testing.assert_allclose(mine.positions, named.positions, atol=1e-9)
    assert 5 < len(calls) < 100


def test_weighted_nearest(panda, solver):
    weights = np.array([5.0, 1.0, 0.2, 1.0, 1.0, 1.0, 0.0])
    seed = (panda.lower + panda.upper) / 2
    for target in panda.forward(configurations(panda, 8, 5)):
        given = {"seed_state": seed, "joint_weights": weights}

        def distances(found):
            return np.linalg.norm((found.of(0) - seed) * weights, axis=1)

        plain = distances(solver.solve(target, 20, **given))
        found = solver.solve(target, 20, optimize=True, **given)
        assert_true_solutions(panda, found, target)
        # Without it, too, the first one is the nearest; with it all of them come nearer.
        assert distances(found)[0] <= plain[0] * (1.0 + 1e-3)
        assert distances(found).mean() < 0.98 * plain.mean()


@pytest.mark.parametrize("order", SCORES)
def test_surfaces_of_solutions(panda, order):
    """With the orientation free a Panda has four joints more than it needs."""
    solver, score = IKSolver(panda, orientation_tolerance=np.inf), SCORES[order]
    better = 0
    for target in panda.forward(configurations(panda, 6, 6)):
        found = solver.solve(target, 1, order_by=order, optimize=True)
        assert (found.position_error[0, 0] <= 1e-5).all()
        sample = score(panda, solver.solve(target, 3000).of(0)).max()
        better += score(panda, found.of(0))[0] >= 0.98 * sample
    assert better == 6


def test_fewer_joints_than_coordinates():
    """The score of a short arm is the product of as many singular values as it has joints."""
    chain = load_robot("planar_3r")
    solver = IKSolver(chain, orientation_tolerance=np.inf)
    for target in chain.forward(configurations(chain, 5, 11)):
        if np.linalg.norm(target[:3, 3]) < 0.1:
            continue
        plain = solver.solve(target, 200, order_by="manipulability").of(0)
        found = solver.solve(target, 1, order_by="manipulability", optimize=True).of(0)
        assert manipulability(chain, found)[0] >= 0.995 * manipulability(chain, plain).max()


def test_random_chains(rng):
    """Prismatic and continuous joints, one to three joints more than a pose has coordinates."""
    shares = []
    for joints in (7, 8, 9):
        _, chain = random_chain(rng, joints)
        solver = IKSolver(chain)
        for target in chain.forward(configurations(chain, 3, 11)):
            for order in SCORES:
                plain = solver.solve(target, 5, order_by=order)
                found = solver.solve(target, 5, order_by=order, optimize=True)
                if plain.counts[0]:
                    assert found.counts[0]
                    assert_true_solutions(chain, found, target)
                    a, b = (SCORES[order](chain, one.of(0)).max() for one in (plain, found))
                    shares.append((b + 1e-9) / (a + 1e-9))
    # The search before it is another one and may miss a part of the set that the plain one found.
    assert min(shares) > 0.85 and np.mean(np.array(shares) > 1.0001) > 0.4


def test_no_targets_and_none_in_reach(panda, solver):
    empty = solver.solve(np.empty((0, 4, 4)), 3, order_by="limit_margin", optimize=True)
    assert empty.positions.shape == (0, 3, 7)
    targets = panda.forward(configurations(panda, 3, 11))
    targets[1, 0, 3] += 10.0
    for order in ("limit_margin", lambda q: q[:, 0]):
        found = solver.solve(targets, 3, order_by=order, optimize=True)
        assert found.counts.tolist() == [3, 0, 3]


def test_other_samplers(panda):
    solver = IKSolver(panda, "uniform")
    (target,) = panda.forward(configurations(panda, 1, 11))
    found = solver.solve(target, 2, order_by="manipulability", optimize=True)
    assert found.counts[0]
    assert_true_solutions(panda, found, target)


def test_the_deadline_is_kept(panda, solver):
    """What is found in time is returned, optimised or not; two cores may be busy with others."""
    targets = panda.forward(configurations(panda, 200, 11))
    whole = solver.solve(targets, 5, order_by="limit_margin", optimize=True).timings.total
    limit = whole / 4
    late = []
    for _ in range(3):
        start = time.perf_counter()
        found = solver.solve(targets, 5, timeout=limit, order_by="limit_margin", optimize=True)
        late.append(time.perf_counter() - start - limit)
        assert 0 < (found.counts > 0).sum()
        assert_true_solutions(panda, found, targets)
    assert min(late) < 0.3 * limit + 0.01
