"""The order of solutions that a caller chooses."""

import numpy as np
import pytest

from generative_ik_ros import IKSolver
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.select.preferences import ORDERS, limit_margin, manipulability


@pytest.fixture(scope="module")
def solver(panda):
    return IKSolver(panda)


@pytest.mark.parametrize(
    "order, score", [("manipulability", manipulability), ("limit_margin", limit_margin)]
)
def test_the_best_come_first(panda, solver, rng, order, score):
    better = 0
    for q in rng.uniform(panda.lower, panda.upper, (10, 7)):
        target = panda.forward(q)
        found = solver.solve(target, 20, order_by=order).of(0)
        values = score(panda, found)
        assert (np.diff(values) <= 1e-12).all()
        better += values[0] >= score(panda, solver.solve(target, 20).of(0)).max() - 1e-9
        one = solver.solve(target, 1, order_by=order)
        assert one.counts[0] == 1
        assert len(solver.solve(target, 20, seed_state=q, order_by=order).of(0)) == len(found)
    assert better >= 5


def test_scores_by_hand(panda):
    stretched = np.zeros((1, 7))
    middle = ((panda.lower + panda.upper) / 2)[None]
    np.testing.assert_allclose(limit_margin(panda, middle), 0.5)
    assert limit_margin(panda, panda.upper[None])[0] == 0.0
    jacobian = panda.jacobian(middle[0])
    np.testing.assert_allclose(
        manipulability(panda, middle), np.sqrt(np.linalg.det(jacobian @ jacobian.T))
    )
    assert manipulability(panda, stretched)[0] < 1e-9 + manipulability(panda, middle)[0]


def test_more_turns_are_ordered_too(ur10):
    solver = IKSolver(ur10)
    target = ur10.forward(np.array([0.5, -1.0, 1.2, -0.5, 0.7, 0.3]))
    found = solver.solve(target, 40, order_by="limit_margin").of(0)
    assert len(found) > 8
    assert (np.diff(limit_margin(ur10, found)) <= 1e-12).all()


def test_diverse_with_a_seed_state(panda, solver, rng):
    q = rng.uniform(panda.lower, panda.upper)
    target = panda.forward(q)
    near = solver.solve(target, 5, seed_state=q).of(0)
    wide = solver.solve(target, 5, seed_state=q, order_by="diverse").of(0)
    assert np.linalg.norm(wide - q, axis=1).max() > np.linalg.norm(near - q, axis=1).max()


def test_misuse(solver):
    with pytest.raises(UnknownNameError, match="unknown order 'best'; choose from: diverse, near"):
        solver.solve(np.eye(4), order_by="best")
    with pytest.raises(InvalidArgumentError, match="needs a seed_state"):
        solver.solve(np.eye(4), order_by="nearest")
    with pytest.raises(InvalidArgumentError, match="needs IKSolver"):
        solver.solve(np.eye(4), order_by="clearance")
    assert ORDERS == ("diverse", "nearest", "manipulability", "limit_margin", "clearance")
