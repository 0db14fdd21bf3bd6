"""How many seeds are tried and when a search ends, by hand."""

import numpy as np
from robots import NONE, Z, urdf

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.effort import Effort

ONE = np.array([0])


def counts(*values):
    return np.array(values)


def test_a_search_ends_when_there_is_enough():
    effort = Effort(2, 10, joints_to_spare=False)
    both = np.arange(2)
    effort.record_round(both, 35, found=counts(20, 4), new=counts(10, 4))
    assert effort.finished(both, counts(10, 4)).tolist() == [True, False]


def test_a_search_ends_when_nothing_is_new():
    effort = Effort(1, 100, joints_to_spare=False)
    effort.record_round(ONE, 350, found=counts(170), new=counts(8))
    assert not effort.finished(ONE, counts(8))[0]
    effort.record_round(ONE, 64, found=counts(32), new=counts(0))
    assert not effort.finished(ONE, counts(8))[0]  # 32 finds prove nothing yet
    effort.record_round(ONE, 64, found=counts(32), new=counts(0))
    assert effort.finished(ONE, counts(8))[0]


def test_a_search_without_any_solution_is_given_up():
    effort = Effort(1, 1, joints_to_spare=False)
    for _ in range(2):
        assert not effort.finished(ONE, counts(0))[0]
        effort.record_round(ONE, 1024, found=counts(0), new=counts(0))
    assert effort.finished(ONE, counts(0))[0]


def test_rounds_grow_with_what_is_missing_and_shrink_with_what_is_left_to_find():
    effort = Effort(1, 100, joints_to_spare=False)
    assert effort.next_round(ONE, counts(0)) == effort.first_round() == 350
    effort.record_round(ONE, 350, found=counts(175), new=counts(88))
    # 12 are missing, half of all finds are new, half of all seeds find something
    assert 40 <= effort.next_round(ONE, counts(88)) <= 80
    effort.record_round(ONE, 350, found=counts(175), new=counts(2))
    assert 100 <= effort.next_round(ONE, counts(90)) <= 150


def test_walking_goes_on_while_it_pays_and_begins_anew_with_something_new():
    effort = Effort(1, 100, joints_to_spare=True)
    assert effort.walkers(ONE, counts(0)).tolist() == []
    effort.record_round(ONE, 200, found=counts(100), new=counts(60))
    assert effort.walkers(ONE, counts(60)).tolist() == [0]
    assert effort.next_walk(counts(60)) == 76
    effort.record_walk(ONE, 76, new=counts(0))
    assert effort.walkers(ONE, counts(60)).tolist() == []
    effort.record_round(ONE, 64, found=counts(64), new=counts(1))
    assert effort.walkers(ONE, counts(61)).tolist() == [0]
    effort.record_walk(ONE, 76, new=counts(0))
    effort.record_round(ONE, 64, found=counts(64), new=counts(0))
    assert effort.finished(ONE, counts(61))[0]


def test_chains_without_joints_to_spare_never_walk():
    effort = Effort(1, 100, joints_to_spare=False)
    effort.record_round(ONE, 350, found=counts(170), new=counts(90))
    assert effort.walkers(ONE, counts(90)).tolist() == []


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


def test_the_first_round_is_what_the_sampler_says_of_its_seeds():
    told = Effort(1, 100, joints_to_spare=True, seeds_per_solution=1.3)
    guessed = Effort(1, 100, joints_to_spare=True)
    assert (told.first_round(), guessed.first_round()) == (130, 200)
