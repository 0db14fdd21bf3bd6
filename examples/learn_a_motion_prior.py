"""Learn the configurations that an arm really takes, propose such ones, and order solutions by it.

usage: python learn_a_motion_prior.py [STEPS]    needs the extra `learned`; writes into this folder
"""

import csv
import subprocess
import sys

import numpy as np

from generative_ik_ros import IKSolver
from generative_ik_ros.learned.checkpoint import find_weights
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.samplers.base import SeedRequest

RECORDED, WEIGHTS = "recorded.csv", "prior.safetensors"

# A stand-in for a recording of one's own: a UR10 that works from above, elbow up.
chain, rng = load_robot("ur10"), np.random.default_rng(0)
middle, spread = [0, -1.2, 1.4, -1.6, -1.57, 0], [1.5, 0.4, 0.4, 0.4, 0.3, 1.5]
usual = np.clip(rng.normal(middle, spread, (2500, 6)), chain.lower, chain.upper)
recorded, later = usual[:2000], usual[2000:]
with open(RECORDED, "w", newline="") as file:
    csv.writer(file).writerows([chain.joint_names, *recorded.tolist()])

# The shipped flow knows the arm already; new weights in the user's folder would be found by name.
shipped = find_weights(IKFlow.name, chain)
learn = ["--configurations", RECORDED, "--start-from", str(shipped), "--output", WEIGHTS]
steps = f"steps={sys.argv[1] if len(sys.argv) > 1 else 5000}"  # some minutes on one core
train = [sys.executable, "-m", "generative_ik_ros", "train", "ikflow", "--robot", "ur10"]
subprocess.run([*train, *learn, "--set", steps, "--set", "threads=1"], check=True)


def as_recorded(q: np.ndarray) -> np.ndarray:
    """Whether configurations are as the recorded ones, but for full turns."""
    return (np.cos(q - middle)[..., 1:5] > np.cos(1.4)).all(axis=-1)


poses = chain.forward(later)
for name, weights in (("shipped", shipped), ("prior", WEIGHTS)):
    sampler = IKFlow(chain, weights=weights)
    seeds = sampler.propose(SeedRequest(poses, 32, chain.lower, chain.upper, 0))
    print(f"{name}: {as_recorded(seeds).mean():.1%} of raw samples are as recorded")
solver = IKSolver(chain, sampler)
for order in ("diverse", "limit_margin", "likelihood"):
    first = solver.solve(poses, 8, order_by=order).positions[:, 0]
    print(f"{order}: {as_recorded(first).mean():.1%} of first solutions are as recorded")
