"""Goals that cannot be met: one error is 0, the other as small as exhaustive search finds it."""

import pickle

import numpy as np
import pytest
from clock import in_time
from hypothesis import given, settings
from hypothesis import strategies as st
from nearest_truth import Nearest, errors_of
from robots import bounds_of, random_chain
from scipy.spatial.transform import Rotation

from generative_ik_ros import (
    GenerativeIKError,
    IKSolver,
    KinematicChain,
    SolveStatus,
    TaskSpaceRegion,
)
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError, UnsupportedChainError

pytestmark = pytest.mark.slow

APPROXIMATE = SolveStatus.APPROXIMATE


@pytest.fixture(scope="module")
def by_position(so101):
    return IKSolver(so101, prefer="position")


def unmet(chain, rng, count):
    """Poses (count, 4, 4) whose position is reached, with any orientation."""
    targets = chain.forward(rng.uniform(*bounds_of(chain), (count, chain.num_joints)))
    targets[:, :3, :3] = Rotation.random(
        count, random_state=int(rng.integers(1 << 30))
    ).as_matrix()
    return targets


def check(chain, found, targets, kept, tolerance=1e-5):
    """What is returned is what it says: verified errors, limits, distinct, in order."""
    for t, target in enumerate(targets):
        q = found.of(t)
        errors = errors_of(chain, q, target)
        np.testing.assert_allclose(errors[0], found.position_error[t, : len(q)], atol=1e-9)
        np.testing.assert_allclose(errors[1], found.orientation_error[t, : len(q)], atol=1e-6)
        assert (errors[kept] <= tolerance).all()
        assert ((q >= chain.lower) & (q <= chain.upper)).all()
        for i, one in enumerate(q):
            assert (np.abs(q[:i] - one).max(axis=1, initial=0.0) >= 0.05).all()


@pytest.mark.parametrize("prefer", ["position", "orientation"])
def test_the_nearest_of_so101_is_that_of_exhaustive_search(so101, rng, prefer):
    targets = unmet(so101, rng, 3)
    kept = prefer == "orientation"
    found = IKSolver(so101, prefer=prefer).solve(targets, 100)
    assert set(found.status) == {APPROXIMATE} and not found.reached.any()
    assert not found.complete.any() and (found.counts > 0).all()
    check(so101, found, targets, int(kept))
    for t, target in enumerate(targets):
        other = (found.position_error if kept else found.orientation_error)[t, : found.counts[t]]
        assert (np.diff(other) >= -1e-12).all()
        truth = Nearest(so101, target, prefer)
        assert other[0] <= truth.least(rng, 12) + (1e-5 if kept else 1e-3)
        for q, error in zip(found.of(t)[:4], other, strict=False):
            # No descent leads from one to a lower error: each is a minimum.
            end = truth.descend(q)
            assert end is None or end[1] >= error - 1e-4


