"""Arms with a closed form: all that is promised of calls holds, and no solution is missed."""

from functools import partial

import numpy as np
import pytest
from prismatic_arms import prismatic_arm
from robots import assert_true_solutions, poses, random_chain, random_positions, urdf
from six_joint_arms import arm_of_no_family
from wrist_arm import WRIST_ARM, wrist_arm, wrist_urdf

from generative_ik_ros import (
    CollisionModel,
    IKSolver,
    KinematicChain,
    Scene,
    SolveStatus,
    pose_matrix,
)
from generative_ik_ros.collision.shapes import Box
from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.select.preferences import manipulability

_SIX = ("stanford",)


@pytest.fixture(scope="module", params=["ur10", "wrist", "rounded", *_SIX])
def chain(request):
    if request.param in _SIX:
        return prismatic_arm(request.param)
    if request.param == "ur10":
        return load_robot("ur10")
    return wrist_arm(5e-6 if request.param == "rounded" else 0.0)


def gaps(chain, some, others):
    """Return the largest joint difference of each of (M, n) from the nearest of (N, n)."""
    apart = np.abs(some[:, None] - others[None])
    turned = np.abs(apart - 2.0 * np.pi * np.rint(apart / (2.0 * np.pi)))
    return np.where(chain.continuous, turned, apart).max(axis=2).min(axis=1, initial=np.inf)


def test_it_is_chosen_where_there_is_one(solver, searching):
    assert solver.sampler.name == "closed_form" and searching.sampler.name == "quasi_random"
    other = arm_of_no_family()
    assert IKSolver(other).sampler.name == "quasi_random"
    with pytest.raises(UnsupportedChainError, match="closed_form"):
        IKSolver(other, "closed_form")


def test_it_finds_what_the_search_finds_and_says_that_these_are_all(solver, searching, chain, rng):
    targets, proved = poses(chain, rng, 40), 0
    found, others = solver.solve(targets, 3000), searching.solve(targets, 3000)
    assert_true_solutions(chain, found, targets)
    assert not others.complete.any()
    for t in range(len(targets)):
        if not found.complete[t]:  # near a singularity
            continue
        proved += 1
        assert len(found.of(t)) == len(others.of(t))
        # The search is content with errors within the tolerances.
        assert gaps(chain, others.of(t), found.of(t)).max() < 0.04
        assert found.position_error[t, : found.counts[t]].max() < 2e-8
    assert proved >= 36


def test_poses_out_of_reach_are_known_to_be(solver, searching, chain, rng):
    targets = poses(chain, rng, 60)
    targets[:, :3, 3] *= 1.3
    found, others = solver.solve(targets, 5), searching.solve(targets, 5)
    none = found.counts == 0
    assert 5 < none.sum() < 60 and found.complete[none].all()
    np.testing.assert_array_equal(found.counts, others.counts)
    assert all(found.status[t] == SolveStatus.NO_SOLUTION for t in np.flatnonzero(none))
    assert found.timings.seeds <= 8 * 60
    offered = np.linalg.norm(
        chain.forward(found.best_effort)[:, :3, 3] - targets[:, :3, 3], axis=1
    )
    np.testing.assert_allclose(found.best_effort_position_error, offered, atol=1e-9)
    np.testing.assert_allclose(
        found.best_effort_position_error[none], others.best_effort_position_error[none], rtol=0.02
    )
    assert "out of reach" in found.best_effort_message(int(np.argmax(none)))


@pytest.mark.parametrize("options", [{}, {"seed": True}, {"order_by": "manipulability"}])
@pytest.mark.parametrize("wanted", [1, 3, 200])
def test_a_batch_gives_each_target_what_it_gets_alone(solver, chain, rng, wanted, options):
    targets = poses(chain, rng, 70)
    targets[::7, :3, 3] *= 1.4
    targets[3] = chain.forward(np.zeros(6))
    given = dict(options)
    if given.pop("seed", False):
        given["seed_state"] = random_positions(chain, rng)
    together = solver.solve(targets, wanted, **given)
    assert together.positions.shape == (70, wanted, 6)
    # Where there is no formula for branches, a search finds one solution sooner.
    searches = wanted == 1 and not options and not solver.closed_form.special
    for t in range(len(targets)):
        alone = solver.solve(targets[t], wanted, **given)
        assert alone.complete[0] == together.complete[t]
        assert alone.status[0] == together.status[t]
        if searches and alone.counts[0]:
            continue
        if t != 3:  # a singular pose, which is searched
            np.testing.assert_array_equal(alone.positions[0], together.positions[t])
        np.testing.assert_allclose(alone.best_effort[0], together.best_effort[t], atol=1e-6)


