"""Solve thousands of poses in one call, which costs microseconds each."""

from collections import Counter

import numpy as np

from generative_ik_ros import IKSolver, load_robot

chain = load_robot("panda")
solver = IKSolver(chain)

# 3000 reachable poses, and every tenth moved out of reach.
rng = np.random.default_rng(0)
targets = chain.forward(rng.uniform(chain.lower, chain.upper, (3000, chain.num_joints)))
targets[::10, :3, 3] += 5.0

# One solution each. Arrays have a row for each target; rows without a solution are NaN.
found = solver.solve(targets, num_solutions=1)
print(
    f"{len(targets)} poses in {1e3 * found.timings.total:.1f} ms:", Counter(map(str, found.status))
)
solved = found.counts > 0
q = found.positions[solved, 0]
print("largest position error:", f"{found.position_error[solved].max():.1e} m")

# How well conditioned is each solution? Yoshikawa's manipulability, from the Jacobian.
jacobians = chain.jacobian(q)  # (solved, 6, 7)
measure = np.sqrt(np.linalg.det(jacobians @ jacobians.transpose(0, 2, 1)))
print("manipulability, median and least:", np.quantile(measure, [0.5, 0.0]).round(4))

# Several each, by a deadline: what is found until then comes back.
several = solver.solve(targets, num_solutions=10, timeout=0.02)
print(several.counts.sum(), "solutions after", f"{1e3 * several.timings.total:.1f} ms")
