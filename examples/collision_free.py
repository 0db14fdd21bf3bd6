"""Configurations of the Panda that collide neither with the robot itself nor with a bench."""

from pathlib import Path

from generative_ik_ros import CollisionModel, IKSolver, Scene, load_robot, pose_matrix
from generative_ik_ros.collision.shapes import Box
from generative_ik_ros.robot.known import robot_urdf_path

chain = load_robot("panda")
urdf = robot_urdf_path("panda")  # your own: package_dirs= names the folders of its meshes
model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))
solver = IKSolver(chain, collision=model)

# A MoveIt planning scene; Scene(boxes=..., spheres=..., points=...) makes one by code.
scene = Scene.from_yaml(Path(__file__).parent / "bench.yaml")
tip_in_base = pose_matrix([0.5, 0.0, 0.3], [1.0, 0.0, 0.0, 0.0])
found = solver.solve(tip_in_base, num_solutions=20, scene=scene)
print(found)
print("clearance of the first five, at least [mm]:", (1e3 * found.clearance[0, :5]).round(1))

# Scenes do not change; moving, adding and removing obstacles makes new ones.
moved = scene.moved("ball", (0.5, 0.0, 0.3))
blocked = solver.solve(tip_in_base, num_solutions=20, scene=moved)
print(blocked.best_effort_message())

# What the hand carries is part of the robot, here a long bar across the fingers.
bar = Box([0.02, 0.9, 0.02], pose=pose_matrix([0.0, 0.0, 0.11], [0.0, 0.0, 0.0, 1.0]))
carrying = IKSolver(chain, collision=model.attach("panda_hand", [bar], name="bar"))
found = carrying.solve(tip_in_base, num_solutions=20, scene=scene)
print(f"{found.counts[0]} solutions with the bar; {found.best_effort_message()}")

# Any configurations, as those of another solver.
every = IKSolver(chain).solve(tip_in_base, num_solutions=100).of(0)
print(f"without checks, {solver.collides(every, scene=scene).sum()} of 100 collide")
