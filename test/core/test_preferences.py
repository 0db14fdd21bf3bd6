"""The order of solutions that a caller chooses."""

import numpy as np
import pytest
from robots import NONE, Z, arm, configurations, planar_two_joints
from two_arms import two_arms

from generative_ik_ros import IKSolver, TaskSpaceRegion
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.select.preferences import ORDERS, limit_margin, manipulability


@pytest.fixture(scope="module")
def solver(panda):
    return IKSolver(panda)


@pytest.fixture(scope="module")
def targets(panda):
    rng = np.random.default_rng(3)
    return panda.forward(rng.uniform(panda.lower, panda.upper, (4, 7)))


def test_manipulability_is_the_volume_of_the_columns(panda):
    q = configurations(panda, 3001)  # more than a thread takes at a time
    jacobian = panda.jacobian(q)
    volume = np.sqrt(np.linalg.det(jacobian @ jacobian.swapaxes(1, 2)))
    np.testing.assert_allclose(manipulability(panda, q), volume, atol=1e-12)
    # Of two joints in a plane it is the area that (x, y, 1) of each spans.
    planar = planar_two_joints(1.0, 1.0)
    q = configurations(planar, 3001)
    first, both, ones = q[:, 0], q.sum(axis=1), np.ones(len(q))
    other = np.stack([-np.sin(both), np.cos(both), ones])
    one = other + np.stack([-np.sin(first), np.cos(first), 0.0 * ones])
    area = np.linalg.norm(np.cross(one.T, other.T), axis=1)
    np.testing.assert_allclose(manipulability(planar, q), area, atol=1e-13)
    assert manipulability(planar_two_joints(0.0), q).max() < 1e-7  # both turn about one axis


def test_limit_margins_by_hand():
    chain = arm(
        ("revolute", NONE, Z, (-1.0, 3.0)), ("revolute", NONE, Z, (0.0, 2.0)),
        ("continuous", NONE, Z, None), ("prismatic", NONE, Z, (2.0, 2.0)),
    )  # fmt: skip
    q = np.array([[1.0, 1.0, 9.0, 2.0], [2.0, 1.0, 9.0, 2.0], [-2.0, 0.5, 0.0, 2.0]])
    assert limit_margin(chain, q).tolist() == [0.5, 0.25, -0.25]


def test_turns_that_change_no_score_come_where_solutions_are_missing(ur10):
    solver = IKSolver(ur10)
    target = ur10.forward(np.array([0.5, -1.0, 1.2, -0.5, 0.7, 0.3]))
    few, many = (solver.solve(target, n, order_by="manipulability").of(0) for n in (4, 40))
    assert len(few) == 4 and len(many) == 40
    for found, whole in ((few, 4), (many, 8)):
        turned = np.round(np.angle(np.exp(1j * found)), 6)
        assert len(np.unique(turned, axis=0)) >= whole
        assert (np.diff(manipulability(ur10, found)) <= 1e-12).all()


def test_diverse_with_a_seed_state(panda, solver, rng):
    q = rng.uniform(panda.lower, panda.upper)
    target = panda.forward(q)
    near = solver.solve(target, 5, seed_state=q).of(0)
    wide = solver.solve(target, 5, seed_state=q, order_by="diverse").of(0)
    assert np.linalg.norm(wide - q, axis=1).max() > np.linalg.norm(near - q, axis=1).max()


def test_an_own_score_is_called_once_for_all_targets(panda, solver, targets):
    calls = []

    def own(q):
        calls.append(q.shape)
        values = limit_margin(panda, q)
        q[:] = 0.0  # which must change nothing
        return values

    mine = solver.solve(targets, 10, order_by=own)
    assert len(calls) == 1 and calls[0][0] >= 40 and calls[0][1] == 7
    named = solver.solve(targets, 10, order_by="limit_margin")
    np.testing.assert_array_equal(mine.positions, named.positions)


def test_an_own_score_is_not_called_for_nothing(panda, solver):
    far = panda.forward(np.zeros(7))
    far[0, 3] += 10.0
    found = solver.solve(far, 5, order_by=lambda _: 1 / 0)
    assert found.counts[0] == 0
    assert solver.solve(np.empty((0, 4, 4)), 5, order_by=lambda _: 1 / 0).counts.shape == (0,)


