"""IKSolver from end to end: true, distinct, inside limits, in order, on time, repeatable."""

import math
import time

import numpy as np
import pytest
from clock import in_time
from robots import (
    NONE,
    Z,
    assert_true_solutions,
    planar_two_joints,
    pose_gap,
    random_chain,
    random_positions,
    urdf,
)  # fmt: skip

from generative_ik_ros import (
    GenerativeIKWarning,
    IKSolver,
    KinematicChain,
    SolveStatus,
)
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.samplers.registry import sampler_names
from generative_ik_ros.samplers.uniform import Uniform

LEARNED = "ikflow", "ikflow_large", "ggik", "distal"
"""Samplers that load PyTorch first."""


@pytest.mark.parametrize(
    "sampler",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LEARNED else [])
        for name in ("auto", *sampler_names())
        if name not in ("closed_form", "postures")
    ],
)
def test_a_hundred_solutions(panda, rng, sampler):
    solver = IKSolver(panda, sampler=sampler)
    for _ in range(5):
        target = panda.forward(random_positions(panda, rng))
        result = solver.solve(target)
        assert result.positions.shape == (1, 100, 7)
        assert_true_solutions(panda, result, target)
        if result.counts[0] == 100:
            assert result.status == (SolveStatus.SOLVED,)
        np.testing.assert_array_equal(result.best_effort[0], result.positions[0, 0])
    assert result.joint_names == tuple(panda.joint_names)
    assert result.timings.seeds > 100 and result.timings.total > result.timings.refine > 0


def test_elbow_up_and_elbow_down_are_all_there_is():
    chain = planar_two_joints(1.0, 0.5)
    q = np.array([0.4, 1.1])
    result = IKSolver(chain).solve(chain.forward(q), num_solutions=10)
    assert result.status == (
        SolveStatus.SOLVED if result.counts[0] == 10 else SolveStatus.PARTIAL,
    )
    # the whole pose is asked for, orientation included: one of the two branches has it
    np.testing.assert_allclose(result.of(), q[None], atol=1e-4)
    free = IKSolver(chain, orientation_tolerance=math.inf).solve(chain.forward(q), 10)
    assert free.counts[0] == 2
    tip = chain.forward(q)[:2, 3]
    elbow = math.acos((tip @ tip - 1.25) / 1.0)
    shoulder = math.atan2(tip[1], tip[0])
    by_hand = [
        [shoulder - math.atan2(0.5 * math.sin(e), 1 + 0.5 * math.cos(e)), e]
        for e in (elbow, -elbow)
    ]
    found = sorted(free.of().tolist(), key=lambda row: -row[1])
    np.testing.assert_allclose(found, by_hand, atol=2e-4)


def test_a_batch_gives_each_target_what_it_gets_alone(panda, panda_solver, rng):
    targets = panda.forward(random_positions(panda, rng, 30))
    batch = panda_solver.solve(targets, num_solutions=5)
    assert batch.positions.shape == (30, 5, 7) and (batch.counts == 5).all()
    assert_true_solutions(panda, batch, targets)
    assert set(batch.status) == {SolveStatus.SOLVED}


def test_the_same_call_gives_the_same_result(panda, panda_solver, rng):
    target = panda.forward(random_positions(panda, rng))
    first = panda_solver.solve(target, 40)
    np.testing.assert_array_equal(first.positions, panda_solver.solve(target, 40).positions)
    # A closed form has no random seeds.
    searching = IKSolver(panda, "quasi_random")
    seeded = searching.solve(target, 40, random_seed=7)
    assert not np.array_equal(seeded.positions, searching.solve(target, 40).positions)
    np.testing.assert_array_equal(
        seeded.positions, searching.solve(target, 40, random_seed=7).positions
    )


