"""Verification, distinctness, order and full turns, against answers worked out by hand."""

import re
from pathlib import Path

import numpy as np
import pytest
from real_robots import PinocchioChain
from robots import pose_gap, random_chain, random_positions

from generative_ik_ros import _core
from generative_ik_ros._core import apart
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.verify import Verifier

TURN = 2 * np.pi


@pytest.mark.parametrize("num_joints", [1, 3, 7, 12])
def test_the_verifier_measures_what_the_chain_says(num_joints):
    rng = np.random.default_rng(num_joints)
    for _ in range(10):
        _, chain = random_chain(rng, num_joints)
        q = random_positions(chain, rng, 50)
        targets = chain.forward(random_positions(chain, rng, 50))
        position, angle = Verifier(chain).errors(q, targets, np.arange(50)).T
        true_position, true_angle = pose_gap(chain.forward(q), targets)
        np.testing.assert_allclose(position, true_position, atol=1e-12)
        np.testing.assert_allclose(angle, true_angle, atol=1e-7)
        zero = Verifier(chain).errors(q, chain.forward(q), np.arange(50))
        assert zero.max() < 1e-13


def test_the_verifier_agrees_with_pinocchio():
    rng = np.random.default_rng(3)
    for num_joints in (2, 7):
        text, chain = random_chain(rng, num_joints, kinds=("revolute", "prismatic"))
        arm, q = (
            PinocchioChain(text, chain.base_link, chain.tip_link),
            random_positions(chain, rng, 20),
        )
        frames = np.array([arm.tip_in_base(chain.names, row) for row in q])
        errors = Verifier(chain).errors(q, frames, np.arange(20))
        assert errors.max() < 1e-12


def test_the_verifier_shares_nothing_with_the_local_solver():
    folder = Path(__file__).resolve().parents[2] / "core" / "src" / "verify"
    sources = {file: file.read_text() for file in sorted(folder.rglob("*.?pp"))}
    assert len(sources) > 5
    for text in sources.values():
        assert not re.search(r"local_solver|quaternion\.hpp|simd::(halfAngle|angleOf)", text)


def pool_of(num_targets, capacity, circular, distance, span=6.0):
    circular = np.array(circular)
    ones = np.ones(len(circular))
    half = 0.5 * span * ones
    _, floats, ints = _core.search_space(
        -half, half, 0.0 * ones, ones, ones, circular, circular, distance
    )
    return SolutionPool(num_targets, capacity, (floats, ints), 0.0 * ones)


def add(pool, rows, targets=None):
    rows = np.array(rows, float)
    pool.add(rows, np.zeros(len(rows), int) if targets is None else np.array(targets))


def test_the_pool_keeps_targets_apart_and_stops_when_full():
    pool = pool_of(2, 3, [False], 0.1)
    add(pool, [[k] for k in range(6)], targets=[0, 1, 0, 0, 0, 1])
    assert pool.counts.tolist() == [3, 2]
    assert pool.positions[0, :, 0].tolist() == [0, 2, 3]


@pytest.mark.parametrize("capacity", [900, 9000])
@pytest.mark.parametrize("num_joints", [1, 3, 7])
@pytest.mark.parametrize("distance", [0.02, 2.0, 10.0])
def test_the_grid_finds_what_comparing_all_with_all_finds(num_joints, distance, capacity):
    """Large pools have a grid over more joints."""
    rng = np.random.default_rng(num_joints)
    circular = rng.random(num_joints) < 0.5
    rows = rng.uniform(-8, 8, (400, num_joints))
    near = rows[rng.integers(0, 400, 400)] + rng.uniform(-1.5, 1.5, (400, num_joints)) * distance
    rows = np.concatenate([rows, near])
    rows[::3] += np.where(circular, TURN, 0.0)
    pool = pool_of(1, capacity, circular, distance)
    add(pool, rows)
    kept = []
    for row in rows:
        gap = np.abs(row - np.array(kept).reshape(-1, num_joints))
        gap = np.where(circular, np.abs(gap - TURN * np.rint(gap / TURN)), gap)
        if not (gap < distance).all(axis=1).any():
            kept.append(row)
    np.testing.assert_array_equal(pool.positions[0, : pool.counts[0]], kept)


