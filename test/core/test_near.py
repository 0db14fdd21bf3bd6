"""The one solution nearest to a seed state, and a seed state for each target."""

import copy
import pickle

import numpy as np
import pytest
from robots import assert_true_solutions, bounds_of, random_chain, random_positions
from scipy.optimize import minimize

from generative_ik_ros import (
    GenerativeIKWarning,
    IKSolver,
    KinematicChain,
    Scene,
    SolveStatus,
    load_robot,
)
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.request import check_request
from generative_ik_ros.robot.known import known_robot
from generative_ik_ros.search.plan import FormSource, NearSource, OneByOne, plan_of

ARMS = ("panda", "lwa4d", "ur10", "lwa4p")


def near_seeds(chain, rng, count, most=0.25):
    """Return configurations (count, n) that reach targets, and seed states near them."""
    lower, upper = bounds_of(chain)
    goals = lower + (upper - lower) * rng.random((count, chain.num_joints))
    return goals, np.clip(goals + rng.uniform(-most, most, goals.shape), lower, upper)


def locally_nearest(chain, target, seed, start):
    """Return the distance of the nearest solution that another optimizer comes to."""

    def gap(q):
        pose = chain.forward(q)
        turn = pose[:3, :3].T @ target[:3, :3]
        angles = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
        return np.r_[pose[:3, 3] - target[:3, 3], angles]

    found = minimize(
        lambda q: ((q - seed) ** 2).sum(), start, jac=lambda q: 2.0 * (q - seed), method="SLSQP",
        bounds=list(zip(*bounds_of(chain), strict=True)), options={"ftol": 1e-12, "maxiter": 60},
        constraints={"type": "eq", "fun": gap},
    )  # fmt: skip
    return np.sqrt(found.fun) if np.abs(gap(found.x)).max() < 1e-6 else np.inf


def test_a_joint_that_has_reached_its_limit_stays_there(rng):
    """Rounding puts the branch outside, and a full turn back it would be inside."""
    chain = load_robot("ur10")
    solver = IKSolver(chain)
    goals, seeds = near_seeds(chain, rng, 200, 0.02)
    goals[:100, 5], goals[100:, 0] = chain.upper[5], chain.lower[0]
    seeds[:100, 5] = chain.upper[5] - 0.02 * rng.random(100)
    seeds[100:, 0] = chain.lower[0] + 0.02 * rng.random(100)
    for goal, seed in zip(goals, seeds, strict=True):
        found = solver.solve(chain.forward(goal), 1, seed).positions[0, 0]
        away = np.linalg.norm(found - seed), np.linalg.norm(goal - seed)
        assert away[0] <= away[1] + 1e-9


@pytest.mark.parametrize("name", ARMS)
def test_the_nearest_is_found_from_a_near_seed(name, rng):
    chain = load_robot(name)
    solver, misses = IKSolver(chain), 0
    goals, seeds = near_seeds(chain, rng, 40)
    for goal, seed in zip(goals, seeds, strict=True):
        target = chain.forward(goal)
        found = solver.solve(target, 1, seed)
        assert_true_solutions(chain, found, target[None])
        assert found.status == (SolveStatus.SOLVED,)
        distance = np.linalg.norm(found.positions[0, 0] - seed)
        best = locally_nearest(chain, target, seed, goal)
        misses += distance > 1.01 * best + 1e-6
    assert misses <= 1


@pytest.mark.parametrize("name", ARMS)
def test_a_seed_for_each_target_is_as_good_as_a_call_for_each(name, rng):
    chain = load_robot(name)
    solver = IKSolver(chain)
    lower, upper = bounds_of(chain)
    goals, seeds = near_seeds(chain, rng, 60)
    seeds[40:] = lower + (upper - lower) * rng.random((20, chain.num_joints))
    targets = chain.forward(goals)
    together = solver.solve(targets, 1, seeds)
    assert_true_solutions(chain, together, targets)
    alone = [solver.solve(t, 1, q).positions[0] for t, q in zip(targets, seeds, strict=True)]
    np.testing.assert_array_equal(together.positions, alone)


def test_the_rest_of_a_batch_changes_no_answer(panda, panda_solver, rng):
    goals, seeds = near_seeds(panda, rng, 100, most=1.5)
    targets = panda.forward(goals)
    found = panda_solver.solve(targets, 1, seeds).positions
    order = rng.permutation(100)
    np.testing.assert_array_equal(
        panda_solver.solve(targets[order], 1, seeds[order]).positions, found[order]
    )