def test_the_nearest_comes_first_with_a_seed_state(solver, chain, rng):
    for _ in range(20):
        q, seed = random_positions(chain, rng), random_positions(chain, rng)
        target = chain.forward(q)
        found = solver.solve(target, 3000, seed_state=seed)
        assert_true_solutions(chain, found, target)
        far = np.linalg.norm(found.of() - seed, axis=1)
        assert (np.diff(far) >= 0.0).all()
        np.testing.assert_array_equal(
            solver.solve(target, 2, seed_state=seed).of(), found.of()[:2]
        )
        weights = rng.uniform(0.1, 1.0, 6)
        weighted = solver.solve(target, 3000, seed_state=seed, joint_weights=weights)
        far = np.linalg.norm((weighted.of() - seed) * weights, axis=1)
        assert (np.diff(far) >= 0.0).all() and len(weighted.of()) == len(found.of())
        near = solver.solve(chain.forward(seed), 1, seed_state=seed)
        assert np.abs(near.of()[0] - seed).max() < 1e-4


@pytest.mark.parametrize("edge", [np.pi, 3.14159])
def test_a_joint_that_stands_at_both_of_its_limits_counts_twice(edge, rng):
    joints = list(WRIST_ARM)
    joints[0], joints[5] = ((*joints[k][:4], (-edge, edge), "") for k in (0, 5))
    chain = KinematicChain.from_urdf(urdf(joints))
    solver, searching, twice = IKSolver(chain), IKSolver(chain, "quasi_random"), 0
    for beside in (0.0, 1e-9, 2e-6, 3e-6, 1e-4):
        q = random_positions(chain, rng, 8)
        q[:4, 0], q[4:, 5] = edge - beside, beside - edge
        for target in chain.forward(q):
            found, others = solver.solve(target, 300), searching.solve(target, 300)
            assert_true_solutions(chain, found, target)
            assert gaps(chain, others.of(), found.of()).max() < 0.04
            assert found.complete[0] or beside == 1e-4
            at = np.abs(np.abs(found.of()[:, [0, 5]]) - edge) < 1e-4
            ends = found.of()[at.any(axis=1)]
            assert len(ends) % 2 == 0 or beside == 1e-4
            twice += len(ends)
    assert twice > 60


def test_solutions_beside_a_nearly_singular_branch_are_followed(rng):
    chain = load_robot("ur10")
    solver, followed = IKSolver(chain), 0
    q = random_positions(chain, rng, 60)
    q[:, 4] = rng.choice([-1.0, 1.0], 60) * 10.0 ** rng.uniform(-4.5, -3.0, 60)
    found = solver.solve(chain.forward(q), 60)
    assert_true_solutions(chain, found, chain.forward(q))
    for t in range(60):
        apart = np.abs(found.of(t)[:, None] - found.of(t)[None])
        apart = np.abs(apart - 2.0 * np.pi * np.rint(apart / (2.0 * np.pi))).max(axis=2)
        # Full turns are the same modulo turns; all others are apart.
        assert ((apart < 1e-6) | (apart >= 0.049)).all()
        followed += (apart[:9, :9] + np.eye(9) >= 0.049).all()
    assert followed > 20


def test_singular_poses_are_left_to_the_search(solver, searching, chain, rng):
    # Stretched wrists; with joint 5 at zero joints 4 and 6 turn about one axis.
    q = random_positions(chain, rng, 8)
    q[:, 4] = 0.0
    found, others = solver.solve(chain.forward(q), 60), searching.solve(chain.forward(q), 60)
    assert not found.complete.any()
    assert (found.counts >= 0.8 * others.counts).all() and others.counts.max() == 60
    assert_true_solutions(chain, found, chain.forward(q))
    assert solver.solve(chain.forward(q), 1).counts.all()


def test_all_that_there_are_are_not_a_part(ur10, rng):
    """Whoever asks for more gets the branches and their full turns, which are told apart."""
    solver, q = IKSolver(ur10), random_positions(ur10, rng)
    target, seed = ur10.forward(q), {"seed_state": q}
    for arguments in ({}, seed, {"order_by": "manipulability"}):
        found = solver.solve(target, 1000, **arguments)
        assert found.status == (SolveStatus.SOLVED,) and found.complete[0]
        assert 0 < len(found.branches()) <= 8 < found.counts[0] < 1000
        numbers = found.branch_of[0]
        assert (numbers[found.counts[0] :] == -1).all()
        for k, branch in enumerate(found.branches()):
            turns = (found.of()[numbers[: found.counts[0]] == k] - branch) / (2.0 * np.pi)
            np.testing.assert_allclose(turns, np.rint(turns), atol=1e-6)
    # Branches come first; without their turns they are not all there are.
    count = len(found.branches())
    alone = solver.solve(target, count)
    assert len(alone.branches()) == count and not alone.complete[0]
    # Of several, and where something is cut off.
    both = solver.solve(np.stack([target, target]), 1000)
    assert both.status == (SolveStatus.SOLVED,) * 2
    searched = solver.searching().solve(target, 1000)
    assert searched.status == (SolveStatus.PARTIAL,) and not searched.complete[0]


