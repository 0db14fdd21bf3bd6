"""What the Panda reaches with its hand pointing downwards: a map, its numbers, and a picture."""

import numpy as np

from generative_ik_ros import ReachabilityMap, load_robot, pose_matrix
from generative_ik_ros.plots.reach import reach_figure
from generative_ik_ros.reach.export import columns, export

chain = load_robot("panda")  # your own: KinematicChain.from_urdf("my.urdf", "base", "tool")

# Voxels of 15 cm, for a quick look; 5 cm are the default. Directions within 0.5 rad of downwards.
reach = ReachabilityMap.compute(
    chain,
    resolution=0.15,
    orientations=40,
    cone=([0.0, 0.0, -1.0], 0.5),
    measures=("manipulability",),
    num_solutions=4,
)
print(f"{(reach.index > 0).sum()} of {len(reach.positions)} voxels are reached")

# The best place to work: many orientations, and far from singularities.
table = columns(reach)  # index, numbers of poses, and the best of each measure
best = np.nanargmax(table["index"] * table["manipulability"])
x, y, z = reach.positions[best]
count = reach.reachable[best].sum()
print(f"best at ({x:.3f}, {y:.3f}, {z:.3f}) m from above: {count} of {reach.reachable[0].size}")

# A map answers for poses without solving, as exactly as its cells are small.
pose = pose_matrix([0.5, 0.2, 0.3], [1.0, 0.0, 0.0, 0.0])
voxel, direction, turn = reach.lookup(pose)
reached = reach.reachable[voxel, direction, turn][0]
print(f"another pose at (0.5, 0.2, 0.3) m: {'' if reached else 'not '}reached")

reach.save("panda_reach.npz")  # ReachabilityMap.load reads it
export(reach, "panda_reach.ply")  # points with colours, for other programs
figure = reach_figure(chain, reach, directions=True, title="Panda, hand downwards")
figure.savefig("panda_reach.png", dpi=150)
print("wrote panda_reach.png")
