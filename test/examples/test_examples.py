"""The examples run as they are, print what they promise, and stay short enough to copy from."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
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
    "reach.py": [
        r"^\d+ of \d+ voxels are reached", r"^best at \(.* from above: \d+ of \d+",
        r"^another pose .*: (not )?reached", r"^wrote panda_reach.png$",
    ],
    "own_sampler.py": [r"^quasi_random: 20 solutions", r"^near_home: 20 solutions"],
    "learn_a_motion_prior.py": [
        r"^shipped: 1\d\.\d% of raw", r"^prior: [89]\d\.\d% of raw",
        r"^likelihood: (9[5-9]|100)\.\d% of first",
    ],
    "train_own_arm.py": [r"^ikflow: [1-8] solutions", r"^quasi_random: [1-8] solutions"],
}  # fmt: skip

TRAININGS = ("learn_a_motion_prior.py", "train_own_arm.py")
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
"""A training as short as here takes longer with two threads that wait for each other."""
FILES = {
    "solve_and_plot.py": ["panda.png"],
    "reach.py": ["panda_reach.npz", "panda_reach.ply", "panda_reach.png"],
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
    check("learn_a_motion_prior.py", run("learn_a_motion_prior.py", tmp_path, "400", **ONE_THREAD))


def test_every_script_is_short_tested_and_listed():
    assert set(SCRIPTS) == {*PROMISES, "ros_client.py"}
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in [*(EXAMPLES / name for name in SCRIPTS), EXAMPLES / "ros_client_cpp/main.cpp"]:
        assert len(path.read_text(encoding="utf-8").splitlines()) < 60
        assert str(path.relative_to(EXAMPLES)) in listed
