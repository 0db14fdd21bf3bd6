"""Trees whose tips have joints of their own: all combinations of the limbs' closed forms."""

import itertools

import numpy as np
import pytest
from arm_pairs import known_pair, pair_of
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import assert_true_solutions, configurations, urdf
from six_joint_arms import FAMILIES, family_lines, text_of
from two_arms import two_arms

from generative_ik_ros import (
    CollisionModel,
    IKSolver,
    Scene,
    SolveStatus,
    TaskSpaceRegion,
)
from generative_ik_ros.errors import UnsupportedChainError

pytestmark = pytest.mark.slow

TURN = 2.0 * np.pi
UR10S, PANDAS, MIXED = ("ur10", "ur10"), ("panda", "panda"), ("ur10", "panda")


@pytest.fixture(scope="module")
def trees():
    return {names: known_pair(*names) for names in (UR10S, PANDAS, MIXED)}


@pytest.fixture(scope="module")
def solvers(trees):
    return {names: IKSolver(tree) for names, tree in trees.items()}


def combinations(tree, target, wanted=3000, **options):
    """Return all combinations (N, n) of what solvers for the limbs' chains find."""
    columns = [[tree.names.index(name) for name in chain.names] for chain in tree.chains]
    parts = []
    for chain, pose in zip(tree.chains, target, strict=True):
        found = IKSolver(chain).solve(pose, wanted, **options)
        parts.append(found.branches() if not options else found.of(0))
    rows = np.empty((int(np.prod([len(part) for part in parts])), tree.num_joints))
    for row, chosen in zip(rows, itertools.product(*parts), strict=True):
        for some, own in zip(columns, chosen, strict=True):
            row[some] = own
    return rows


def away(some, others):
    """Return how far each of (M, n) is from the nearest of (N, n), full turns aside."""
    apart = np.abs(some[:, None] - others[None])
    return np.abs(apart - TURN * np.rint(apart / TURN)).max(axis=2).min(axis=1, initial=np.inf)


@pytest.mark.parametrize("names", [UR10S, PANDAS, MIXED], ids="-".join)
def test_all_promises_hold(trees, solvers, names):
    tree, solver = trees[names], solvers[names]
    assert solver.sampler.name == "closed_form"
    targets = tree.forward(configurations(tree, 30))
    for wanted in (1, 2, 20, 150):
        found = solver.solve(targets, wanted)
        assert_true_solutions(tree, found, targets)
        assert (found.counts > 0).all() and found.joint_names == tree.names
        assert found.position_error[:, 0].max() <= 1e-5 >= found.orientation_error[:, 0].max()
    assert (solver.solve(targets[:5], 20).counts == 20).all()


def test_solutions_are_all_combinations_and_are_said_to_be_all(trees, solvers):
    tree, solver, complete = trees[UR10S], solvers[UR10S], 0
    plain = known_pair(*UR10S, joint_limits=dict.fromkeys(tree.names, (-3.1, 3.1)))
    one_turn, searching = IKSolver(plain), solver.searching()
    for target in tree.forward(configurations(plain, 8, 1)):
        expected, found = combinations(tree, target), solver.solve(target, 3000)
        assert len(found.branches()) == len(expected)
        assert away(expected, found.branches()).max() <= 1e-4
        others = searching.solve(target, 60)
        assert others.timings.iterations > 0
        others = others.of(0)
        assert away(others, expected).max() <= 1e-4
        within = combinations(plain, target)
        found = one_turn.solve(target, 3000)
        assert found.counts[0] == len(within) and away(within, found.of(0)).max() <= 1e-4
        assert found.status[0] is SolveStatus.SOLVED or not found.complete[0]
        complete += found.complete[0]
    assert complete >= 6


