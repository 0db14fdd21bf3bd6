"""Optimisation along what regions, several tips and goal sets leave free."""

import time

import numpy as np
import pytest
from region_truth import outside
from robots import NONE, Z, urdf
from two_arms import two_arms

from generative_ik_ros import IKSolver, KinematicChain, TaskSpaceRegion, load_robot
from generative_ik_ros.select.preferences import limit_margin, manipulability

pytestmark = pytest.mark.slow

INF = np.inf
SCORES = {"manipulability": manipulability, "limit_margin": limit_margin}
BAND = TaskSpaceRegion([-0.05, -0.05, 0, 0, 0, -0.3], [0.05, 0.05, 0, 0, 0, 0.3])
each_score = pytest.mark.parametrize("order", SCORES)


@pytest.fixture(scope="module")
def two_links():
    """Two links of 1 m in a plane, joints from -2 to 2 rad."""
    limits = (-2.0, 2.0)
    return KinematicChain.from_urdf(
        urdf(
            [
                ("revolute", NONE, NONE, Z, limits, ""),
                ("revolute", (1.0, 0, 0), NONE, Z, limits, ""),
                ("fixed", (1.0, 0, 0), NONE, Z, None, ""),
            ]
        )
    )


def along_y(low, high):
    return TaskSpaceRegion([0, low, -INF, -INF, -INF, -INF], [0, high, INF, INF, INF, INF])


def test_the_optimum_on_a_line_by_hand(two_links):
    """x = 1.5 m: |q1| and |q2| are smallest where both are a, cos a + cos 2 a = 1.5."""
    target = np.eye(4)
    target[0, 3] = 1.5
    found = IKSolver(two_links).solve(
        target, 1, order_by="limit_margin", optimize=True, region=along_y(-INF, INF)
    )
    a = np.arccos((np.sqrt(21.0) - 1.0) / 4.0)
    np.testing.assert_allclose(np.abs(found.of(0)[0]), [a, a], atol=2e-3)
    assert limit_margin(two_links, found.of(0))[0] == pytest.approx(0.5 - a / 4.0, rel=1e-3)


def test_the_optimum_on_a_bound_by_hand(two_links):
    """With |y| <= 0.5 m the elbow is straightest at the ends of the segment."""
    target = np.eye(4)
    target[0, 3] = 1.5
    found = IKSolver(two_links).solve(
        target, 1, order_by="limit_margin", optimize=True, region=along_y(-0.5, 0.5)
    )
    elbow = 2.0 * np.arccos(np.hypot(1.5, 0.5) / 2.0)
    assert limit_margin(two_links, found.of(0))[0] == pytest.approx(0.5 - elbow / 4.0, rel=1e-3)
    y = two_links.forward(found.of(0)[0])[1, 3]
    assert 0.499 < abs(y) <= 0.5


@each_score
def test_nearly_the_best_of_thousands_in_a_region(panda, order):
    dense, solver, close = IKSolver(panda, distinct_distance=2e-3), IKSolver(panda), 0
    rng = np.random.default_rng(5)
    for k, q in enumerate(rng.uniform(panda.lower, panda.upper, (6, 7))):
        region = BAND if k % 2 else TaskSpaceRegion.free_axis("z")
        target = panda.forward(q)
        found = solver.solve(target, 3, order_by=order, optimize=True, region=region)
        away, turned = outside(region, target[None], panda.forward(found.of(0)))
        assert max(away.max(), turned.max()) <= 1.01e-5
        best = SCORES[order](panda, dense.solve(target, 5000, region=region).of(0)).max()
        close += SCORES[order](panda, found.of(0))[0] >= 0.99 * best
    assert close >= 5


