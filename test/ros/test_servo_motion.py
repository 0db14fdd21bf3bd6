"""A motion that targets drive, without the node around it."""

import numpy as np

from generative_ik_ros import IKSolver
from generative_ik_ros.ros.servo_motion import Aim, Motion

START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])


def test_the_arm_brakes_while_numbers_are_too_large_to_follow(panda):
    """A message may have any number; joints neither stop dead nor stay behind for good."""
    limit, period = 8.0, 0.002
    tracker = IKSolver(panda).track(START, period, acceleration_limits=limit)
    motion = Motion(tracker, 50.0)
    steady, most = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0]), np.full(6, 1.7e308)
    steps = [motion.follow(Aim(0.0, twist=steady)) for _ in range(200)]
    assert np.abs(steps[-1].velocities).max() > 0.05
    for sign in (1.0, -1.0) * 100:
        steps.append(motion.follow(Aim(0.0, twist=sign * most)))
    assert motion.at_rest
    far = panda.forward(START)
    far[:3, 3] = 1.7e308, -1.7e308, 0.0
    steps.append(motion.follow(Aim(0.0, pose_in_base=far)))
    steps += [motion.follow(Aim(0.0, twist=steady)) for _ in range(200)]
    assert np.abs(steps[-1].velocities).max() > 0.05
    velocities = np.array([step.velocities for step in steps])
    assert np.abs(np.diff(velocities, axis=0)).max() <= limit * period * (1.0 + 1e-9)
