"""Which seeds a target gets and when its search ends, by hand."""

import numpy as np
import pytest
from robots import NONE, Z, urdf

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.search.policy import (
    ALL_OF_THEM,
    GIVE_UP,
    bounded,
    choose_seed,
    count_seed,
    next_batch,
    persistence_of,
)
from generative_ik_ros.search.records import TARGET, SeedKind, StoppingCriteria

RESTART, NULL_SPACE = SeedKind.RESTART, SeedKind.NULL_SPACE
TOWARDS_SEED_STATE = SeedKind.TOWARDS_SEED_STATE


class Target:
    """One target's search, without any geometry: the test says what became of each seed."""

    def __init__(
        self, wanted, *, first=None, redundant=False, min_restarts=0, batch=32,
        persistence=ALL_OF_THEM, traced=False,
    ):  # fmt: skip
        first = wanted if first is None else first
        self.criteria = StoppingCriteria(
            wanted, first, min_restarts, redundant, *persistence, traced
        )
        self.record = np.zeros(1, TARGET)[0]
        self.record["restarts_left"] = batch
        self.count = 0

    def next(self, given=0, endless=True):
        return choose_seed(self.record, self.criteria, self.count, given, endless)

    def over(self, kind, converged=True, new=False, collides=False):
        self.count += new
        self.record["usable"] += new and not collides
        self.record["free"] += new and not collides
        count_seed(self.record, self.criteria, self.count, kind.value, converged, new)

    def restarts(self, finds, new=0, misses=0):
        for k in range(finds):
            self.over(RESTART, converged=True, new=k < new)
        for _ in range(misses):
            self.over(RESTART, converged=False)

    @property
    def closed(self):
        return bool(self.record["closed"])


def test_a_search_ends_the_moment_there_is_enough():
    target = Target(10)
    target.restarts(finds=9, new=9)
    assert not target.closed
    target.restarts(finds=1, new=1)
    assert target.closed


def test_solutions_that_collide_are_not_enough():
    target = Target(2)
    for collides in (True, True, False, True):
        target.over(RESTART, new=True, collides=collides)
    assert not target.closed
    target.over(RESTART, new=True)
    assert target.closed


def test_a_search_ends_when_nothing_is_new():
    target = Target(100)
    target.restarts(finds=64, new=8)
    target.restarts(finds=63)
    assert not target.closed  # 63 finds prove nothing yet
    target.restarts(finds=1)
    assert target.closed


def test_a_search_without_any_solution_is_given_up():
    target = Target(1)
    target.restarts(finds=0, misses=GIVE_UP - 1)
    assert not target.closed
    target.restarts(finds=0, misses=1)
    assert target.closed


@pytest.mark.parametrize(
    ("closest", "restarts"),
    [(1.0, 60), (0.2, 70), (0.1, 140), (0.03, 467), (0.01, 512), (0.001, GIVE_UP)],
)
def test_the_closer_restarts_come_the_longer_a_search_goes_on(closest, restarts):
    target = Target(1, persistence=persistence_of(7))
    target.record["closest_error"] = closest**2
    target.restarts(finds=0, misses=restarts - 1)
    assert not target.closed
    target.restarts(finds=0, misses=1)
    assert target.closed


def test_restarts_around_a_seed_state_do_not_count_towards_giving_up():
    target = Target(1, min_restarts=300, persistence=persistence_of(7))
    target.record["closest_error"] = 1.0
    target.restarts(finds=0, misses=359)
    assert not target.closed
    target.restarts(finds=0, misses=1)
    assert target.closed


def test_longer_chains_are_searched_longer():
    errors, most = zip(*(persistence_of(n) for n in (1, 7, 8, 9, 40)), strict=True)
    assert list(errors) == sorted(errors) and list(most) == sorted(most)
    assert most[-1] == GIVE_UP


def test_restarts_first_then_a_round_of_null_space_steps_then_restarts():
    target = Target(100, redundant=True, batch=20)
    assert [target.next() for _ in range(20)] == [RESTART] * 20
    target.restarts(finds=10, new=10, misses=10)
    size = bounded(1.5 * 90 + 16)
    assert [target.next() for _ in range(size + 1)] == [NULL_SPACE] * size + [RESTART]


