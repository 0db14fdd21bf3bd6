"""A palletizer: closed loops of links beside a URDF, solved like any other robot."""

from pathlib import Path

import numpy as np

from generative_ik_ros import IKSolver, KinematicTree, pose_matrix

here = Path(__file__).parent
arm = KinematicTree.from_urdf(
    here / "palletizer.urdf", "base", ["tool"], loops=here / "palletizer.yaml"
)
print(f"{arm.num_joints} joints, of which {arm.mobility} can be chosen")

# All parallelograms keep the hand level, so these four numbers are a whole pose.
x, y, z, yaw = 0.8, 0.3, 0.4, 0.5
level = pose_matrix([x, y, z], [0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)])
found = IKSolver(arm).solve(level, 1)
solution = found.of(0)[0]
motors = ["turn", "shoulder", "crank", "flange"]
for name in motors:
    print(f"  {name}: {solution[arm.names.index(name)]:.4f} rad")

# The loops of a solution are closed to the solver's tolerances, 1e-5 m and 1e-5 rad.
distances, angles = arm.closure_errors(solution)
print("closed to 1e-5:", bool(distances.max() <= 1e-5 and angles.max() <= 1e-5))

# Forward kinematics from the motors alone: the other joints follow.
start = np.zeros(arm.num_joints)
for name, position in zip(motors, (0.3, 0.2, -0.1, 0.0), strict=True):
    start[arm.names.index(name)] = position
closed = arm.close(start, hold=motors)
print("tool at", arm.forward(closed)[0, :3, 3].round(3))

# A pose that is not level has no solution.
tilted = level @ pose_matrix([0.0, 0.0, 0.0], [np.sin(0.1), 0.0, 0.0, np.cos(0.1)])
print("tilted:", IKSolver(arm).solve(tilted, 1).status[0])