def test_three_arms():
    tree = known_pair("ur10", "panda", "ur10")
    solver, targets = IKSolver(tree), tree.forward(configurations(tree, 10, 13))
    for wanted in (1, 30):
        found = solver.solve(targets, wanted)
        assert_true_solutions(tree, found, targets)
        assert (found.counts == wanted).all()
    arms = known_pair("ur10", "ur10", "ur10")
    target = arms.forward(configurations(arms, 1, 14)[0])
    expected, found = combinations(arms, target), IKSolver(arms).solve(target, 600)
    assert found.counts[0] == 600 and away(expected, found.of(0)).max() <= 1e-4


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(sorted(FAMILIES)),
    st.sampled_from(sorted(FAMILIES)),
    st.integers(0, 1000),
)
def test_random_pairs_of_arms_lose_no_combination(one, other, seed):
    lines = family_lines(one, False, seed), family_lines(other, True, seed + 1)
    tree = pair_of([text_of(*each) for each in lines], [("l0", "l7")] * 2)
    solver, target = IKSolver(tree), tree.forward(configurations(tree, 1, seed)[0])
    expected, found = combinations(tree, target), solver.solve(target, 1000)
    assert_true_solutions(tree, found, [target])
    if found.complete[0]:
        assert len(expected) == found.counts[0] and away(expected, found.of(0)).max() <= 1e-4
    assert found.counts[0] > 0


def test_a_limb_out_of_reach_is_told_at_once(trees, solvers):
    tree, solver = trees[UR10S], solvers[UR10S]
    target = tree.forward(configurations(tree, 1)[0])
    target[1, :3, 3] += 5.0
    for wanted in (1, 10):
        found = solver.solve(target, wanted)
        assert found.status == (SolveStatus.NO_SOLUTION,) and found.complete[0]
        assert found.timings.iterations == 0
    assert np.isfinite(found.best_effort).all() and found.best_effort_position_error[0] > 1.0


@pytest.mark.parametrize("weighted", [False, True])
def test_the_nearest_pair_is_that_of_the_nearest_of_each(trees, solvers, weighted):
    tree, solver = trees[UR10S], solvers[UR10S]
    rng = np.random.default_rng(3)
    weights = rng.uniform(0.3, 3.0, tree.num_joints) if weighted else np.ones(tree.num_joints)
    given, exact = ({"joint_weights": weights} if weighted else {}), 0
    for q in configurations(tree, 10, 4):
        target, seed = tree.forward(q), np.clip(q + rng.normal(0, 1.0, 12), tree.lower, tree.upper)
        every = combinations(tree, target, 1000, seed_state=None, random_seed=0)
        distance = np.sort(np.linalg.norm((every - seed) * weights, axis=1))
        for wanted in (1, 12):
            found = solver.solve(target, wanted, seed_state=seed, **given)
            assert found.counts[0] == wanted
            ours = np.linalg.norm((found.of(0) - seed) * weights, axis=1)
            # Beside a branch that is nearly singular there may be nearer ones.
            assert (ours <= distance[:wanted] + 1e-4).all() and (np.diff(ours) >= 0.0).all()
            exact += np.allclose(ours, distance[:wanted], atol=1e-4)
    assert exact >= 17


@pytest.mark.parametrize("names", [PANDAS, MIXED], ids="-".join)
def test_the_nearest_on_curves_is_that_of_each_limb(trees, solvers, names):
    tree, solver = trees[names], solvers[names]
    for q in configurations(tree, 20, 5):
        seed, target = np.clip(q + 0.1, tree.lower, tree.upper), tree.forward(q)
        found = solver.solve(target, 1, seed_state=seed)
        best = 0.0
        for chain, pose in zip(tree.chains, target, strict=True):
            own = seed[[tree.names.index(name) for name in chain.names]]
            nearest = IKSolver(chain).solve(pose, 1, seed_state=own).of(0)
            best += np.sum((nearest - own) ** 2)
        assert np.sum((found.of(0) - seed) ** 2) <= best + 1e-6