def test_nearest_first_with_a_seed_state(panda, panda_solver, rng):
    for _ in range(10):
        seed = random_positions(panda, rng)
        near = np.clip(seed + rng.normal(0, 0.05, 7), panda.lower, panda.upper)
        target = panda.forward(near)
        result = panda_solver.solve(target, 20, seed_state=seed)
        assert_true_solutions(panda, result, target)
        distance = np.linalg.norm(result.of() - seed, axis=1)
        assert (np.diff(distance) >= 0).all()
        assert distance[0] <= np.linalg.norm(near - seed) + 1e-3


@pytest.mark.parametrize("weighted", [False, True])
def test_from_a_near_seed_no_self_motion_leads_nearer(panda, panda_solver, rng, weighted):
    gains = []
    for _ in range(40):
        q = rng.uniform(panda.lower, panda.upper)
        seed = np.clip(q + rng.uniform(-0.3, 0.3, 7), panda.lower, panda.upper)
        weights = rng.uniform(0.5, 2.0, 7) if weighted else np.ones(7)
        found = panda_solver.solve(panda.forward(q), 1, seed, joint_weights=weights).of()[0]
        free = (found > panda.lower + 1e-9) & (found < panda.upper - 1e-9)
        # What the distance would lose along the self-motion, were this straight.
        jacobian = panda.jacobian(found)[:, free] / weights[free]
        _, values, basis = np.linalg.svd(jacobian)
        if not free.all() or values[-1] < 0.05:
            continue
        offset = weights * (seed - found)
        gains.append(((basis[6:] @ offset) ** 2).sum() / (offset @ offset))
    assert len(gains) > 15 and np.mean(np.array(gains) > 2e-3) < 0.06


def test_the_first_is_the_nearest_where_some_joints_are_prismatic(rng):
    """A m counts as a rad in the distance, but not in the steps of the local solver."""
    further = []
    for _ in range(12):
        _, chain = random_chain(rng, 10, kinds=("revolute", "revolute", "prismatic"))
        solver, units = IKSolver(chain), np.where(chain.prismatic, chain.joint_units, 1.0)
        for q in random_positions(chain, rng, 4):
            seed = np.clip(q + 0.25 * units * rng.standard_normal(10), chain.lower, chain.upper)
            target = chain.forward(q)
            best = solver.solve(target, 30, seed, order_by="nearest", optimize=True)
            rows = [solver.solve(target, wanted, seed).of()[0] for wanted in (1, 7)]
            distances = np.linalg.norm([best.of()[0], *rows] - seed, axis=1)
            further.append(distances[1:] / distances.min() > 1.005)
    assert (np.mean(further, axis=0) < 0.1).all()


def test_a_search_finds_the_nearest_branch_from_a_far_seed(ur10, rng):
    solver, misses = IKSolver(ur10), 0
    for _ in range(60):
        target = ur10.forward(rng.uniform(-np.pi, np.pi, 6))
        seed = rng.uniform(-np.pi, np.pi, 6)
        first = (
            solver.solve(target, 1, seed).of()[0],
            solver.searching().solve(target, 1, seed).of()[0],
        )
        nearest, found = (np.linalg.norm(one - seed) for one in first)
        misses += found > nearest + 1e-3
    assert misses <= 2


@pytest.mark.parametrize("wanted", [8, 100, 300])
def test_a_seed_state_hides_no_branch(ur10, rng, wanted):
    """However many are wanted: restarts about it, of which most come to the same few branches."""
    q = random_positions(ur10, rng, 10)
    searching, targets = IKSolver(ur10).searching(), ur10.forward(q)
    free = searching.solve(targets, wanted).counts
    near = searching.solve(targets, wanted, seed_state=q + 0.1).counts
    np.testing.assert_array_equal(near, free)


def test_a_seed_state_that_solves_comes_back(panda, panda_solver, rng):
    q = random_positions(panda, rng)
    result = panda_solver.solve(panda.forward(q), 1, seed_state=q)
    np.testing.assert_array_equal(result.of()[0], q)


