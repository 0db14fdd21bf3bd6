"""The examples run as they are, print what they promise, and stay short enough to copy from."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
sys.path.append(str(ROOT / "bindings"))
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))
PROMISES = {
    "solve_and_plot.py": [
        r"IKSolutions: 100 for 1 target .*\(SOLVED\)", r"entry: \d.*e-(0[6-9]|1\d)",
    ],
    "seed_state_and_limits.py": [r"change of a joint: 0\.1", r"^NO_SOLUTION - closest: 1\.1"],
    "follow_path.py": [r"IKPath: 200 of 200 poses .*\(complete\)", "from a seed state: complete"],
    "many_poses.py": [r"\{'SOLVED': 2700, 'NO_SOLUTION': 300\}", r"manipulability, .*: \[0\.0"],
    "collision_free.py": [
        r"IKSolutions: 20 for 1 target .*\(SOLVED\)", r"collision only: panda_\w+ with ball",
        r"^0 solutions with the bar; .*: bar with gate\[", r"^without checks, [1-9]\d of 100",
    ],
    "around_obstacles.py": [
        r"^without checks, [1-9]\d+ of 150 poses collide", r"IKPath: 150 of 150 .*\(complete\)",
        r"^Trajectory: \d+ points in", r"^at 0\.1 m/s: 8\.", r"set points at 100 Hz",
    ],
    "both_hands.py": [
        r"IKSolutions: 20 for 1 target .*\(SOLVED\)", r"^200 ways .* y = 0\.[01]\d to 0\.[34]",
        r"^upright to .e-(0[6-9]|1\d), hands apart by 0\.5000", r"^100 solutions of 7 joints",
    ],
    "closed_loops.py": [
        "^10 joints, of which 4 can", r"^  shoulder: 0\.5869 rad", r"^closed to 1e-5: True",
        r"^tool at \[0\.856 0\.265 1\. ", "^tilted: NO_SOLUTION",
    ],
    "track_target.py": [
        r"out of reach for [12]\.\d s", r"velocity 1\.00 and acceleration 1\.00 of their limits",
        r"^on the target at [56]\d% of the steps; at the end at rest", r"^wrote track_target.png$",
    ],
    "retarget_hand.py": [
        r"^median frame \d+ us",
        r"^tips on their key points at (9[5-9]|100)%, else at most [01]\.\d mm",
        r"^largest velocity 1\.00 of the limits",
    ],
    "walking_person.py": ["^wrote walking_person.csv: 360 frames of 5 points$"],
    "human_motion.py": [
        r"^a frame takes \d+\.\d\d ms", r"^a point is at most [0-2]\.\d\d mm away, .* 0\.01 mm",
        r"^flips: 0; with each frame solved alone: [1-9]\d",
    ],
    "natural_first.py": [
        r"^learned from 1000 configurations in \d", r"^nearest to the middle: 0\.[3-9]\d rad",
        r"^likelihood: 0\.0\d rad .*, (9\d|100)% near$", r"optimized: 0\.0\d rad",
    ],
    "lerobot_kinematics.py": [r"^down by 0\.1 m: \[.*\d\.\d"],
    "reach.py": [
        r"^\d+ of \d+ voxels are reached", r"^best at \(.* from above: \d+ of \d+",
        r"^another pose .*: (not )?reached", r"^wrote panda_reach.png$",
    ],
    "own_sampler.py": [r"^quasi_random: 20 solutions", r"^near_home: 20 solutions"],
    "learn_a_motion_prior.py": [
        r"^shipped: 1\d\.\d% of raw", r"^prior: [5-9]\d\.\d% of raw",
        r"^likelihood: (9\d|100)\.\d% of first",
    ],
    "train_own_arm.py": [r"^ikflow: [1-8] solutions", r"^quasi_random: [1-8] solutions"],
}  # fmt: skip

TRAININGS = ("learn_a_motion_prior.py", "train_own_arm.py")
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
"""A training as short as here takes longer with two threads that wait for each other."""
FILES = {
    "track_target.py": ["track_target.png"],
    "solve_and_plot.py": ["panda.png"],
    "reach.py": ["panda_reach.npz", "panda_reach.ply", "panda_reach.png"],
    "walking_person.py": ["walking_person.csv"],
    "human_motion.py": ["human_motion.png"],
}


def run(name, folder, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(name, printed):
    for promise in PROMISES[name]:
        assert re.search(promise, printed, re.MULTILINE), f"{promise!r} not in:\n{printed}"


@pytest.mark.parametrize("name", sorted({*PROMISES} - {*TRAININGS}))
def test_script(name, tmp_path):
    check(name, run(name, tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES.get(name, [])


@pytest.mark.slow
def test_training(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed: pip install '.[learned]'")
    arm = [str(EXAMPLES / "my_arm.urdf"), "base", "tool", "0.01"]
    own = ONE_THREAD | {"GENERATIVE_IK_WEIGHTS": str(tmp_path)}
    check("train_own_arm.py", run("train_own_arm.py", tmp_path, *arm, **own))
    assert list(tmp_path.rglob("*.safetensors"))


@pytest.mark.slow
def test_motion_prior(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed: pip install '.[learned]'")
    check("learn_a_motion_prior.py", run("learn_a_motion_prior.py", tmp_path, "200", **ONE_THREAD))


def test_every_script_is_short_tested_and_listed():
    assert set(SCRIPTS) == {*PROMISES, "ros_client.py"}
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in [*(EXAMPLES / name for name in SCRIPTS), *EXAMPLES.glob("*_cpp/main.cpp")]:
        assert len(path.read_text(encoding="utf-8").splitlines()) < 60
        assert str(path.relative_to(EXAMPLES)) in listed


def lerobot_arm(*, gripper=True):
    """LeRobot's kinematics of an arm of five joints, with a gripper in front."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        from lerobot_kinematics import RobotKinematics
    finally:
        sys.path.remove(str(EXAMPLES))
    names = (["gripper"] if gripper else []) + [f"joint_{k}" for k in range(1, 6)]
    return RobotKinematics(str(EXAMPLES / "my_arm.urdf"), "wrist_2", names)