@pytest.mark.parametrize("given", ["plain", "weights", "limits"])
def test_several_begin_with_the_nearest(given):
    """Which random restarts miss where there are many joints."""
    tree = known_pair("panda", "ur10", "ur10")
    solver, rng = IKSolver(tree), np.random.default_rng(0)
    weights = np.ones(tree.num_joints)
    options: dict = {}
    if given == "weights":
        options["joint_weights"] = weights = rng.uniform(0.3, 3.0, tree.num_joints)
    if given == "limits":
        options["consistency_limits"] = np.full(tree.num_joints, 4.0)
    for q in configurations(tree, 12, 5):
        seed = np.clip(q + rng.normal(0.0, 1.0, tree.num_joints), tree.lower, tree.upper)
        one, several = (
            solver.solve(tree.forward(q), wanted, seed_state=seed, **options) for wanted in (1, 8)
        )
        far = [np.linalg.norm((found.of(0)[0] - seed) * weights) for found in (one, several)]
        assert far[1] <= far[0] * (1.0 + 1e-3) and several.counts[0] == 8


def test_a_seed_state_for_each_target(trees, solvers):
    for names, tree in trees.items():
        q, solver = configurations(tree, 70, 6), solvers[names]
        targets, seeds = tree.forward(q), np.clip(q + 0.05, tree.lower, tree.upper)
        found = solver.solve(targets, 1, seed_state=seeds)
        assert_true_solutions(tree, found, targets)
        assert np.abs(found.positions[:, 0] - seeds).max() <= 1.0
        for b in (0, 31, 69):
            alone = solver.solve(targets[b], 1, seed_state=seeds[b])
            np.testing.assert_array_equal(alone.positions[0], found.positions[b])


@pytest.mark.parametrize("names", [UR10S, PANDAS], ids="-".join)
def test_consistency_limits_are_kept(trees, solvers, names):
    tree, solver = trees[names], solvers[names]
    limits = np.full(tree.num_joints, 0.8)
    for q in configurations(tree, 10, 7):
        seed, target = np.clip(q + 0.3, tree.lower, tree.upper), tree.forward(q)
        found = solver.solve(target, 30, seed_state=seed, consistency_limits=limits)
        assert found.counts[0] > 0 and np.abs(found.of(0) - seed).max() <= 0.8 + 1e-12
        assert_true_solutions(tree, found, [target])
        if names == UR10S:
            within = combinations(tree, target, 1000, seed_state=None, random_seed=0)
            near = (np.abs(within - seed) <= limits).all(axis=1).sum()
            assert found.counts[0] == min(near, 30)


@pytest.fixture(scope="module", params=[UR10S, PANDAS], ids="-".join)
def crowded(request):
    """Return two arms that are in each other's way."""
    tree = known_pair(*request.param, apart=0.5)
    return tree, IKSolver(tree, collision=CollisionModel.from_urdf(tree.description, visuals=True))


def test_solutions_are_free_of_collisions(crowded):
    tree, solver = crowded
    scene = Scene(boxes={"wall": ((0.1, 2.0, 2.0), (0.6, 0.0, 0.0))})
    q = configurations(tree, 400, 10)
    q = q[~solver.collides(q, scene=scene)][:40]
    targets = tree.forward(q)
    for options in ({}, {"seed_state": (tree.lower + tree.upper) / 2.0}):
        for wanted in (1, 10):
            found = solver.solve(targets, wanted, scene=scene, **options)
            assert (found.counts > 0).all()
            assert_true_solutions(tree, found, targets)
            rows = np.concatenate([found.of(b) for b in range(len(targets))])
            assert not solver.collides(rows, scene=scene).any()