@pytest.mark.parametrize(
    "own, reason",
    [
        (lambda q: q[:, 0] / "x", r"raised \w+Error for \d+ configurations: .*ufunc"),
        (lambda _: None, r"must return \d+ numbers .* it returned None"),
        (lambda q: q[:, :1], r"it returned float64 \(\d+, 1\)"),
        (lambda q: q[:-1, 0], r"shape \((\d+),\); it returned float64 \(\d+,\)"),
        (lambda q: q[:, 0] * 1j, r"it returned complex128"),
        (lambda q: ["good"] * len(q), r"it returned <U4"),
        (lambda q: [[1.0], [1.0, 2.0]], r"it returned \[\[1.0\], \[1.0, 2.0\]\]"),
        (lambda _: 1.0, r"it returned 1.0"),
        (lambda q: np.where(q[:, 0] < 10.0, np.nan, 0.0), r"NaN for (\d+) of \1 .*-inf puts"),
    ],
)
def test_what_an_own_score_must_not_return(solver, targets, own, reason):
    with pytest.raises(InvalidArgumentError, match=f"order_by .*{reason}"):
        solver.solve(targets[0], 5, order_by=own)


def test_an_own_score_may_be_infinite_or_whole(panda, solver, targets):
    found = solver.solve(
        targets[0], 10, order_by=lambda q: np.where(q[:, 0] > 0, -np.inf, q[:, 0])
    ).of(0)
    worst = found[:, 0] > 0
    assert not worst[0] and (np.diff(worst.astype(int)) >= 0).all()
    whole = solver.solve(targets[0], 10, order_by=lambda q: (q[:, 0] > 0).astype(int)).of(0)
    assert (np.diff((whole[:, 0] > 0).astype(int)) <= 0).all()


def test_joint_weights_say_what_near_means(panda, solver, targets):
    seed = (panda.lower + panda.upper) / 2
    weights = np.array([10.0, 1.0, 0.0, 1.0, 0.5, 1.0, 0.1])
    found = solver.solve(targets[0], 30, seed_state=seed, joint_weights=weights).of(0)
    distance = np.linalg.norm((found - seed) * weights, axis=1)
    assert len(found) == 30 and (np.diff(distance) >= -1e-12).all()
    plain = solver.solve(targets[0], 30, seed_state=seed)
    assert (np.diff(np.linalg.norm((plain.of(0) - seed) * weights, axis=1)) < 0.0).any()
    same = solver.solve(targets[0], 30, seed_state=seed, joint_weights=np.ones(7))
    np.testing.assert_array_equal(same.positions, plain.positions)


def test_misuse(solver):
    with pytest.raises(
        UnknownNameError, match="unknown order 'best'; choose from: diverse, diverse_tip, near"
    ):
        solver.solve(np.eye(4), order_by="best")
    with pytest.raises(UnknownNameError, match="unknown order '3'"):
        solver.solve(np.eye(4), order_by=3)
    with pytest.raises(InvalidArgumentError, match="needs a seed_state"):
        solver.solve(np.eye(4), order_by="nearest")
    with pytest.raises(InvalidArgumentError, match="needs IKSolver"):
        solver.solve(np.eye(4), order_by="clearance")
    assert ORDERS[:3] == ("diverse", "diverse_tip", "nearest")
    assert ORDERS[3:] == ("manipulability", "limit_margin", "clearance", "likelihood")


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ({"joint_weights": np.ones(7)}, "for order_by='nearest' only"),
        ({"seed_state": np.zeros(7), "joint_weights": np.ones(6)}, r"joint_weights has shape \(6"),
        ({"seed_state": np.zeros(7), "joint_weights": -np.ones(7)}, "must be finite and not neg"),
        ({"seed_state": np.zeros(7), "joint_weights": np.zeros(7)}, "above 0 for some joint"),
        ({"seed_state": np.zeros(7), "joint_weights": [np.nan] * 7}, "must be finite"),
        ({"seed_state": np.zeros(7), "joint_weights": "heavy"}, "must be an array of numbers"),
        ({"optimize": True}, "optimize=True needs an order_by with a score: nearest, manip"),
        ({"optimize": 1, "order_by": "manipulability"}, "must be True or False, not 1"),
    ],
)
@pytest.mark.filterwarnings("ignore:seed_state is outside")
def test_misuse_of_weights_and_optimization(solver, arguments, reason):
    with pytest.raises(InvalidArgumentError, match=reason):
        solver.solve(np.eye(4), **arguments)


def test_trees_and_regions_have_an_order_too(panda, solver, targets):
    tree, seed = two_arms(), np.full(13, 0.3)
    both = IKSolver(tree)
    found = both.solve(tree.forward(seed), 10, order_by="manipulability").of(0)
    jacobian = tree.jacobian(found).reshape(len(found), 12, -1)
    values = np.sqrt(np.linalg.det(jacobian @ jacobian.transpose(0, 2, 1)))
    assert len(found) == 10 and (np.diff(values) <= 1e-12).all()
    np.testing.assert_allclose(manipulability(tree, found), values, rtol=1e-6)
    region = TaskSpaceRegion.free_axis("z")
    own = solver.solve(targets[0], 10, order_by=lambda q: q[:, 3], region=region).of(0)
    assert (np.diff(own[:, 3]) <= 0.0).all()