@pytest.mark.parametrize("weight", [0.01, 0.0])
def test_lerobots_kinematics_reach_positions_in_degrees(weight):
    arm, rng = lerobot_arm(), np.random.default_rng(0)
    middle = np.rad2deg((arm.chain.lower + arm.chain.upper) / 2.0)
    for _ in range(20):
        here = np.r_[55.0, middle + rng.uniform(-20.0, 20.0, 5)]
        there = here + np.r_[0.0, rng.uniform(-5.0, 5.0, 5)]
        goal = arm.forward_kinematics(there)
        found = arm.inverse_kinematics(here, goal, orientation_weight=weight)
        assert found[0] == 55.0 and np.abs(found - here).max() < 30.0
        reached = arm.forward_kinematics(found)
        assert np.linalg.norm(reached[:3, 3] - goal[:3, 3]) < 1e-5
        if weight:
            assert np.allclose(reached, goal, atol=0.01)
        # By the chain's own kinematics, in radians.
        assert np.allclose(reached, arm.chain.forward(np.deg2rad(found[1:])))


def test_lerobots_kinematics_go_as_near_as_they_can():
    arm = lerobot_arm(gripper=False)
    here = np.rad2deg((arm.chain.lower + arm.chain.upper) / 2.0) + 10.0
    far = arm.forward_kinematics(here)
    far[:3, 3] *= 10.0
    found = arm.inverse_kinematics(here, far)
    gap = [np.linalg.norm(arm.forward_kinematics(q)[:3, 3] - far[:3, 3]) for q in (found, here)]
    assert gap[0] < gap[1]
    with pytest.raises(ValueError, match="position_weight"):
        arm.inverse_kinematics(here, far, position_weight=0.0)