@pytest.mark.parametrize("name", ["panda", "lwa4d"])
def test_errors_are_small_where_the_last_step_was_sure_to_make_them_so(name, rng):
    """Steps near a singularity bring less than that, and what they come to takes further ones."""
    chain = load_robot(name)
    goals, seeds = near_seeds(chain, rng, 1000)
    found = IKSolver(chain).solve(chain.forward(goals), 1, seeds)
    for errors in (found.position_error, found.orientation_error):
        assert (errors < 1.01e-8).mean() > 0.999


@pytest.mark.parametrize("joints", [2, 5, 8, 10])
def test_steps_find_the_nearest_of_arms_without_a_closed_form(joints, rng):
    chain = random_chain(rng, joints)[1]
    solver, misses = IKSolver(chain), 0
    goals, seeds = near_seeds(chain, rng, 30, most=0.1)
    for goal, seed in zip(goals, seeds, strict=True):
        target = chain.forward(goal)
        found = solver.solve(target, 1, seed)
        assert_true_solutions(chain, found, target[None])
        distance = np.linalg.norm(found.positions[0, 0] - seed)
        misses += distance > 1.01 * locally_nearest(chain, target, seed, goal) + 1e-6
    assert misses <= 1


def test_a_free_orientation_is_one_more_coordinate_to_move(panda, rng):
    solver = IKSolver(panda, orientation_tolerance=np.inf)
    goals, seeds = near_seeds(panda, rng, 30)
    found = solver.solve(panda.forward(goals), 1, seeds)
    whole = IKSolver(panda).solve(panda.forward(goals), 1, seeds)
    assert (found.position_error < 1e-5).all()
    gaps, whole_gaps = (
        np.linalg.norm(one.positions[:, 0] - seeds, axis=1) for one in (found, whole)
    )
    assert (gaps <= whole_gaps + 1e-6).all()


@pytest.mark.parametrize("joints", [4, 7, 9])
def test_arms_without_a_closed_form_take_a_seed_for_each_target(joints, rng):
    chain = random_chain(rng, joints)[1]
    solver = IKSolver(chain)
    goals, seeds = near_seeds(chain, rng, 5)
    targets = chain.forward(goals)
    together = solver.solve(targets, 2, seeds)
    assert_true_solutions(chain, together, targets)
    for t in range(5):
        alone = solver.solve(targets[t], 2, seeds[t])
        np.testing.assert_array_equal(together.positions[t], alone.positions[0])


@pytest.mark.parametrize("wanted", [1, 3])
@pytest.mark.parametrize("name", ["panda", "ur10"])
def test_consistency_limits_are_about_each_seed(name, wanted, rng):
    chain = load_robot(name)
    goals, seeds = near_seeds(chain, rng, 20)
    found = IKSolver(chain).solve(
        chain.forward(goals), wanted, seeds, np.full(chain.num_joints, 0.25 + 1e-9)
    )
    assert (found.counts > 0).all()
    for t in range(20):
        assert np.abs(found.of(t) - seeds[t]).max() <= 0.25 + 1e-6


@pytest.mark.parametrize("name", ["panda", "ur10", "planar_3r", "general"])
def test_what_else_a_call_for_the_nearest_says_changes_it_only_where_it_has_to(name, rng):
    chain = random_chain(rng, 6, ("revolute",))[1] if name == "general" else load_robot(name)
    goals, seeds = near_seeds(chain, rng, 30)
    solver, targets = IKSolver(chain), chain.forward(goals)
    limits, moved = np.full(chain.num_joints, 0.4), 0
    for target, seed in zip(targets, seeds, strict=True):
        nearest = solver.solve(target, 1, seed).of(0)[0]
        found = solver.solve(target, 1, seed, limits, timeout=1.0).of(0)
        if (np.abs(nearest - seed) <= limits).all():
            np.testing.assert_array_equal(found[0], nearest)
        # From 0.25 away, another one within the limits is known.
        assert len(found) == 1 and np.abs(found[0] - seed).max() <= 0.4 + 1e-9
        tight = np.abs(nearest - seed) - 1e-3
        tight[np.abs(nearest - seed) < 0.01] = 0.4
        other = solver.solve(target, 1, seed, tight)
        moved += other.counts[0]
        assert other.counts[0] == 0 or (np.abs(other.of(0)[0] - seed) <= tight + 1e-9).all()
        ones = np.ones(chain.num_joints)
        again = solver.solve(target, 1, seed, timeout=1, joint_weights=ones)
        np.testing.assert_array_equal(again.of(0)[0], nearest)
    together = solver.solve(targets, 1, seeds, limits)
    for t in range(30):
        alone = solver.solve(targets[t], 1, seeds[t], limits)
        np.testing.assert_array_equal(together.positions[t], alone.positions[0])


