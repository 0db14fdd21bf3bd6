"""Follow a straight line with the tip, without a jump of any joint."""

import numpy as np

from generative_ik_ros import IKSolver, load_robot, pose_matrix, time_path

chain = load_robot("ur10")
solver = IKSolver(chain)

# 200 poses from left to right, the tool pointing down.
count = 200
positions = np.linspace([0.6, -0.5, 0.4], [0.6, 0.5, 0.4], count)
targets = pose_matrix(positions, [1.0, 0.0, 0.0, 0.0])

path = solver.solve_path(targets, max_step=0.1)
print(path)
if not path.complete:
    raise SystemExit(f"no continuous path beyond pose {path.num_reached}")

# How fast may the line be travelled? Joints may accelerate by 2 rad/s^2.
trajectory = time_path(path, chain, acceleration_limits=2.0)
busiest = np.abs(np.diff(path.positions, axis=0)).sum(axis=0).argmax()
print(f"{np.ptp(positions[:, 1]):.1f} m in {trajectory.duration:.2f} s; "
      f"busiest joint: {chain.joint_names[int(busiest)]}")  # fmt: skip

# From where the arm is now: the first pose must be within one step.
again = solver.solve_path(targets, seed_state=path.positions[0], max_step=0.1)
print("from a seed state:", "complete" if again.complete else f"{again.num_reached} poses")