def test_a_seed_state_outside_the_limits_is_brought_inside(panda, panda_solver):
    seed = panda.upper + 0.1
    target = panda.forward(np.clip(seed, panda.lower, panda.upper) - 0.05)
    with pytest.warns(GenerativeIKWarning, match="outside the limits of panda_joint1") as warned:
        result = panda_solver.solve(target, 3, seed_state=seed)
    assert len(warned) == 1 and warned[0].filename == __file__
    assert "degrees" not in str(warned[0].message)
    assert result.counts[0] == 3
    assert_true_solutions(panda, result, target)


def test_consistency_limits_hold(panda, panda_solver, rng):
    limits = np.full(7, 0.4)
    for _ in range(10):
        seed = random_positions(panda, rng)
        q = np.clip(seed + rng.uniform(-0.2, 0.2, 7), panda.lower, panda.upper)
        result = panda_solver.solve(panda.forward(q), 10, seed, limits)
        assert result.counts[0] >= 1
        assert (np.abs(result.of() - seed) <= limits + 1e-12).all()
        assert_true_solutions(panda, result, panda.forward(q))
    far = panda_solver.solve(panda.forward((panda.lower + panda.upper) / 2), 1,
                             panda.lower + 0.01, np.full(7, 1e-3))  # fmt: skip
    assert far.status == (SolveStatus.NO_SOLUTION,)


def test_continuous_joints_go_round(rng):
    """A seed many turns away is answered near the seed, over the edge of the circle."""
    chain = KinematicChain.from_urdf(
        urdf(
            [
                ("continuous", NONE, NONE, Z, None, ""),
                ("continuous", (0.5, 0, 0), NONE, (0, 1, 0), None, ""),
                ("continuous", (0.5, 0, 0), NONE, (1, 0, 0), None, ""),
            ]
        )
    )
    solver = IKSolver(chain)
    for turns in (0, 3, -11):
        q = np.array([np.pi - 0.02, 0.3, -0.4]) + 2 * np.pi * turns
        seed = q + np.array([0.04, 0.02, -0.02])
        result = solver.solve(chain.forward(q), 1, seed_state=seed)
        np.testing.assert_allclose(result.of()[0], q, atol=1e-4)
    unseeded = solver.solve(chain.forward(q), 10)
    assert (np.abs(unseeded.of()) <= np.pi + 1e-12).all()


def test_full_turns_of_wide_joints_are_further_solutions(ur10, rng):
    """A pose has at most eight solutions modulo full turns on the UR10, whose joints have two."""
    solver = IKSolver(ur10)
    target = ur10.forward(random_positions(ur10, rng))
    result = solver.solve(target, 100)
    assert result.counts[0] == 100
    assert_true_solutions(ur10, result, target)
    wrapped = np.arctan2(np.sin(result.of()), np.cos(result.of()))
    branches = {tuple(row) for row in np.round(wrapped, 2)}
    assert len(branches) <= 16 and len(branches) < 100
    # branches come first, the same ones at other turns after them
    first = wrapped[: min(8, len(branches))]
    gaps = np.linalg.norm(np.exp(1j * first)[:, None] - np.exp(1j * first)[None], axis=2)
    assert (gaps + np.eye(len(first)) * 9).min() > 0.04
    seed = result.of()[57] + 0.01
    near = solver.solve(target, 1, seed_state=seed).of()[0]
    np.testing.assert_allclose(near, result.of()[57], atol=0.02)


def test_unreachable_targets_are_rejected_quickly_and_approached(panda, panda_solver):
    far, twisted = np.eye(4), np.eye(4)
    far[:3, 3] = 2.0, 0.0, 0.333
    twisted[:3, 3] = 0.8, 0.0, 0.2
    result = in_time(lambda: panda_solver.solve(np.stack([far, twisted]), 10), 0.5)
    assert result.status == (SolveStatus.NO_SOLUTION,) * 2
    assert (result.counts == 0).all() and np.isnan(result.positions).all()
    position, angle = pose_gap(panda.forward(result.best_effort), np.stack([far, twisted]))
    np.testing.assert_allclose(result.best_effort_position_error, position, atol=1e-12)
    np.testing.assert_allclose(result.best_effort_orientation_error, angle, atol=1e-7)
    # no random configuration of many comes closer
    length = panda.characteristic_length
    q = np.random.default_rng(0).uniform(panda.lower, panda.upper, (20000, 7))
    for t, target in enumerate((far, twisted)):
        others = pose_gap(panda.forward(q), target)
        cost = np.hypot(others[0] / length, others[1]).min()
        assert np.hypot(position[t] / length, angle[t]) <= cost


