"""Of solutions that are the same the one nearest to the seed state is kept, not the first."""

import numpy as np
import pytest
from robots import assert_true_solutions, random_positions
from wrist_arm import wrist_arm, wrist_urdf

from generative_ik_ros import CollisionModel, IKSolver, Scene, pose_matrix
from generative_ik_ros.collision.shapes import Box
from generative_ik_ros.robot.known import load_robot, robot_urdf_path

_WEIGHTS = np.array([0.3, 1.0, 2.0, 0.5, 1.0, 0.0])


def beside_a_straight_elbow(rng, count, bend=0.01):
    """Return configurations (count, 6) of a UR10 with another branch at the opposite elbow."""
    q = rng.uniform(0.5, 2.0, (count, 6)) * rng.choice([-1.0, 1.0], (count, 6))
    q[:, 2] = bend * rng.choice([-1.0, 1.0], count)
    return q


def distances(q, seed, weights=1.0):
    return np.linalg.norm((q - seed) * weights, axis=-1)


def assert_nearest_of_same(first, known, seed, weights=1.0):
    """None of the known solutions that are the same as the first is nearer to the seed state.

    Up to a tenth of the distance of duplicates, 1 rad: so near is one solution, found again.
    """
    same = known[np.abs(known - first).max(axis=1) < 1.0]
    nearest = distances(same, seed, weights).min(initial=np.inf)
    assert distances(first, seed, weights) < nearest + 0.1


@pytest.mark.parametrize(
    "options",
    [{}, {"timeout": 1.0}, {"joint_weights": _WEIGHTS}, {"consistency_limits": np.full(6, 0.03)}],
)
def test_the_seed_keeps_its_branch_beside_a_straight_elbow(rng, options):
    chain = load_robot("ur10")
    solver, tight = IKSolver(chain), {"position_tolerance": 1e-9, "orientation_tolerance": 1e-9}
    exact = IKSolver(chain, distinct_distance=1e-4, **tight)
    for q in beside_a_straight_elbow(rng, 30):
        seed, target = q + rng.normal(0.0, 1e-3, 6), chain.forward(q)
        best = exact.solve(target, 200, seed, **options).of(0)
        weights = options.get("joint_weights", 1.0)
        for wanted in (1, 5):
            found = solver.solve(target, wanted, seed, **options).of(0)
            nearest = distances(best, seed, weights).min()
            assert distances(found[0], seed, weights) == pytest.approx(nearest, abs=1e-5)
            np.testing.assert_array_equal(
                solver.solve(np.stack([target] * 3), wanted, seed, **options).of(2), found
            )


def test_a_search_keeps_the_nearest_of_what_is_the_same(rng):
    """Far apart, so that others are mostly found first."""
    chain = load_robot("ur10")
    solver, exact = IKSolver(chain, distinct_distance=1.0).searching(), IKSolver(chain)
    for q in beside_a_straight_elbow(rng, 25, bend=0.3):
        seed, target = random_positions(chain, rng), chain.forward(q)
        best = exact.solve(target, 2000, seed, joint_weights=_WEIGHTS).of(0)
        found = solver.solve(target, 100, seed, joint_weights=_WEIGHTS)
        assert_true_solutions(chain, found, target[None], distance=1.0)
        assert_nearest_of_same(found.of(0)[0], best, seed, _WEIGHTS)


@pytest.mark.parametrize("distance", [7.0, 1e7, np.inf])
def test_solutions_may_all_be_the_same(distance):
    """A distance beyond a full turn leaves one branch of joints that turn all the way round."""
    chain = load_robot("ur10")
    solver = IKSolver(chain, distinct_distance=distance).searching()
    assert len(solver.solve(chain.forward(np.full(6, 0.5)), 5).branches()) == 1


@pytest.mark.parametrize("searches", [False, True])
@pytest.mark.parametrize("seeded", [False, True])
def test_a_collision_shadows_nothing_that_is_free(rng, searches, seeded):
    chain = wrist_arm()
    model = CollisionModel.from_urdf(wrist_urdf())
    solver = IKSolver(chain, distinct_distance=1.0, collision=model)
    solver = solver.searching() if searches else solver
    exact, solved = IKSolver(chain, distinct_distance=0.05, collision=model), 0
    q = random_positions(chain, rng, 40)
    q[:, 2] = -1.38 + 0.3 * rng.choice([-1.0, 1.0], 40)  # where the elbow is nearly straight
    for row in q:
        target, seed = chain.forward(row), random_positions(chain, rng) if seeded else None
        middle = (target[:3, 3] + (0.15, 0.0, 0.6)) / 2.0
        box = Box(np.full(3, 0.2), pose=pose_matrix(middle, (0.0, 0.0, 0.0, 1.0)))
        free = exact.solve(target, 2000, seed, scene=Scene([box])).of(0)
        found = solver.solve(target, 2000, seed, scene=Scene([box])).of(0)
        gaps = np.abs(free[:, None] - found[None]).max(axis=2).min(axis=1, initial=np.inf)
        # With a seed state a search may end before it comes to what is far away.
        assert (gaps < 1.0).all() or (seeded and searches)
        if seeded and len(found):
            assert_nearest_of_same(found[0], free, seed)
        solved += len(found) > 0
    assert solved > 8


@pytest.mark.parametrize("order_by", ["limit_margin", "manipulability"])
def test_of_the_same_one_is_kept_that_spheres_could_not_decide(order_by):
    """One takes the place of another that is the same, beside a third, free and further away."""
    pytest.importorskip("coal", reason="coal not installed: pip install '.[collision]'")
    chain, rng = load_robot("panda"), np.random.default_rng(4)
    target = chain.forward(random_positions(chain, rng))
    seed, limits = random_positions(chain, rng), np.full(7, rng.uniform(1.0, 3.0))
    urdf = robot_urdf_path("panda")
    model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))
    solver = IKSolver(chain, collision=model)
    found = solver.solve(target, 60, seed, limits, order_by=order_by)
    assert_true_solutions(chain, found, target)
