"""Which seeds a target gets and when its search ends, by hand."""

import numpy as np
import pytest
from robots import NONE, Z, urdf

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.search.policy import GIVE_UP, bounded, choose, next_batch, record
from generative_ik_ros.search.state import (
    CLOSED,
    CONVERGED,
    DRAW,
    NO_SEEDS,
    NOTHING,
    NUM_COUNTERS,
    SCOUT,
    SCOUT_DONE,
    SCOUT_LEFT,
    WALK,
    WALKS,
    Wish,
)


class Target:
    """One target's search, without any geometry: the test says what became of each seed."""

    def __init__(self, wanted, *, spare=False, least=0, batch=32):
        self.wish = Wish(wanted, least, spare)
        self.counters = np.zeros((1, NUM_COUNTERS), np.int64)
        self.counters[0, SCOUT_LEFT] = batch
        self.count = 0

    def next(self, given=0, endless=True):
        return choose(self.counters, 0, self.wish, self.count, given, endless)

    def over(self, kind, done=True, new=False):
        self.count += new
        record(self.counters, 0, self.wish, self.count, kind, done, new)

    def scouts(self, finds, new=0, misses=0):
        for k in range(finds):
            self.over(SCOUT, done=True, new=k < new)
        for _ in range(misses):
            self.over(SCOUT, done=False)

    @property
    def closed(self):
        return bool(self.counters[0, CLOSED])


def test_a_search_ends_the_moment_there_is_enough():
    target = Target(10)
    target.scouts(finds=9, new=9)
    assert not target.closed
    target.scouts(finds=1, new=1)
    assert target.closed


def test_a_search_ends_when_nothing_is_new():
    target = Target(100)
    target.scouts(finds=64, new=8)
    target.scouts(finds=63)
    assert not target.closed  # 63 finds prove nothing yet
    target.scouts(finds=1)
    assert target.closed


def test_a_search_without_any_solution_is_given_up():
    target = Target(1)
    target.scouts(finds=0, misses=GIVE_UP - 1)
    assert not target.closed
    target.scouts(finds=0, misses=1)
    assert target.closed


def test_scouts_first_then_a_walk_then_scouts():
    target = Target(100, spare=True, batch=20)
    assert [target.next() for _ in range(20)] == [SCOUT] * 20
    target.scouts(finds=10, new=10, misses=10)
    walk = bounded(1.5 * 90 + 16)
    assert [target.next() for _ in range(walk + 1)] == [WALK] * walk + [SCOUT]


def test_a_walk_that_finds_little_is_not_repeated_before_something_new_turns_up():
    target = Target(100, spare=True, batch=16)
    for _ in range(16):
        target.next()
    target.scouts(finds=16, new=16)
    quota = 0
    while target.next() == WALK:
        quota += 1
    for k in range(quota):
        target.over(WALK, new=k < 0.04 * quota)
    assert not target.counters[0, WALKS]
    assert all(target.next() == SCOUT for _ in range(200))
    target.scouts(finds=1, new=1)
    assert target.counters[0, WALKS]


def test_a_search_goes_on_while_a_walk_is_under_way():
    target = Target(100, spare=True, batch=16)
    for _ in range(17):
        kind = target.next()
    assert kind == SCOUT  # nothing was found, nothing to walk along
    target.scouts(finds=16, new=16)
    while target.next() != WALK:
        pass
    target.scouts(finds=48)
    target.scouts(finds=64)
    assert not target.closed
    while target.next() == WALK:
        pass
    for _ in range(200):
        target.over(WALK)
    target.scouts(finds=64)
    assert target.closed


def test_chains_without_joints_to_spare_never_walk():
    target = Target(100)
    target.scouts(finds=60, new=60)
    assert all(target.next() == SCOUT for _ in range(500))


def test_seeds_that_are_not_there_are_asked_for():
    target = Target(100)
    assert [target.next(given=3, endless=False) for _ in range(4)] == [SCOUT] * 3 + [NO_SEEDS]
    assert target.next(given=4, endless=False) == SCOUT


def test_about_a_seed_state_all_first_seeds_are_tried_and_then_the_nearest_is_drawn_nearer():
    target = Target(1, spare=True, least=16)
    target.scouts(finds=15, new=1)
    assert not target.closed
    target.scouts(finds=1)
    assert not target.closed
    kinds = [target.next() for _ in range(25)]
    assert kinds == [DRAW] * 24 + [NOTHING]
    for _ in range(24):
        assert not target.closed
        target.over(DRAW)
    assert target.closed
    rigid = Target(1, least=16)
    rigid.scouts(finds=16, new=1)
    assert rigid.closed  # single solutions have no nearer ones beside them


@pytest.mark.parametrize(("converged", "batch"), [(0, 1024), (10, 320), (100, 32), (50, 64)])
def test_a_batch_is_as_large_as_it_takes_to_judge_by(converged, batch):
    counters = np.zeros((1, NUM_COUNTERS), np.int64)
    counters[0, SCOUT_DONE], counters[0, CONVERGED] = 100, converged
    assert next_batch(counters, 0) == batch


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
