"""Paths: ends, objectives, what the search reports, and the paths that need more than tracks."""

from functools import partial

import numpy as np
import pytest
from clock import in_time
from robots import assert_follows, circle
from scipy.spatial.transform import Rotation, Slerp

from generative_ik_ros import IKSolver
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.known import load_robot

pytestmark = pytest.mark.slow

START = np.array([0.4, 0.5, 0.1, -1.5, 0.2, 1.9, 0.3])


@pytest.fixture(scope="module")
def arm():
    return load_robot("panda")


@pytest.fixture(scope="module")
def solver(arm):
    return IKSolver(arm)


def follows(arm, path, targets):
    assert path.complete and path.reason == "" and not path.timed_out
    assert_follows(arm, targets, path)


def length(path):
    return np.linalg.norm(np.diff(path.positions, axis=0), axis=1).sum()


def test_a_path_ends_where_it_is_told_to(arm, solver):
    targets = circle(arm, START, 80)
    path = solver.solve_path(targets, START, end_state=START)
    follows(arm, path, targets)
    np.testing.assert_array_equal(path.positions[-1], START)
    free = solver.solve_path(targets, START)
    assert np.abs(free.positions[-1] - START).max() > 1e-4


@pytest.mark.parametrize(
    ("robot", "seed", "begins"),
    [
        ("iiwa", 13, False),
        ("iiwa", 17, False),
        ("panda", 14, True),
        ("atlas_foot_to_hand", 3, True),
    ],
)
def test_a_straight_line_between_configurations_is_a_path_to_its_end(robot, seed, begins):
    """Through singularities, too, and however far tracks of a redundant arm are from it."""
    chain, rng = load_robot(robot), np.random.default_rng(seed)
    solver = IKSolver(chain)
    lower, upper = chain.lower.clip(-3.0), chain.upper.clip(max=3.0)
    for count in [2, 3, 5, 20, 80] * 2:
        begin, end = lower + rng.random((2, chain.num_joints)) * (upper - lower)
        end = begin + (end - begin) * min(0.15 * (count - 1) / np.abs(end - begin).max(), 1.0)
        line = np.linspace(begin, end, count)
        start = line[0] if begins else None
        path = solver.solve_path(chain.forward(line), start, end_state=end, timeout=5.0)
        follows(chain, path, chain.forward(line))
        np.testing.assert_array_equal(path.positions[-1], end)


def test_an_end_in_another_branch_cannot_be_reached(arm, solver):
    targets = circle(arm, START, 40)
    branches = solver.solve(targets[0], 50).of(0)
    other = branches[
        np.argmax(np.abs(branches[:, 3] - START[3]) + np.abs(branches - START).max(1))
    ]
    path = solver.solve_path(targets, START, max_step=0.05, end_state=other)
    assert not path.complete and path.num_reached == len(targets) - 1
    assert (
        path.reason
        == "pose 39: every solution found is more than max_step away from where pose 38 is met"
    )


@pytest.mark.parametrize("timeout", [0.002, 0.008, 0.05])
def test_no_deadline_makes_a_path_end_elsewhere(arm, solver, timeout):
    # Tracks lead to the last pose, and none of them to where the path has to end.
    targets = circle(arm, START, 40)
    branches = solver.solve(targets[0], 50).of(0)
    other = branches[np.argmax(np.abs(branches - START).max(axis=1))]
    arguments = {"max_step": 0.05, "timeout": timeout}
    path = solver.solve_path(targets, START, end_state=other, **arguments)
    assert path.num_reached <= len(targets) - 1 and path.reason
    path = solver.solve_path(targets, START, closed=True, **arguments)
    assert not path.complete or np.array_equal(path.positions[-1], path.positions[0])


