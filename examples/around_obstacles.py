"""Follow a line through a gate, and time it for a controller."""

from functools import partial
from pathlib import Path

import numpy as np

from generative_ik_ros import CollisionModel, IKSolver, Scene, load_robot, pose_matrix, time_path
from generative_ik_ros.robot.known import robot_urdf_path

chain = load_robot("panda")
urdf = robot_urdf_path("panda")
solver = IKSolver(chain, collision=CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf")))
scene = Scene.from_yaml(Path(__file__).parent / "gate.yaml")

# 150 poses from right to left, the tool pointing down.
line = np.linspace([0.5, -0.4, 0.3], [0.5, 0.4, 0.3], 150)
targets = pose_matrix(line, [1.0, 0.0, 0.0, 0.0])

plain = IKSolver(chain).solve_path(targets)
struck = solver.collides(plain.positions, scene=scene)
print(f"without checks, {struck.sum()} of {len(struck)} poses collide")

path = solver.solve_path(targets, scene=scene)
print(path)
if not path.complete:
    raise SystemExit(path.reason)

# Velocity limits are those of the URDF; between the poses the trajectory is checked as well.
collides = partial(solver.collides, scene=scene)
trajectory = time_path(path, chain, acceleration_limits=5.0, collides=collides)
print(trajectory)

# The tip at 0.1 m/s wherever the joints' limits allow it.
slow = time_path(path, chain, acceleration_limits=5.0, tip_speed=0.1, collides=collides)
print(f"at 0.1 m/s: {slow.duration:.2f} s; pose 75 after {slow.pose_times[75]:.2f} s")

# What a controller wants to know at any time.
position, velocity, acceleration = slow.at(np.arange(0.0, slow.duration, 0.01))
print(f"{len(position)} set points at 100 Hz, fastest joint {np.abs(velocity).max():.2f} rad/s")
