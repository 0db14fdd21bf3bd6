"""A person's motion to a humanoid: key points of head, hands and feet, 60 a second, to joints.

usage: python human_motion.py [URDF HEAD LEFT_HAND RIGHT_HAND LEFT_FOOT RIGHT_FOOT]    (its links)
"""

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from walking_person import HEIGHT, POINTS, key_points

from generative_ik_ros import IKSolver, KinematicTree, TaskSpaceRegion

PERIOD = 1.0 / 60.0
urdf, *links = sys.argv[1:] or (Path(__file__).parent / "small_humanoid.urdf", *POINTS)
room = [-1.0, -1.0, 0.0, -0.5, -0.5, -0.5], [9.0, 1.0, 2.0, 0.5, 0.5, 0.5]
tree = KinematicTree.from_urdf(urdf, tip_links=links, floating_base=room)

# All lengths by the robot's size, a little less for its other proportions; at rest it stands.
rest = np.clip(0.0, tree.lower, tree.upper)
heights = tree.forward(rest)[:, 2, 3]
scale = 0.95 * (heights[0] - heights[3:].mean()) / HEIGHT
frames = np.tile(np.eye(4), (360, len(links), 1, 1))
frames[:, :, :3, 3] = [scale * key_points(PERIOD * k) for k in range(len(frames))]
region = [TaskSpaceRegion.position_only()] * 3 + [TaskSpaceRegion.exact()] * 2  # feet stay level

# It begins as near to rest as it can; x y z of the base, variables 0 to 2, go with the person.
solver = IKSolver(tree, "postures")
natural = {"order_by": lambda q: -np.square(q - rest)[:, 3:].sum(axis=1), "optimize": True}
start = solver.solve(frames[0], 1, region=region, **natural).of(0)[0]
tracker = solver.track(start, PERIOD, region=region, velocity_limits=9.0,
                       acceleration_limits=300.0)  # fmt: skip
joints, alone, times, gaps = [], [], [], []
for frame in frames:
    began = time.perf_counter()
    tracker.set_posture(np.r_[tracker.last.positions[:3], rest[3:]])
    step = tracker.step(frame)
    times.append(1e3 * (time.perf_counter() - began))
    joints.append(step.positions)  # here a robot would be sent these
    single = solver.solve(frame, 1, region=region)  # what a search makes of the frame alone
    alone.append(single.best_effort[0])
    gaps.append([1e3 * step.position_error, 1e3 * single.best_effort_position_error[0]])
flips = [(np.abs(np.diff(q, axis=0))[:, 6:].max(axis=1) > 0.5).sum() for q in (joints, alone)]
print(f"a frame takes {np.median(times):.2f} ms, 99 % of them {np.percentile(times, 99):.2f} ms")
gap, best = np.max(gaps[30:], axis=0)  # it begins at rest
print(f"a point is at most {gap:.2f} mm away, where {best:.2f} mm is possible")
print(f"flips: {flips[0]}; with each frame solved alone: {flips[1]}")

figure = Figure(figsize=(10, 3), layout="constrained")
axis = figure.add_subplot(aspect="equal")
for k in range(0, len(frames), 40):
    places = tree.joint_frames(joints[k][None])[0, :, :3, 3]
    for bone in zip(places[6:-1], places[tree.joint_parent[6:]], strict=True):
        axis.plot(*np.transpose(bone)[[0, 2]], "k", linewidth=1.0)
    axis.plot(*frames[k, :, [0, 2], 3], "o", markersize=3)
figure.savefig("human_motion.png", dpi=120)