@each_score
def test_nearly_the_best_of_thousands_with_two_hands(order):
    tree, rng, close, values = two_arms(), np.random.default_rng(2), 0, []
    dense, solver = IKSolver(tree, distinct_distance=2e-3), IKSolver(tree)
    targets = tree.forward(rng.uniform(tree.lower, tree.upper, (4, 13)))
    for target in targets:
        found = solver.solve(target, 1, order_by=order, optimize=True)
        np.testing.assert_allclose(tree.forward(found.of(0)[0]), target, atol=3e-5)
        best = SCORES[order](tree, dense.solve(target, 5000).of(0)).max()
        close += SCORES[order](tree, found.of(0))[0] >= 0.99 * best
        values.append(SCORES[order](tree, found.of(0))[0])
    assert close == 4
    batch = solver.solve(targets, 1, order_by=order, optimize=True).positions[:, 0]
    np.testing.assert_allclose(SCORES[order](tree, batch), values, rtol=0.02)


def test_the_best_of_all_poses_of_a_goal_set(panda):
    solver, rng = IKSolver(panda), np.random.default_rng(8)
    grasps = panda.forward(rng.uniform(panda.lower, panda.upper, (4, 7)))
    for region in (None, TaskSpaceRegion.free_axis("z")):
        wanted = {"order_by": "limit_margin", "optimize": True, "region": region}
        found = solver.solve(grasps, 2, goal_set=True, **wanted)
        assert found.target_of is not None
        reached = grasps[found.target_of[0]]
        away, turned = outside(
            region or TaskSpaceRegion.exact(), reached, panda.forward(found.of(0))
        )
        assert max(away.max(), turned.max()) <= 1.01e-5
        alone = solver.solve(grasps, 1, **wanted)
        best = max(limit_margin(panda, alone.of(t)).max(initial=0.0) for t in range(4))
        assert limit_margin(panda, found.of(0))[0] >= 0.99 * best


def test_limits_seed_state_and_repetition_hold_in_a_region(panda):
    solver, rng, better = IKSolver(panda), np.random.default_rng(4), 0
    for q in rng.uniform(panda.lower, panda.upper, (5, 7)):
        given = (panda.forward(q), 5, q, np.full(7, 0.4))
        wanted = {"order_by": "manipulability", "region": BAND}
        plain = solver.solve(*given, **wanted)
        found = solver.solve(*given, optimize=True, **wanted)
        again = solver.solve(*given, optimize=True, **wanted)
        np.testing.assert_array_equal(found.positions, again.positions)
        assert (np.abs(found.of(0) - q) <= 0.4 + 1e-12).all()
        best = [manipulability(panda, one.of(0)).max() for one in (plain, found)]
        assert best[1] >= best[0] * (1.0 - 1e-3)
        better += best[1] > 1.001 * best[0]
    assert better >= 2


def test_the_deadline_is_kept_in_a_region(panda):
    solver = IKSolver(panda)
    targets = panda.forward(np.random.default_rng(1).uniform(panda.lower, panda.upper, (100, 7)))
    wanted = {"order_by": "limit_margin", "optimize": True, "region": BAND}
    solver.solve(targets[0], 1, timeout=1.0, **wanted)
    limit = solver.solve(targets, 3, **wanted).timings.total / 4
    late = []
    for _ in range(3):
        start = time.perf_counter()
        found = solver.solve(targets, 3, timeout=limit, **wanted)
        late.append(time.perf_counter() - start - limit)
        assert found.counts.any()
    assert min(late) < 0.3 * limit + 0.01


def test_a_region_makes_an_arm_redundant():
    """Six joints have nothing to move along on a pose, and a circle about a free axis."""
    arm = load_robot("lwa4p")
    solver, target = IKSolver(arm), arm.forward(np.full(6, 0.4))
    region = TaskSpaceRegion.free_axis("z")
    plain = solver.solve(target, 20, order_by="manipulability", region=region).of(0)
    found = solver.solve(target, 1, order_by="manipulability", optimize=True, region=region).of(0)
    assert manipulability(arm, found)[0] > manipulability(arm, plain).max()
