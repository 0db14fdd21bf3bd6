"""Retarget a person's hand to a robot's: key points of fingertips, 60 a second, to joints."""

import time
from pathlib import Path

import numpy as np

from generative_ik_ros import IKSolver, KinematicTree, TaskSpaceRegion

PERIOD, SIZE = 1.0 / 60.0, 1.5  # the robot's hand is so much larger
hand = KinematicTree.from_urdf(
    Path(__file__).parent / "four_fingers.urdf",
    tip_links=("thumb_tip", "index_tip", "middle_tip", "ring_tip"),
)

# Only where the tips are matters. What that leaves open stays near the middle of the joints'
# ranges: without a posture, fingers would drift to their limits and stay behind there.
rest = (hand.lower + hand.upper) / 2.0
tracker = IKSolver(hand).track(
    rest, PERIOD, acceleration_limits=500.0, posture=rest,
    region=[TaskSpaceRegion.position_only()] * hand.num_tips,
)  # fmt: skip


def finger(knuckle: list[float], bones: list[float], bend: float, side: float) -> np.ndarray:
    """Where the tip of a person's finger is in the hand: z along fingers, x out of the palm."""
    angles = bend * np.array([1.0, 2.1, 2.8])  # of the three bones
    out, along = bones @ np.sin(angles), bones @ np.cos(angles)
    return knuckle + np.array([out, -along * np.sin(side), along * np.cos(side)])


def key_points(t: float, rng: np.random.Generator) -> np.ndarray:
    """A hand that closes finger by finger and spreads, seen with a noise of 0.3 mm."""
    bend = 0.45 + 0.4 * np.sin(2.0 * t - np.array([0.0, 0.5, 1.0]))
    side = 0.12 * np.sin(1.3 * t) * np.array([-1.0, 0.0, 1.0])
    bones = np.array([[0.044, 0.026, 0.02], [0.048, 0.03, 0.021], [0.044, 0.028, 0.021]])
    tips = [finger([0.0, 0.03 - 0.03 * k, 0.063], bones[k], bend[k], side[k]) for k in range(3)]
    thumb = np.array([0.07, 0.07, 0.035]) + np.sin(2.0 * t) * np.array([0.012, -0.025, -0.025])
    return np.array([thumb, *tips]) + 0.0003 * rng.normal(size=(4, 3))


rng, targets = np.random.default_rng(0), np.tile(np.eye(4), (4, 1, 1))
errors, steps, times = [], [], []
for t in np.arange(0.0, 10.0, PERIOD):
    targets[:, :3, 3] = SIZE * key_points(t, rng)
    began = time.perf_counter()
    step = tracker.step(targets)
    times.append(time.perf_counter() - began)
    tips = hand.forward(step.positions)
    errors.append(np.linalg.norm(tips[:, :3, 3] - targets[:, :3, 3], axis=1))
    steps.append(step)  # here a hand would be sent step.positions

errors = np.array(errors[30:])  # the fingers have half a second to come from rest
speed = max(np.abs(one.velocities / tracker.velocity_limits).max() for one in steps)
print(f"median frame {1e6 * np.median(times):.0f} us")
print(f"tips on their key points at {(errors < 1e-5).mean():.0%},",
      f"else at most {1e3 * errors.max():.1f} mm away")  # fmt: skip
print(f"largest velocity {speed:.2f} of the limits")