@pytest.mark.parametrize(
    ("more", "fragment"),
    [
        ({"consistency_limits": np.full(7, -0.1)}, "negative"),
        ({"consistency_limits": np.full(7, np.nan)}, "NaN"),
        ({"consistency_limits": np.ones(6)}, "shape"),
        ({"consistency_limits": np.array(list("seventh"))}, "consistency_limits"),
        ({"joint_weights": np.zeros(7)}, "above 0"),
        ({"joint_weights": np.full(7, np.inf)}, "finite"),
        ({"joint_weights": np.ones(6)}, "shape"),
        ({"timeout": 0.0}, "timeout"),
        ({"timeout": np.nan}, "timeout"),
        ({"scene": Scene()}, "collision"),
    ],
)
def test_what_is_wrong_beside_a_seed_is_named(panda, panda_solver, more, fragment, rng):
    goals, seeds = near_seeds(panda, rng, 1)
    with pytest.raises(InvalidArgumentError, match=fragment):
        panda_solver.solve(panda.forward(goals)[0], 1, seeds[0], **more)


def test_joint_weights_say_what_is_nearest(panda, panda_solver, rng):
    goals, seeds = near_seeds(panda, rng, 40)
    targets, weights = panda.forward(goals), np.array([10.0, 1, 1, 1, 1, 1, 1])
    plain = panda_solver.solve(targets, 1, seeds).positions[:, 0]
    weighted = panda_solver.solve(targets, 1, seeds, joint_weights=weights).positions[:, 0]

    def distance(q):
        return np.linalg.norm(weights * (q - seeds), axis=1)

    assert (distance(weighted) <= distance(plain) + 1e-6).mean() >= 0.95
    assert np.abs(weighted - seeds)[:, 0].mean() < 0.5 * np.abs(plain - seeds)[:, 0].mean()
    alone = panda_solver.solve(targets, 1, seeds, joint_weights=[0, 1, 1, 1, 1, 1, 1])
    assert_true_solutions(panda, alone, targets)


def test_joints_without_limits_stay_within_half_a_turn_of_the_seed(rng):
    iiwa = known_robot("iiwa")
    description = iiwa.urdf.read_text().replace("revolute", "continuous")
    chain = KinematicChain.from_urdf(description, iiwa.base_link, iiwa.tip_link)
    assert chain.continuous.all()
    goals = rng.uniform(-np.pi, np.pi, (20, 7))
    seeds = goals + rng.uniform(-0.2, 0.2, (20, 7)) + 4.0 * np.pi
    found = IKSolver(chain).solve(chain.forward(goals), 1, seeds)
    assert np.abs(found.positions[:, 0] - seeds).max() <= 0.5


def test_seeds_outside_the_limits_are_clipped_with_a_warning(panda, panda_solver, rng):
    goals, seeds = near_seeds(panda, rng, 3)
    seeds[1, 0] = panda.upper[0] + 0.5
    targets = panda.forward(goals)
    with pytest.warns(GenerativeIKWarning, match="panda_joint1"):
        together = panda_solver.solve(targets, 1, seeds)
    clipped = np.clip(seeds, panda.lower, panda.upper)
    np.testing.assert_array_equal(
        together.positions, panda_solver.solve(targets, 1, clipped).positions
    )
    with pytest.warns(GenerativeIKWarning, match="panda_joint1"):
        alone = panda_solver.solve(targets[1], 1, seeds[1])
    np.testing.assert_array_equal(alone.positions[0], together.positions[1])


