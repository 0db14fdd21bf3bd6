"""Key points of a hand that opens and closes its fingers, frame by frame."""

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.kinematic_tree import KinematicTree

OWN, LARGER = "its own", "5 % larger, noise"
COURSES = {OWN: (1.0, 0.0), LARGER: (1.05, 5e-4)}
"""Size of the hand that is seen, over the robot's, and noise of each key point [m]."""
_SWING, _RATES = 0.35, (0.15, 0.5)


def finger_motion(tree: KinematicTree, times: Floats, seed: int) -> Floats:
    """Return configurations (N, n) at times (N,) [s]: each joint swings about its middle.

    It takes up to 70 % of its range, at 0.15 to 0.5 Hz.
    """
    rng, n = np.random.default_rng(seed), tree.num_joints
    rates, phases = rng.uniform(*_RATES, n), rng.uniform(0.0, 2.0 * np.pi, n)
    middle, room = (tree.lower + tree.upper) / 2.0, tree.upper - tree.lower
    return middle + _SWING * room * np.sin(2.0 * np.pi * rates * times[:, None] + phases)


def key_points(tips_in_base: Floats, course: str, seed: int) -> Floats:
    """Return what is seen of fingertips (N, K, 4, 4): poses whose rotations do not matter."""
    size, noise = COURSES[course]
    seen = np.tile(np.eye(4), (*tips_in_base.shape[:2], 1, 1))
    places = size * tips_in_base[..., :3, 3]
    seen[..., :3, 3] = places + noise * np.random.default_rng(seed).normal(size=places.shape)
    return seen