def test_a_round_that_finds_little_is_not_repeated_before_something_new_turns_up():
    target = Target(100, redundant=True, batch=16)
    for _ in range(16):
        target.next()
    target.restarts(finds=16, new=16)
    size = 0
    while target.next() == NULL_SPACE:
        size += 1
    for k in range(size):
        target.over(NULL_SPACE, new=k < 0.04 * size)
    assert not target.record["null_space_pays"]
    assert all(target.next() == RESTART for _ in range(200))
    target.restarts(finds=1, new=1)
    assert target.record["null_space_pays"]


def test_a_search_goes_on_while_null_space_steps_are_under_way():
    target = Target(100, redundant=True, batch=16)
    for _ in range(17):
        kind = target.next()
    assert kind == RESTART  # nothing was found, nothing to step along
    target.restarts(finds=16, new=16)
    while target.next() != NULL_SPACE:
        pass
    target.restarts(finds=48)
    target.restarts(finds=64)
    assert not target.closed
    while target.next() == NULL_SPACE:
        pass
    for _ in range(200):
        target.over(NULL_SPACE)
    target.restarts(finds=64)
    assert target.closed


def test_chains_that_are_not_redundant_take_no_null_space_steps():
    target = Target(100)
    target.restarts(finds=60, new=60)
    assert all(target.next() == RESTART for _ in range(500))


def test_seeds_that_are_not_there_are_asked_for():
    target = Target(100)
    kinds = [target.next(given=3, endless=False) for _ in range(4)]
    assert kinds == [RESTART] * 3 + [SeedKind.NONE_LEFT]
    assert target.next(given=4, endless=False) == RESTART


def test_around_a_seed_state_all_first_seeds_are_tried_and_then_the_nearest_is_refined():
    target = Target(1, redundant=True, min_restarts=16)
    target.record["near"] = True
    target.restarts(finds=15, new=1)
    assert not target.closed
    target.restarts(finds=1)
    assert not target.closed
    kinds = [target.next() for _ in range(25)]
    assert kinds == [TOWARDS_SEED_STATE] * 24 + [SeedKind.NONE_NEEDED]
    for _ in range(24):
        assert not target.closed
        target.over(TOWARDS_SEED_STATE)
    assert target.closed
    rigid = Target(1, min_restarts=16)
    rigid.restarts(finds=16, new=1)
    assert not rigid.closed  # nothing near the seed state was found yet
    rigid.restarts(finds=80)
    assert rigid.closed  # single solutions have no nearer ones beside them


@pytest.mark.parametrize(("converged", "batch"), [(0, 1024), (10, 320), (100, 32), (50, 64)])
def test_a_batch_is_as_large_as_an_estimate_needs(converged, batch):
    assert next_batch(100, converged) == batch


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


def test_where_half_of_what_is_found_is_known_those_asked_for_are_enough():
    sparse, dense = (Target(25, first=10) for _ in range(2))
    sparse.restarts(finds=12, new=12)
    assert not sparse.closed
    dense.restarts(finds=20, new=9)
    assert not dense.closed
    dense.restarts(finds=1, new=1)
    assert dense.closed


def test_where_curves_are_traced_steps_that_wait_come_first():
    target = Target(30, first=10, redundant=True, traced=True)
    target.record["queue_end"] = 1
    assert target.next() == NULL_SPACE
    target.record["queue_begin"] = 1
    assert target.next() == RESTART


def test_a_search_ends_when_all_curves_are_traced_but_not_below_what_is_wanted():
    target = Target(30, first=10, redundant=True, traced=True)
    target.record["traced_all"] = True
    target.restarts(finds=9, new=9)
    assert not target.closed
    target.record["queue_end"] = 1
    target.restarts(finds=1, new=1)
    assert not target.closed  # a step waits
    target.record["queue_begin"] = 1
    target.restarts(finds=1)
    assert target.closed


def test_curves_without_end_are_traced_up_to_a_number_of_seeds():
    target = Target(30, first=10, redundant=True, traced=True)
    target.restarts(finds=59, new=11)
    assert not target.closed
    target.restarts(finds=1)
    assert target.closed


def test_curves_whose_solutions_are_mostly_undecided_come_to_an_end():
    target = Target(30, first=10, redundant=True, traced=True)
    target.restarts(finds=12, new=12)
    target.record["free"] = 0
    target.restarts(finds=51)
    assert not target.closed
    target.restarts(finds=65)
    assert target.closed
