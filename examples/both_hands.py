"""Two arms that carry a tray: goals of several tips, regions, and a hand relative to the other."""

from pathlib import Path

import numpy as np

from generative_ik_ros import IKSolver, KinematicTree, TaskSpaceRegion, pose_matrix

urdf = Path(__file__).parent / "two_arms.urdf"  # a waist and two arms of six joints
hands = ("left_hand", "right_hand")
upright = [0.0, 0.0, 0.0, 1.0]

# Each hand at a pose of its own: targets are (2, 4, 4), or (B, 2, 4, 4) for a batch.
tree = KinematicTree.from_urdf(urdf, tip_links=hands)
solver = IKSolver(tree)
sides = np.stack([pose_matrix([0.5, 0.25, 1.1], upright), pose_matrix([0.5, -0.25, 1.1], upright)])
found = solver.solve(sides, num_solutions=20)
print(found)

# The tray is held: the right hand stays where it is in the left one, which may be anywhere in a
# band in front of the robot and turn about the upright axis.
tray = IKSolver(KinematicTree.from_urdf(
    urdf, tip_links=hands, reference_links={"right_hand": "left_hand"}
))  # fmt: skip
held = np.stack([pose_matrix([0.5, 0.25, 1.1], upright), pose_matrix([0, -0.5, 0], upright)])
band = TaskSpaceRegion([-0.1, -0.2, -0.2, 0, 0, -np.pi], [0.1, 0.2, 0.2, 0, 0, np.pi])
found = tray.solve(held, num_solutions=200, region={"left_hand": band})
left, right_in_left = tray.chain.forward(found.of(0)).swapaxes(0, 1)
print(f"{found.counts[0]} ways to hold the tray, from y = {left[:, 1, 3].min():.2f} "
      f"to {left[:, 1, 3].max():.2f} m")  # fmt: skip
print(f"upright to {np.abs(left[:, 2, 2] - 1.0).max():.0e}, "
      f"hands apart by {np.linalg.norm(right_in_left[:, :3, 3], axis=1).max():.6f} m")  # fmt: skip

# A tool that may turn about its axis, on one arm alone: the other arm's joints are no variables.
drill = IKSolver(KinematicTree.from_urdf(urdf, tip_links=hands[:1]))
found = drill.solve(sides[:1], num_solutions=100, region=TaskSpaceRegion.free_axis("z"))
print(f"{found.counts[0]} solutions of {len(found.joint_names)} joints with a free axis")