def test_complete_is_not_said_of_a_choice(solver, chain, rng):
    target = next(
        one for one in poses(chain, rng, 30) if solver.solve(one, 3000).complete[0]
        and solver.solve(one, 3000).counts[0] > 1
    )  # fmt: skip
    count = solver.solve(target, 3000).counts[0]
    assert solver.solve(target, count).complete[0]
    assert not solver.solve(target, count - 1).complete[0]
    assert not solver.solve(target, 1).complete[0]


def test_fixed_joints_and_loose_tolerances_are_searched_as_ever(chain, rng):
    standing = KinematicChain.from_urdf(
        chain.description, chain.base_link, chain.tip_link, fixed={chain.names[2]: 0.4}
    )
    assert IKSolver(standing).sampler.name == "quasi_random"
    assert IKSolver(chain, orientation_tolerance=np.inf).closed_form is None
    loose = IKSolver(chain, position_tolerance=1e-3)
    assert not loose.solve(poses(chain, rng, 5), 1000).complete.any()


def test_poses_of_a_general_arm_have_a_branch_or_are_proved_to_have_none(rng):
    chain = random_chain(np.random.default_rng(0), 6, ("revolute",))[1]
    solver, searching = IKSolver(chain), IKSolver(chain, "quasi_random")
    assert solver.closed_form is not None and not solver.closed_form.special
    targets = poses(chain, rng, 30)
    targets[::3, :3, 3] *= 1.5
    found, others = solver.solve(targets, 1), searching.solve(targets, 1)
    none = others.counts == 0
    assert 3 < none.sum() < 25 and found.complete[none].all()
    np.testing.assert_array_equal(found.counts, others.counts)
    assert_true_solutions(chain, found, targets)
    length = np.linalg.norm(chain.forward(found.best_effort)[:, :3, 3] - targets[:, :3, 3], axis=1)
    np.testing.assert_allclose(found.best_effort_position_error, length, atol=1e-9)
    for t in range(30):
        alone = solver.solve(targets[t], 1)
        assert alone.status[0] == found.status[t] and alone.complete[0] >= none[t]
    every = solver.solve(targets, 300)
    assert every.complete.mean() > 0.9
    assert_true_solutions(chain, every, targets)


@pytest.mark.parametrize("rounded", [0.0, 5e-6])
def test_no_solution_collides_and_no_free_one_is_missed(rounded, rng):
    pytest.importorskip("coal")
    chain = wrist_arm(rounded)
    plain = IKSolver(chain)
    solver = IKSolver(chain, collision=CollisionModel.from_urdf(wrist_urdf(rounded)))
    scene = Scene(boxes=[Box((0.4, 0.4, 0.9), pose=pose_matrix((x, 0.5, 0.6), (0, 0, 0, 1)))
                         for x in (-0.6, 0.6)])  # fmt: skip
    targets, blocked, proved = poses(chain, rng, 60), 0, 0
    together = solver.solve(targets, 3000, scene=scene)
    assert_true_solutions(chain, together, targets)
    for t, target in enumerate(targets):
        found, every = solver.solve(target, 3000, scene=scene), plain.solve(target, 3000).of()
        free = every[~solver.collides(every, scene=scene)]
        if not found.complete[0]:  # near a singularity
            continue
        proved += 1
        assert found.counts[0] == together.counts[t] == len(free)
        assert len(free) == 0 or gaps(chain, free, found.of()).max() < 1e-6
        assert (found.clearance[0, : len(free)] >= 0.0).all()
        one = solver.solve(target, 1, scene=scene)
        assert one.counts[0] == (len(free) > 0)
        assert not one.counts[0] or not solver.collides(one.of(), scene=scene)[0]
        best = solver.solve(target, 2, scene=scene, order_by="manipulability")
        assert best.counts[0] == min(2, len(free))
        if len(free):
            values = np.sort(manipulability(chain, free))[::-1]
            np.testing.assert_allclose(best.scores[0, : best.counts[0]], values[:2], rtol=1e-6)
            clear = solver.clearance(best.of(), scene=scene)
            np.testing.assert_allclose(best.clearance[0, : len(clear)], clear)
            own = partial(manipulability, chain)
            same = solver.solve(target, 2, scene=scene, order_by=own).scores
            np.testing.assert_allclose(same, best.scores)
        if not len(free):
            blocked += 1
            assert found.blocked_by[0] is not None and one.blocked_by[0] is not None
            assert found.status[0] == SolveStatus.NO_SOLUTION and one.complete[0]
    assert 3 < blocked < 57 and proved > 50
