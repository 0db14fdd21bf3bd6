"""Stay near a configuration, limit the travel of joints, and leave part of a pose free."""

import math

import numpy as np

from generative_ik_ros import IKSolver, SolveStatus, load_robot

chain = load_robot("panda")
solver = IKSolver(chain)
now = np.array([0.0, -0.5, 0.0, -2.2, 0.0, 1.8, 0.8])  # radians, as all joint positions

# A goal 5 cm further up.
goal = chain.forward(now)
goal[2, 3] += 0.05

# With a seed state, solutions are ordered by their distance from it: the first is the nearest.
nearest = solver.solve(goal, num_solutions=1, seed_state=now).of(0)[0]
print("nearest solution, largest change of a joint:", abs(nearest - now).max().round(3))

# No joint may move by more than 0.5 rad, and the first one by hardly anything.
limits = np.full(chain.num_joints, 0.5)
limits[0] = 0.1
within = solver.solve(goal, 20, seed_state=now, consistency_limits=limits)
print(within)
print("largest change of each joint:", abs(within.of(0) - now).max(axis=0).round(3))

# Only the position counts: a tolerance of inf leaves the orientation free.
anyhow = IKSolver(chain, orientation_tolerance=math.inf).solve(goal, 20)
print("orientations differ by up to", anyhow.orientation_error.max().round(2), "rad")

# A pose out of reach is a status, and the closest configuration is there all the same.
goal[0, 3] = 2.0
far = solver.solve(goal, 1, seed_state=now, timeout=0.1)
if far.status[0] is not SolveStatus.SOLVED:
    print(far.status[0], "- closest:", far.best_effort_position_error[0].round(3), "m away")