def test_wrong_seeds_are_named(panda, panda_solver, rng):
    targets = panda.forward(near_seeds(panda, rng, 4)[0])
    for seeds, words in (
        (np.zeros((3, 7)), r"shape \(3, 7\); it must be \(7,\), or \(4, 7\)"),
        (np.zeros((4, 6)), "7 long"),
        (np.full((4, 7), np.nan), "not finite"),
        (np.zeros((4, 1, 7)), "shape"),
    ):
        with pytest.raises(InvalidArgumentError, match=words):
            panda_solver.solve(targets, 1, seeds)
    with pytest.raises(InvalidArgumentError, match="goal set"):
        panda_solver.solve(targets, 1, np.zeros((4, 7)), goal_set=True)
    with pytest.raises(InvalidArgumentError, match="where the path"):
        panda_solver.solve_path(targets, np.zeros((4, 7)))


def test_targets_out_of_reach_keep_their_own_best_effort(panda, panda_solver, rng):
    goals, seeds = near_seeds(panda, rng, 4)
    targets = panda.forward(goals)
    targets[2, :3, 3] += [3.0, 0.0, 0.0]
    found = panda_solver.solve(targets, 1, seeds)
    assert [status.name for status in found.status] == [
        "SOLVED",
        "SOLVED",
        "NO_SOLUTION",
        "SOLVED",
    ]
    alone = panda_solver.solve(targets[2], 1, seeds[2])
    assert found.best_effort_position_error[2] == pytest.approx(
        alone.best_effort_position_error[0], abs=1e-3
    )


@pytest.mark.parametrize("wanted", [1, 2])
def test_a_best_effort_is_within_the_consistency_limits_about_its_own_seed_state(
    ur10, rng, wanted
):
    """So what is reached beyond them is no solution, either, once it has been read."""
    targets = ur10.forward(random_positions(ur10, rng, 20))
    targets[::3, 0, 3] += 3.0
    seeds, limits = random_positions(ur10, rng, 20), np.full(6, 1.0)
    given = targets.copy(), seeds.copy(), limits.copy()
    found = IKSolver(ur10).solve(given[0], wanted, *given[1:])
    for array in given:  # which the caller uses for others before anything is read
        array[:] = 9.0
    counts = found.counts.copy()
    assert not counts.all()
    assert (np.abs(found.best_effort - seeds) <= limits + 1e-12).all()
    np.testing.assert_array_equal(found.counts, counts)
    missed = int(np.argmin(counts))
    alone = IKSolver(ur10).solve(targets[missed], wanted, seeds[missed], limits)
    np.testing.assert_array_equal(found.best_effort[missed], alone.best_effort[0])


def test_no_time_leaves_targets_open(rng):
    chain = random_chain(rng, 8)[1]
    goals, seeds = near_seeds(chain, rng, 2000)
    found = IKSolver(chain).solve(chain.forward(goals), 2, seeds, timeout=0.05)
    assert SolveStatus.TIMED_OUT in found.status
    assert found.timings.total < 0.3


@pytest.mark.parametrize("name", ["planar_3r", "panda", "ur10"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_solver_that_was_asked_can_be_copied(name, copied, rng):
    solver = IKSolver(load_robot(name))
    goals, seeds = near_seeds(solver.chain, rng, 2)
    targets = solver.chain.forward(goals)
    found = solver.solve(targets, 1, seeds)
    alone = solver.solve(targets[0], 1, seeds[0])
    other = copied(solver)
    np.testing.assert_array_equal(other.solve(targets, 1, seeds).positions, found.positions)
    np.testing.assert_array_equal(other.solve(targets[0], 1, seeds[0]).positions, alone.positions)


def test_the_plan_asks_the_closed_form_first(panda, panda_solver):
    whole, stages = panda_solver._whole, panda_solver._stages
    targets, seeds = (
        panda.forward(np.zeros((2, 7)) + 0.5 * (panda.lower + panda.upper)),
        np.zeros((2, 7)),
    )
    seeds[:] = 0.5 * (panda.lower + panda.upper)

    def plan(**more):
        request = check_request(
            panda, whole, 0.05, targets, more.pop("wanted", 1), seeds,
            more.pop("limits", None), None, None, **more,
        )  # fmt: skip
        return [type(source) for source in plan_of(stages, request)]

    assert plan() == [FormSource, OneByOne]
    stages = stages.without_branches
    assert plan() == [NearSource, OneByOne]
    assert plan(limits=np.ones(7)) == [NearSource, OneByOne]
    assert plan(wanted=2) == plan(order_by="manipulability") == [OneByOne]
