"""Follow a hand at 500 Hz within the limits of all joints, and plot what the arm does."""

import time

import matplotlib
import numpy as np

from generative_ik_ros import Clutch, IKSolver, PoseFilter, load_robot, pose_matrix

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

PERIOD, DOWN = 0.002, [1.0, 0.0, 0.0, 0.0]
chain = load_robot("panda")
start = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])
tracker = IKSolver(chain).track(start, PERIOD, acceleration_limits=10.0)
clutch, smooth, rng = Clutch(scale=2.0), PoseFilter(PERIOD, cutoff=4.0), np.random.default_rng(0)


def hand(t: float) -> np.ndarray:
    """A hand draws eights, with a tremor, and reaches far out after 8 s; seen at 60 Hz."""
    t = np.floor(60.0 * t) / 60.0
    eight = 0.05 * np.array([np.sin(2.0 * t), np.sin(4.0 * t), 0.0])
    far = 0.5 * np.clip(t - 8.0, 0.0, 1.0) * np.clip(12.0 - t, 0.0, 1.0)
    return pose_matrix(eight + [far, 0.0, 0.0] + 0.0003 * rng.normal(size=3), DOWN)


steps, times = [], []
for t in np.arange(0.0, 14.0, PERIOD):
    began = time.perf_counter()
    tip = chain.forward(tracker.last.positions)
    target = clutch.step(hand(t), bool(t < 13.0), tip)  # released after 13 s
    step = tracker.brake() if target is None else tracker.step(smooth.step(target))
    times.append(time.perf_counter() - began)
    steps.append(step)  # here a robot would be sent step.positions

seconds = PERIOD * np.arange(len(steps))
positions, velocities = (np.array([getattr(one, name) for one in steps]) for name in
                         ("positions", "velocities"))  # fmt: skip
accelerations = np.diff(velocities, axis=0, prepend=0.0) / PERIOD
share = np.abs(velocities / tracker.velocity_limits).max()
share_a = np.abs(accelerations / tracker.acceleration_limits).max()
held = np.array([one.reason == "unreachable" for one in steps])
print(f"median step {1e6 * np.median(times):.0f} us; out of reach for {PERIOD * held.sum():.1f} s")
print(f"largest velocity {share:.2f} and acceleration {share_a:.2f} of their limits")
print("on the target at", f"{np.mean([str(one.status) == 'TRACKING' for one in steps]):.0%}",
      "of the steps; at the end", "at rest" if not velocities[-1].any() else "moving")  # fmt: skip

figure, axes = plt.subplots(3, 1, figsize=(8, 8), sharex=True, layout="constrained")
errors = [1e3 * one.position_error for one in steps]
labels = ("joints [rad]", "velocities [rad/s]", "distance from the target [mm]")
for axis, values, label in zip(axes, (positions, velocities, errors), labels, strict=True):
    axis.plot(seconds, values, linewidth=1.0)
    axis.set_ylabel(label)
axes[2].set(xlabel="time [s]", yscale="symlog")
figure.savefig("track_target.png", dpi=120)
print("wrote track_target.png")