@pytest.mark.parametrize("seed_state", [None, START])
@pytest.mark.parametrize("robot", ["panda", "ur10"])
def test_a_closed_path_returns_to_its_first_configuration(arm, solver, robot, seed_state):
    if robot == "ur10":
        arm = load_robot("ur10")
        solver = IKSolver(arm)
        q = np.array([0.3, -1.2, 1.5, -0.8, -1.3, 0.2])
        targets = np.repeat(arm.forward(q)[None], 60, axis=0)
        targets[:, 2, 3] += 0.1 * np.sin(np.linspace(0.0, np.pi, 60))
        targets[-1] = targets[0]
        seed_state = None if seed_state is None else q
    else:
        targets = circle(arm, START, 80)
    path = solver.solve_path(targets, seed_state, closed=True)
    follows(arm, path, targets)
    np.testing.assert_array_equal(path.positions[-1], path.positions[0])
    if seed_state is not None:
        assert np.abs(path.positions[0] - seed_state).max() <= 0.2


@pytest.mark.parametrize(
    ("robot", "seed"), [("lwa4p", 12), ("panda", 4), ("iiwa", 6), ("iiwa", 33)]
)
def test_a_way_there_and_back_is_closed(robot, seed):
    """Tracks from the first pose's solutions lose it, as beside a singularity on the way."""
    chain = load_robot(robot)
    lower, upper = chain.lower.clip(-np.pi), chain.upper.clip(max=np.pi)
    begin, end = np.random.default_rng(seed).uniform(lower, upper, (2, chain.num_joints))
    count = min(int(np.abs(end - begin).max() / 0.08) + 2, 80)
    most = 0.08 * (count - 1)
    way = np.linspace(begin, begin + np.clip(end - begin, -most, most), count)
    targets = chain.forward(np.concatenate([way, way[-2::-1]]))
    path = IKSolver(chain).solve_path(targets, closed=True)
    follows(chain, path, targets)
    np.testing.assert_array_equal(path.positions[-1], path.positions[0])


def test_each_objective_is_best_by_its_own_measure(arm, solver):
    targets = circle(arm, START, 30)
    paths = {
        name: solver.solve_path(targets, objective=name)
        for name in ("length", "largest_step", "limit_margin")
    }
    for path in paths.values():
        follows(arm, path, targets)
    np.testing.assert_allclose(
        [p.length for p in paths.values()], list(map(length, paths.values()))
    )
    span = arm.upper - arm.lower

    def margin(path):
        gaps = np.minimum(path.positions - arm.lower, arm.upper - path.positions)
        return (gaps / span).min()

    assert min(paths, key=lambda k: paths[k].length) == "length"
    assert min(paths, key=lambda k: paths[k].largest_step) == "largest_step"
    assert max(paths, key=lambda k: margin(paths[k])) == "limit_margin"
    first = solver.solve_path(targets)
    assert paths["length"].length <= first.length * (1.0 + 1e-9)


def test_joint_weights_move_the_motion_to_other_joints(arm, solver):
    targets = circle(arm, START, 30)
    weights = np.ones(7)
    weights[0] = 10.0
    plain = solver.solve_path(targets, objective="length")
    heavy = solver.solve_path(targets, objective="length", joint_weights=weights)
    follows(arm, heavy, targets)

    def motion(path):
        return np.abs(np.diff(path.positions[:, 0])).sum()

    assert motion(heavy) < 0.7 * motion(plain)
    steps = np.linalg.norm(np.diff(heavy.positions, axis=0) * weights, axis=1)
    np.testing.assert_allclose(heavy.length, steps.sum())


def test_every_better_path_is_reported_and_the_search_can_be_cancelled(arm, solver):
    targets = circle(arm, START, 30)
    seen = []
    path = solver.solve_path(targets, objective="largest_step", on_path=lambda p: seen.append(p))
    assert len(seen) == len(path.improvements) > 1
    steps = [p.largest_step for p in seen]
    # Of paths that are as good up to rounding the shorter one is better.
    assert steps == pytest.approx(sorted(steps, reverse=True), rel=1e-9)
    assert path.largest_step == steps[-1]
    assert [value for _, value in path.improvements] == pytest.approx(steps)
    calls = []

    def stop(found):
        calls.append(found)
        return False

    cancelled = solver.solve_path(targets, objective="largest_step", on_path=stop)
    assert len(calls) == 1 and cancelled.complete
    follows(arm, calls[0], targets)