@pytest.mark.parametrize("crowded", [MIXED], indirect=True, ids="-".join)
def test_an_own_score_is_no_worse_where_it_is_optimized(crowded):
    tree, solver = crowded

    def score(q):
        return -np.abs(q).max(axis=1)

    for target in tree.forward(configurations(tree, 4, 1)):
        plain, best = (
            solver.solve(target, 1, order_by=score, optimize=optimize)
            for optimize in (False, True)
        )
        assert best.scores[0, 0] >= plain.scores[0, 0] - 1e-9


@pytest.mark.parametrize("crowded", [UR10S], indirect=True, ids="-".join)
def test_no_free_combination_is_lost(crowded):
    (tree, solver), looked_at = crowded, 0
    for target in tree.forward(configurations(tree, 15, 11)):
        if not all(
            _is_known(chain, pose) for chain, pose in zip(tree.chains, target, strict=True)
        ):
            continue
        every, looked_at = combinations(tree, target), looked_at + 1
        free = every[~solver.collides(every)]
        found = solver.solve(target, 3000)
        assert len(found.branches()) == len(free)
        if len(free):
            assert away(free, found.branches()).max() <= 1e-4
        else:
            assert found.status == (SolveStatus.NO_SOLUTION,) and found.blocked_by[0]
        assert solver.solve(target, 1).counts[0] == min(len(free), 1)
    assert looked_at >= 8


def _is_known(chain, pose):
    """Say whether all solutions of an arm are known."""
    return IKSolver(chain).solve(pose, 3000).complete[0]


def test_some_of_the_free_combinations_are_not_said_to_be_all():
    names = known_pair(*UR10S).names
    tree = known_pair(*UR10S, apart=0.5, joint_limits=dict.fromkeys(names, (-3.1, 3.1)))
    solver = IKSolver(tree, collision=CollisionModel.from_urdf(tree.description, visuals=True))
    seed, complete = np.zeros(12), 0
    for target in tree.forward(configurations(tree, 25, 15)):
        every = combinations(tree, target, seed_state=None, random_seed=0)
        free = (~solver.collides(every)).sum()
        for wanted in (1, 4, 100):
            for options in ({}, {"seed_state": seed}):
                found = solver.solve(target, wanted, **options)
                assert found.counts[0] == min(free, wanted) or not found.complete[0]
                assert free <= wanted or not found.complete[0]
                complete += found.complete[0] and free > 0
    assert complete >= 10


def test_other_calls_are_searched(trees, solvers):
    tree, solver = trees[UR10S], solvers[UR10S]
    target = tree.forward(configurations(tree, 1, 12)[0])
    loose = TaskSpaceRegion.cone("z", 0.3)
    tips = dict.fromkeys(tree.tip_links, loose)
    for options in ({"region": tips}, {"order_by": "manipulability"}, {"random_seed": 3}):
        found = solver.solve(target, 10, **options)
        assert found.counts[0] == 10
    few = solver.solve(np.stack([target, target]), 10, goal_set=True)
    assert few.counts[0] == 10
    anyhow = IKSolver(tree, orientation_tolerance=np.inf).solve(target, 10)
    assert anyhow.counts[0] == 10 and anyhow.orientation_error.max() > 0.1
    wide = IKSolver(tree, position_tolerance=1e-3, orientation_tolerance=1e-2).solve(target, 10)
    assert wide.counts[0] == 10 and wide.position_error.max() <= 1e-3


def test_what_has_no_limbs_says_so():
    assert IKSolver(two_arms(fixed={"waist": 0.3})).sampler.name == "closed_form"
    with pytest.raises(UnsupportedChainError, match="joints that move several tips"):
        IKSolver(two_arms(), "closed_form")
    short = urdf([("revolute", (0, 0, 0.1), (0, 0, 0), (0, 0, 1), (-1, 1), "")])
    tree = pair_of([short, short], [("l0", "l1")] * 2)
    assert IKSolver(tree).sampler.name == "quasi_random"
    with pytest.raises(UnsupportedChainError, match="has a limb to 'left_l1'"):
        IKSolver(tree, "closed_form")
