"""The same call returns the same bits in any process, on any number of cores."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from generative_ik_ros import IKSolver
from generative_ik_ros.robot.known import load_robot

TWO_ARMS = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"
CODE = """
import hashlib, os, sys
cores = sys.argv[1]
if cores:
    os.sched_setaffinity(0, [int(core) for core in cores.split(",")])
import numpy as np
from generative_ik_ros import IKSolver, KinematicTree
from generative_ik_ros._core import usable_cores
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.random_poses import random_reachable_poses
digest = hashlib.sha256()
for robot, sampler, count in (
    ("panda", "auto", 200), ("ur10", "auto", 40), ("panda", "uniform", 30),
):
    chain = load_robot(robot)
    rng = np.random.default_rng(1)
    targets = chain.forward(rng.uniform(chain.lower, chain.upper, (6, chain.num_joints)))
    targets[5, :3, 3] += 5.0
    solver = IKSolver(chain, sampler)
    found = solver.solve(targets, count, random_seed=7)
    for values in (found.positions, found.counts, found.best_effort, found.position_error):
        digest.update(np.ascontiguousarray(values).tobytes())
    near = solver.solve(targets[0], 20, seed_state=(chain.lower + chain.upper) / 2, random_seed=7)
    digest.update(near.positions.tobytes())
    path = solver.solve_path(np.repeat(targets[:1], 3, axis=0))
    digest.update(path.positions.tobytes())
tips = ["left_hand", "right_hand"]
limbs = KinematicTree.from_urdf(sys.argv[2], tip_links=tips, fixed={"waist": 0.3})
targets = random_reachable_poses(limbs, 200, 3)
for options in ({}, {"seed_state": (limbs.lower + limbs.upper) / 2.0}):
    digest.update(IKSolver(limbs).solve(targets, 6, **options).positions.tobytes())
print(usable_cores(), digest.hexdigest())
"""


def run(cores="", **environment):
    done = subprocess.run(
        [sys.executable, "-c", CODE, cores, str(TWO_ARMS)],
        capture_output=True,
        text=True,
        timeout=280,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    count, digest = done.stdout.split()
    return int(count), digest


def test_processes_and_numbers_of_cores_agree_to_the_last_bit():
    """One core, all cores, another hash seed, other thread settings of the libraries."""
    all_cores = sorted(os.sched_getaffinity(0))
    runs = [
        run(),
        run(str(all_cores[-1])),
        run(PYTHONHASHSEED="1", OMP_NUM_THREADS="1"),
    ]
    assert [count for count, _ in runs] == [len(all_cores), 1, len(all_cores)]
    assert len({digest for _, digest in runs}) == 1


@pytest.mark.parametrize("sampler", ["auto", "capability_map"])
def test_results_do_not_depend_on_earlier_calls(sampler):
    """Calls leave no state behind."""
    chain = load_robot("panda")
    solver = IKSolver(chain, sampler)
    rng = np.random.default_rng(2)
    targets = chain.forward(rng.uniform(chain.lower, chain.upper, (8, 7)))

    def digest(target, seed):
        found = solver.solve(target, 30, random_seed=seed)
        return hashlib.sha256(found.positions.tobytes()).hexdigest()

    before = digest(targets[0], 1)
    # A closed form has no random seeds.
    assert (digest(targets[0], 2) == before) == (sampler == "auto")
    for target in targets:
        solver.solve(target, 5, timeout=0.01)
    solver.solve_path(targets[:1])
    assert digest(targets[0], 1) == before
    assert digest(targets[0], None) == digest(targets[0], 0)