def test_the_timeout_ends_the_improvements_with_a_valid_path(arm, solver):
    targets = circle(arm, START, 2000)
    call = partial(solver.solve_path, targets, objective="largest_step", timeout=0.2)
    path = in_time(call, 1.0)
    assert path.complete and path.timed_out
    np.testing.assert_allclose(arm.forward(path.positions), targets, atol=3e-5)


@pytest.mark.parametrize("arguments", [{}, {"closed": True}, {"seed_state": START}])
def test_a_hundred_thousand_poses_are_answered_soon_after_the_deadline(arm, solver, arguments):
    targets = circle(arm, START, 100_000)
    # Seconds if all memory were filled.
    path = in_time(lambda: solver.solve_path(targets, timeout=0.03, **arguments), 0.5)
    assert path.timed_out and 0 < path.num_reached < 100_000 and path.reason == "time was up"
    reached = path.positions[: path.num_reached]
    np.testing.assert_allclose(arm.forward(reached), targets[: path.num_reached], atol=3e-5)


def test_a_path_is_the_same_in_every_call(arm, solver):
    targets = circle(arm, START, 20)
    one, other = (solver.solve_path(targets, objective="length") for _ in range(2))
    np.testing.assert_array_equal(one.positions, other.positions)


def test_a_path_of_one_pose(arm, solver):
    path = solver.solve_path(circle(arm, START, 80)[:1])
    assert path.complete and path.length == 0.0 and path.largest_step == 0.0


def test_jumps_end_a_path_and_are_said(arm, solver):
    targets = circle(arm, START, 80)
    targets[40:, 1, 3] -= 0.4
    path = solver.solve_path(targets)
    assert path.num_reached == 40
    assert (
        path.reason
        == "pose 40: every solution found is more than max_step away from where pose 39 is met"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"objective": "speed"}, UnknownNameError, "length, largest_step, clearance"),
        ({"objective": "clearance"}, InvalidArgumentError, r"needs IKSolver\(chain, collision"),
        ({"end_state": np.zeros(6)}, InvalidArgumentError, "end_state"),
        ({"end_state": np.full(7, 9.0)}, InvalidArgumentError, "outside the joint limits"),
        ({"end_state": np.zeros(7) - [0, 0, 0, 1, 0, -1, 0]}, InvalidArgumentError, "mm and"),
        ({"joint_weights": [1.0, 2.0]}, InvalidArgumentError, "joint_weights"),
        ({"joint_weights": np.zeros(7)}, InvalidArgumentError, "above 0"),
        ({"joint_weights": np.full(7, np.inf)}, InvalidArgumentError, "joint_weights"),
        ({"closed": True, "end_state": START}, InvalidArgumentError, "leave out end_state"),
    ],
)
def test_unusable_arguments(arm, solver, arguments, error, message):
    with pytest.raises(error, match=message):
        solver.solve_path(circle(arm, START, 80), **arguments)


def test_a_path_that_is_not_closed_is_refused_as_such(arm, solver):
    with pytest.raises(InvalidArgumentError, match="the last pose must be the same as the first"):
        solver.solve_path(circle(arm, START, 80)[:50], closed=True)


def test_a_path_without_an_objective_is_hardly_longer_than_the_shortest(arm, solver):
    """The first two batches of tracks lead to one that is 1.3 % longer."""
    begin, end = arm.forward(np.random.default_rng(30).uniform(arm.lower, arm.upper, (2, 7)))
    share = np.linspace(0.0, 1.0, 80)
    targets = np.repeat(begin[None], 80, axis=0)
    targets[:, :3, 3] += share[:, None] * 0.6 * (end[:3, 3] - begin[:3, 3])
    turns = Rotation.from_matrix([begin[:3, :3], end[:3, :3]])
    targets[:, :3, :3] = Slerp([0.0, 1.0], turns)(0.5 * share).as_matrix()
    path = solver.solve_path(targets)
    follows(arm, path, targets)
    assert path.length <= 1.005 * solver.solve_path(targets, objective="length").length