def most_diverse_first(rows, *joints, work=_core.ORDER_WORK):
    """Return the order of so many solutions, the last argument, of one target."""
    *joints, count = joints
    return _core.diverse_ranks(rows, np.array([len(rows)]), tuple(joints), count, work)[0]


def test_most_diverse_first_counts_sliding_joints_by_their_scale():
    rows = np.array([[0.0, 0.0], [0.0, 0.2], [0.5, 0.0]])
    bounds = np.full(2, -3.0), np.full(2, 3.0)
    turning = np.array([True, False])
    assert most_diverse_first(rows, *bounds, turning, np.array([1.0, 0.1]), 2).tolist() == [0, 1]
    assert most_diverse_first(rows, *bounds, turning, np.array([1.0, 10.0]), 2).tolist() == [0, 2]


@pytest.mark.parametrize("size", [1, 2, 16, 17, 63, 64, 65, 203])
def test_each_next_one_is_the_furthest_from_those_before(size, rng):
    """As a plain loop over all of them says, whichever block of lanes they are in."""
    rows, turning = rng.uniform(-2.5, 2.5, (size, 4)), np.array([True, True, False, True])
    bounds, units = (np.full(4, -2.9), np.full(4, 2.9)), np.where(turning, 1.0, 2.0)
    order = most_diverse_first(rows, *bounds, turning, units, size)
    around = rows[:, turning]
    points = np.concatenate([np.cos(around), np.sin(around), rows[:, ~turning] / 2.0], axis=1)
    plain = [int(((2.9 - np.abs(rows)) / units).min(axis=1).argmax())]
    gaps = np.full(size, np.inf)
    for _ in range(1, size):
        gaps = np.minimum(gaps, np.linalg.norm(points - points[plain[-1]], axis=1))
        gaps[plain] = -1.0
        plain.append(int(gaps.argmax()))
    assert order.tolist() == plain


@pytest.mark.parametrize(("size", "work"), [(20_000, None), (1500, 50_000), (9, 1), (1, 0)])
def test_of_what_takes_too_long_to_compare_an_even_choice_is(size, work):
    """The first ones are still spread; the others follow as found, each once."""
    rows = np.random.default_rng(0).uniform(-1, 1, (size, 3))
    bounds = np.full(3, -1.0), np.full(3, 1.0)
    words = {} if work is None else {"work": work}
    order = most_diverse_first(rows, *bounds, np.zeros(3, bool), np.ones(3), size, **words)
    assert sorted(order.tolist()) == list(range(size))
    assert (np.diff(order[size // 2 :]) > 0).all()
    if size > 1000:
        first = rows[order[:8]]
        gaps = np.linalg.norm(first[:, None] - first, axis=-1) + 9.0 * np.eye(8)
        assert gaps.min() > 1.0


def test_the_best_that_lie_apart_and_the_local_maxima():
    """By hand: one joint in a circle, with maxima at 0.1, at 1.0 and beside the seam."""
    angles = np.array([-3.1, -2.0, 0.3, 0.1, 0.2, 0.9, 1.0, 1.1, 2.0, 3.1])
    scores = np.array([3.0, 1.0, 8.0, 9.0, 8.5, 4.0, 5.0, 4.5, 2.0, 3.5])
    given = angles[:, None], np.argsort(-scores), np.array([True])
    assert apart(*given, 0.15, 9, True).tolist() == [3, 6, 9, 8, 1]
    assert apart(*given, 0.15, 9, False).tolist() == [3, 2, 6, 9, 8, 1]
    assert apart(*given, 0.15, 2, True).tolist() == [3, 6]
