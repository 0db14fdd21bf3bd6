"""Solve one pose of the Panda and draw all configurations that reach it."""

from generative_ik_ros import IKSolver, load_robot, pose_matrix
from generative_ik_ros.plots.solutions import solutions_figure

chain = load_robot("panda")  # your own: KinematicChain.from_urdf("my.urdf", "base", "tool")
solver = IKSolver(chain)

# Where the tip link shall be in the base link: metres, and a quaternion x y z w.
tip_in_base = pose_matrix([0.45, 0.1, 0.4], [1.0, 0.0, 0.0, 0.0])
found = solver.solve(tip_in_base, num_solutions=100)
print(found)

# The solutions of the first and only target, (100, 7), most diverse first.
for q in found.of(0)[:3]:
    print({name: round(float(angle), 3) for name, angle in zip(chain.joint_names, q, strict=True)})

# Forward kinematics shows that they all reach the pose.
tips = chain.forward(found.of(0))
print(f"largest deviation of a matrix entry: {abs(tips - tip_in_base).max():.1e}")

figure = solutions_figure(chain, found.of(0), tip_in_base[None], title="Panda, 100 configurations")
figure.savefig("panda.png", dpi=150)
print("wrote panda.png")