@settings(deadline=None, max_examples=3)
@given(
    seed=st.integers(0, 2**32 - 1),
    num_joints=st.sampled_from([3, 4, 5]),
    prefer=st.sampled_from(["position", "orientation"]),
)
def test_nothing_is_nearer_on_any_arm(seed, num_joints, prefer):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, num_joints)[1]
    start = rng.uniform(*bounds_of(chain))
    target = chain.forward(start)
    if prefer == "position":
        target[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    else:
        target[:3, 3] += rng.normal(size=3) * chain.characteristic_length
    found = IKSolver(chain, prefer=prefer).solve(target, 50)
    # `start` meets what is preferred.
    assert found.counts[0] and found.status[0] is not SolveStatus.NO_SOLUTION
    kept = int(prefer == "orientation")
    check(chain, found, target[None], kept)
    least = (found.orientation_error, found.position_error)[kept][0, 0]
    if found.status[0] is APPROXIMATE:
        assert least > 1e-5
        slack = 1e-3 if prefer == "position" else 1e-3 * chain.characteristic_length
        assert least <= Nearest(chain, target, prefer).least(rng, 8) + slack


def test_where_there_are_solutions_they_are_what_they_are_otherwise(so101, by_position, rng):
    q = rng.uniform(so101.lower, so101.upper, (10, 5))
    reached, unreached = so101.forward(q), unmet(so101, rng, 10)
    plain = IKSolver(so101).solve(reached, 20)
    found = by_position.solve(np.concatenate([reached, unreached]), 20)
    np.testing.assert_array_equal(found.positions[:10], plain.positions)
    assert found.status[:10] == plain.status
    assert found.reached.tolist() == (plain.counts > 0).tolist() + [False] * 10
    assert set(found.status[10:]) == {APPROXIMATE}
    one = by_position.solve(reached[0], 20), IKSolver(so101).solve(reached[0], 20)
    np.testing.assert_array_equal(one[0].positions, one[1].positions)


def test_of_six_and_seven_joints_likewise(ur10, panda, rng):
    """A closed form says that there is none, or curves; then the nearest is looked for."""
    narrow = KinematicChain.from_urdf(
        ur10.description, "base_link", ur10.tip_link,
        joint_limits={name: (-0.6, 0.6) for name in ur10.joint_names[3:]},
    )  # fmt: skip
    for chain in (narrow, panda):
        lower, upper = bounds_of(chain)
        targets = unmet(chain, rng, 8)
        found, plain = IKSolver(chain, prefer="position").solve(targets, 8), IKSolver(chain)
        exact = plain.solve(targets, 8)
        assert (found.counts > 0).all()
        near = np.array([one is APPROXIMATE for one in found.status])
        assert near.any() or chain is panda
        assert not (near & (exact.counts > 0)).any()
        np.testing.assert_array_equal(found.positions[~near], exact.positions[~near])
        check(chain, found, targets, 0)
        for t in near.nonzero()[0][:2]:
            least = Nearest(chain, targets[t]).least(rng, 20)
            assert found.orientation_error[t, 0] <= least + 1e-3


def test_one_is_the_least_of_all(so101, by_position, rng):
    targets = unmet(so101, rng, 6)
    many, one = by_position.solve(targets, 100), by_position.solve(targets, 1)
    np.testing.assert_allclose(
        one.orientation_error[:, 0], many.orientation_error[:, 0], atol=1e-6
    )
    np.testing.assert_array_equal(one.best_effort, one.positions[:, 0])
    alone = by_position.solve(targets[0], 1)
    np.testing.assert_array_equal(alone.positions[0], one.positions[0])


def test_calls_repeat_on_any_number_of_threads(so101, by_position, rng):
    targets = unmet(so101, rng, 70)
    once, again = by_position.solve(targets, 4), by_position.solve(targets, 4)
    np.testing.assert_array_equal(once.positions, again.positions)
    assert once.status == again.status
    copy = pickle.loads(pickle.dumps(by_position))
    np.testing.assert_array_equal(copy.solve(targets, 4).positions, once.positions)


def test_the_nearest_to_a_seed_state_comes_first(so101, by_position, rng):
    targets, seeds = unmet(so101, rng, 5), rng.uniform(so101.lower, so101.upper, (5, 5))
    everything = by_position.solve(targets, 100)
    for seed_state in (seeds[0], seeds):
        found = by_position.solve(targets, 3, seed_state=seed_state)
        assert set(found.status) == {APPROXIMATE}
        check(so101, found, targets, 0)
        for t in range(5):
            seed = seed_state if seed_state.ndim == 1 else seed_state[t]
            distance = np.linalg.norm(found.of(t) - seed, axis=1)
            assert (np.diff(distance) >= 0.0).all()
            assert distance[0] <= np.linalg.norm(everything.of(t) - seed, axis=1).min() + 1e-3
    limits = np.full(5, 0.8)
    beside = 0.9 * everything.positions[:, 0]
    near = by_position.solve(targets, 10, seed_state=beside, consistency_limits=limits)
    assert (near.counts > 0).all()
    for t in range(5):
        assert (np.abs(near.of(t) - beside[t]) <= limits + 1e-9).all()


def test_a_deadline_is_kept(so101, by_position, rng):
    targets = unmet(so101, rng, 3000)
    found = in_time(lambda: by_position.solve(targets, 10, timeout=0.05), 0.5)
    assert set(found.status) <= {APPROXIMATE, SolveStatus.TIMED_OUT, SolveStatus.PARTIAL,
                                 SolveStatus.SOLVED}  # fmt: skip
    near = np.array([one is APPROXIMATE for one in found.status])
    check(so101, found, targets[:50], 0)
    assert (found.counts[near] > 0).all()


def test_a_position_out_of_reach_has_none(so101, by_position):
    far = np.eye(4)
    far[0, 3] = 2.0 * so101.reach
    found = by_position.solve([far, far], 5)
    assert set(found.status) == {SolveStatus.NO_SOLUTION} and not found.counts.any()
    plain = IKSolver(so101).solve(far, 1)
    # The position counts more than all else.
    best = found.best_effort_position_error[0]
    assert best <= plain.best_effort_position_error[0] + 1e-9
    assert "joints" not in found.best_effort_message()


def test_results_say_what_they_are(so101, by_position, rng):
    target = unmet(so101, rng, 1)[0]
    found = by_position.solve(target, 5)
    assert "APPROXIMATE" in repr(found)
    assert found.best_effort_message().startswith("no exact solution; nearest: ")
    assert "prefer='position'" in IKSolver(so101).solve(target, 1).best_effort_message()
    assert pickle.loads(pickle.dumps(found)).status == (APPROXIMATE,)


def test_scores_order_approximations(so101, by_position, rng):
    target = unmet(so101, rng, 1)[0]
    found = by_position.solve(target, 5, order_by="limit_margin", optimize=False)
    assert found.status == (APPROXIMATE,) and found.scores is not None
    assert (np.diff(found.scores[0, : found.counts[0]]) <= 0.0).all()


def test_misuse_is_refused(so101, by_position, panda):
    with pytest.raises(UnknownNameError, match="position, orientation"):
        IKSolver(so101, prefer="both")
    with pytest.raises(InvalidArgumentError, match="finite tolerances"):
        IKSolver(so101, prefer="position", orientation_tolerance=np.inf)
    with pytest.raises(InvalidArgumentError, match="not for regions"):
        by_position.solve(np.eye(4), region=TaskSpaceRegion.free_axis("z"))
    with pytest.raises(InvalidArgumentError, match="not for goal sets"):
        by_position.solve(np.eye(4)[None], goal_set=True)
    with pytest.raises(InvalidArgumentError, match="trackers put positions first"):
        IKSolver(panda, prefer="orientation").track(np.zeros(7), 0.01)
    with pytest.raises(GenerativeIKError):
        by_position.solve(np.zeros((4, 4)))


def test_trees_are_refused():
    from two_arms import two_arms

    with pytest.raises(UnsupportedChainError, match="not for trees"):
        IKSolver(two_arms(), prefer="position")


def test_exact_paths_are_exact_and_trackers_put_the_position_first(so101, by_position, panda):
    q = np.linspace(so101.lower, so101.upper, 40) * 0.3
    targets = so101.forward(q)
    path = by_position.solve_path(targets)
    assert path.complete and (path.orientation_error <= 1e-5).all()
    middle = (panda.lower + panda.upper) / 2.0
    assert IKSolver(panda, prefer="position").track(middle, 0.01).position_first
    assert not IKSolver(panda).track(middle, 0.01).position_first


@pytest.mark.parametrize("seed", [0, 17, 62])
def test_a_path_of_exact_solutions_is_followed_through_a_singularity(ur10, seed):
    """Minima of the position's error end there."""
    rng = np.random.default_rng(seed)
    begin = rng.uniform(-2.0, 2.0, 6)
    end = begin.copy()
    begin[4], end[4] = -rng.uniform(0.3, 0.6), rng.uniform(0.3, 0.6)
    end[[0, 1, 2, 3, 5]] += rng.uniform(-0.5, 0.5, 5)
    targets = ur10.forward(np.linspace(begin, end, 30))
    path = IKSolver(ur10, prefer="orientation").solve_path(targets, begin)
    assert path.complete and (path.position_error <= 1e-5).all()


def test_a_path_may_end_in_an_approximation(by_position, so101, rng):
    """Also where poses before it are out of reach, and exact solutions would go no further."""
    target = unmet(so101, rng, 20)
    last = by_position.solve(target, 1)
    t = int(np.argmax(last.status == SolveStatus.APPROXIMATE))
    away = target[t].copy()
    away[:3, 3] += 5.0
    path = by_position.solve_path([target[t], away, target[t]], end_state=last.of(t)[0])
    assert path.num_reached == 1 and "pose 1" in path.reason


def test_the_best_effort_of_other_calls_goes_by_the_tolerances(so101, rng):
    """Where angles may be far off, they are not paid for by distances."""
    targets = unmet(so101, rng, 20)
    equal = IKSolver(so101).solve(targets, 1)
    loose = IKSolver(so101, position_tolerance=1e-4, orientation_tolerance=1e-2).solve(targets, 1)
    none = (equal.counts == 0) & (loose.counts == 0)
    assert none.sum() > 10
    gaps = [one.best_effort_position_error[none] for one in (equal, loose)]
    assert np.median(gaps[1]) < 0.02 * np.median(gaps[0])
