"""Other branches of a target: how trackers get there, and when they are of use."""

import numpy as np
from courses import configuration
from robots import pose_gap
from scipy.optimize import minimize

from generative_ik_ros import IKSolver, TrackingStatus, load_robot

PERIOD = 0.001


def test_next_branch_goes_through_the_branches(ur10):
    start = configuration(ur10, 0.45)
    target = ur10.forward(start)
    tracker = IKSolver(ur10).track(start, PERIOD)
    assert not tracker.next_branch()
    ends = [tracker.step(target).positions]
    for _ in range(3):
        assert tracker.next_branch()
        steps = [tracker.step(target) for _ in range(8000)]
        assert steps[0].status == TrackingStatus.JUMPED
        assert steps[-1].status == TrackingStatus.TRACKING
        assert all(np.abs(steps[-1].positions - end).max() > 0.3 for end in ends)
        ends.append(steps[-1].positions)


def test_a_local_minimum_at_a_joint_limit_is_left_by_next_branch():
    """A target that another configuration reaches, and no way downhill: docs/tracking.md."""
    panda, rng, held = load_robot("panda"), np.random.default_rng(2), 0
    limits, solver = (panda.lower + 0.1, panda.upper - 0.1), IKSolver(panda)
    bounds = list(zip(panda.lower, panda.upper, strict=True))
    for _ in range(60):
        start = rng.uniform(*limits)
        target = panda.forward(np.clip(start + rng.uniform(-1.5, 1.5, 7), *limits))
        tracker = solver.track(start, 0.01, acceleration_limits=8.0)
        steps = [tracker.step(target) for _ in range(500)]
        if steps[-1].status == TrackingStatus.TRACKING:
            continue
        held += 1
        here = steps[-1].positions
        assert (steps[-1].status, steps[-1].reason) == (TrackingStatus.HELD, "joint_limits")

        def missed(q, target=target):
            tip = panda.forward(q)
            distance = (tip - target)[:3, 3] / panda.characteristic_length
            return distance @ distance + pose_gap(tip, target)[1] ** 2

        best = minimize(missed, here, bounds=bounds, method="L-BFGS-B")
        assert missed(here) < 1.02 * best.fun
        assert tracker.next_branch()
        assert [tracker.step(target) for _ in range(500)][-1].status == TrackingStatus.TRACKING
    assert held >= 3


def test_next_branch_is_for_the_last_target_whatever_its_array_holds_since(ur10):
    start = configuration(ur10, 0.45)
    target = ur10.forward(start)
    tracker = IKSolver(ur10).track(start, PERIOD)
    tracker.step(target)
    target[:3, 3] = 9.0  # such as the next one, in the same array
    assert tracker.next_branch()