def test_reachable_and_unreachable_targets_in_one_batch(panda, panda_solver, rng):
    targets = panda.forward(random_positions(panda, rng, 6))
    targets[[1, 4], :3, 3] += 5.0
    result = panda_solver.solve(targets, 4)
    assert [s is SolveStatus.NO_SOLUTION for s in result.status] == [0, 1, 0, 0, 1, 0]
    assert_true_solutions(panda, result, targets)


@pytest.mark.parametrize("timeout", [0.002, 0.01, 0.05])
def test_the_deadline_is_kept(panda, panda_solver, rng, timeout):
    """More is asked for than there is time for. Other processes may delay most of the calls."""
    target = panda.forward(random_positions(panda, rng))
    late, partial = [], 0
    for _ in range(21):
        start = time.perf_counter()
        result = panda_solver.solve(target, 20_000, timeout=timeout)
        late.append(time.perf_counter() - start - timeout)
        partial += result.status == (SolveStatus.PARTIAL,)
    assert_true_solutions(panda, result, target)
    assert partial > 10
    assert min(late) < max(1e-3, 0.1 * timeout) + 1e-3


@pytest.mark.parametrize(("num_targets", "wanted"), [(10_000, 1), (1, 1000)])
def test_large_requests_keep_the_deadline(rng, num_targets, wanted):
    """Half of the time that it would take, until the result is in order and measured."""
    chain = load_robot("atlas_foot_to_hand")
    solver = IKSolver(chain)
    targets = chain.forward(random_positions(chain, rng, num_targets))
    solver.solve(targets[:100], wanted)
    start = time.perf_counter()
    solver.solve(targets, wanted)
    timeout = 0.5 * (time.perf_counter() - start)
    late = []
    for _ in range(21):
        start = time.perf_counter()
        result = solver.solve(targets, wanted, timeout=timeout)
        late.append(time.perf_counter() - start - timeout)
    assert min(late) < max(1e-3, 0.1 * timeout) + 1e-3
    assert len(result.status) == num_targets
    kinds = np.array(result.status)
    np.testing.assert_array_equal(kinds == SolveStatus.SOLVED, result.counts == wanted)
    np.testing.assert_array_equal(
        kinds == SolveStatus.PARTIAL, (result.counts > 0) & (result.counts < wanted)
    )
    some = np.arange(num_targets)[:: max(1, num_targets // 100)]
    distance, _ = pose_gap(chain.forward(result.best_effort[some]), targets[some])
    np.testing.assert_allclose(result.best_effort_position_error[some], distance, atol=1e-12)


def test_a_status_prints_as_its_name():
    status = SolveStatus.NO_SOLUTION
    assert str(status) == f"{status}" == "NO_SOLUTION" and f"{status:>12}" == " NO_SOLUTION"
    assert status == 3 and int(status) == 3 and SolveStatus(3) is status
    assert status > SolveStatus.PARTIAL


def test_what_was_done_is_counted(panda, rng):
    targets, solver = panda.forward(random_positions(panda, rng, 3)), IKSolver(panda, "uniform")
    each = [solver.solve(target, 50).timings for target in targets]
    for one in each:
        assert 0 <= one.null_space_steps < one.seeds and one.distinct <= one.exact <= one.seeds
        assert one.distinct >= 50 and one.iterations > 2 * one.seeds
    together = solver.solve(targets, 50).timings
    for name in ("seeds", "null_space_steps", "exact", "distinct", "iterations"):
        assert getattr(together, name) >= 0.9 * sum(getattr(one, name) for one in each)


def test_a_sampler_of_ones_own(panda, rng):
    class Middle(Uniform):
        name = "middle"

        def propose(self, request):
            return 0.5 * super().propose(request) + 0.25 * (request.lower + request.upper)

    target = panda.forward(random_positions(panda, rng))
    result = IKSolver(panda, Middle(panda)).solve(target, 20)
    assert result.sampler == "middle"
    assert_true_solutions(panda, result, target)
    other = KinematicChain.from_urdf(panda.description, panda.base_link, panda.tip_link)
    with pytest.raises(InvalidArgumentError, match="'middle' was made for another chain"):
        IKSolver(other, Middle(panda))


def test_the_deadline_comes_before_the_first_solution(panda, panda_solver, rng):
    targets = panda.forward(random_positions(panda, rng, 3000))
    result = panda_solver.solve(targets, 50, timeout=0.01)
    assert SolveStatus.TIMED_OUT in result.status
    unsolved = np.array(result.status) == SolveStatus.TIMED_OUT
    assert (result.counts[unsolved] == 0).all() and np.isfinite(result.best_effort).all()


def test_position_only_and_orientation_only(panda, rng):
    target = panda.forward(random_positions(panda, rng))
    free = IKSolver(panda, orientation_tolerance=math.inf).solve(target, 50)
    assert free.counts[0] == 50
    assert np.nanmax(free.position_error) <= 1e-5 and np.nanmax(free.orientation_error) > 0.5
    turned = IKSolver(panda, position_tolerance=math.inf).solve(target, 50)
    assert turned.counts[0] == 50
    assert np.nanmax(turned.orientation_error) <= 1e-5 and np.nanmax(turned.position_error) > 0.1


def test_tolerances_are_the_callers(panda, rng):
    target = panda.forward(random_positions(panda, rng))
    fine = IKSolver(panda, position_tolerance=1e-9, orientation_tolerance=1e-9).solve(target, 20)
    assert fine.counts[0] == 20
    assert np.nanmax(fine.position_error) <= 1e-9 and np.nanmax(fine.orientation_error) <= 1e-9
    # Solutions on curves are exact whatever is tolerated.
    coarse = IKSolver(panda, position_tolerance=1e-2, orientation_tolerance=0.1)
    coarse = coarse.searching().solve(target, 10)
    assert 1e-5 < np.nanmax(coarse.position_error) <= 1e-2


def test_no_targets_no_solutions(panda_solver):
    result = panda_solver.solve(np.empty((0, 4, 4)), 3)
    assert result.positions.shape == (0, 3, 7) and result.status == ()


def test_a_rounded_rotation_is_accepted(panda, panda_solver, rng):
    target = panda.forward(random_positions(panda, rng)).astype(np.float32)
    assert panda_solver.solve(target, 5).counts[0] == 5


def test_a_continuous_set_of_solutions_is_filled():
    """Three planar joints, position wanted only: the elbow's circle of solutions, all of it."""
    wide = (-3.1, 3.1)
    joints = [("revolute", (x, 0, 0), NONE, Z, wide, "") for x in (0, 0.5, 0.4)]
    joints.append(("fixed", (0.3, 0, 0), NONE, Z, None, ""))
    chain = KinematicChain.from_urdf(urdf(joints))
    solver = IKSolver(chain, orientation_tolerance=np.inf, distinct_distance=0.2)
    target = chain.forward([0.3, 0.9, -0.8])
    found = solver.solve(target, 2000).of()
    dense = IKSolver(chain, orientation_tolerance=np.inf, distinct_distance=0.02)
    reference = dense.solve(target, 5000).of()
    gap = np.abs(reference[:, None] - found[None]).max(axis=2).min(axis=1)
    assert len(reference) > 5 * len(found) and (gap < 0.2).mean() > 0.97
