"""Runs of trackers, each step of which is held against the limits."""

import numpy as np
from robots import pose_gap

ROUNDING = 1e-15
"""Of positions of some radians or metres."""


def configuration(chain, share=0.4):
    """A configuration inside the limits (n,)."""
    lower = np.where(chain.continuous, -1.0, chain.lower)
    upper = np.where(chain.continuous, 1.0, chain.upper)
    return lower + share * (upper - lower)


def follow(tracker, targets, start):
    """Return the steps towards targets, from a configuration (n,) at rest; checks all limits."""
    before, velocity, steps = np.array(start, float), np.zeros(len(start)), []
    chain, period = tracker.chain, tracker.period
    lower, upper = np.minimum(chain.lower, before), np.maximum(chain.upper, before)
    for target in targets:
        step = tracker.brake() if target is None else tracker.step(target)
        rounding = ROUNDING * np.maximum(np.abs(step.positions), 1.0) / period
        assert np.isfinite(step.positions).all()
        assert (step.positions >= lower).all() and (step.positions <= upper).all()
        moved = (step.positions - before) / period
        assert (np.abs(moved) <= tracker.velocity_limits + rounding).all()
        assert (np.abs(moved - step.velocities) <= rounding).all()
        changes = np.abs(step.velocities - velocity)
        assert (changes <= tracker.acceleration_limits * period).all()
        steps.append(step)
        before, velocity = step.positions, step.velocities
    return steps


def errors(chain, steps, targets):
    """Distance [m] and angle [rad] of the tip from each target, by the chain's kinematics."""
    return pose_gap(chain.forward(np.array([step.positions for step in steps])), np.array(targets))
