"""`generative-ik warm-up`: what is used after it was compiled by it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from arm import write_arm

POSE = 0.45, 0.1, 0.4, 1.0, 0.0, 0.0, 0.0


def run(folder, *words, compiles=False):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "generative_ik_ros", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert {line.partition(": ")[0] for line in done.stderr.splitlines()} == (
        {"generative_ik_ros"} if compiles else set()
    )
    return done.stdout


def state(folder):
    """The files of kernels and of spheres."""
    kinds = ("*.nb?", "*.npz", "*.json")
    return {file: file.stat().st_mtime_ns for kind in kinds for file in folder.rglob(kind)}


def empty_folder(tmp_path):
    """The one that NUMBA_CACHE_DIR names, or its own if others may have used that."""
    named = Path(os.environ.get("NUMBA_CACHE_DIR", tmp_path))
    return tmp_path / "cache" if named.exists() else named


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_is_left_to_compile(tmp_path):
    cache = empty_folder(tmp_path)
    urdf = write_arm(tmp_path)
    own = "--srdf", urdf.with_suffix(".srdf"), "--mesh-dir", tmp_path
    lines = run(cache, "warm-up", "--urdf", urdf, *own, compiles=True).splitlines()
    first, second, third, shipped, fourth, last = lines
    assert first.startswith("panda, sampler auto: ") and second.startswith("ur10, sampler auto: ")
    assert third.startswith("collision checks: ")
    assert shipped.startswith("panda, collision geometry of 11 links: ")
    assert fourth.startswith("arm.urdf, collision geometry of 8 links: ")
    assert last.startswith(f"compiled code is in {cache}, after ")
    filled = state(cache)
    # Spheres that are kept beside the package already are not built again.
    for robot in ("panda", "ur10", "compi", "planar_3r"):
        run(cache, "solve", "--robot", robot, "--random-seed", 1, "-n", 20)
    seed = ("--seed-state", "0,0,0,-1,0,1,0", "--timeout", "1")
    run(cache, "solve", "--robot", "panda", "--random-seed", 1, *seed)
    bench = Path(__file__).resolve().parents[2] / "examples/bench.yaml"
    for words in (("--avoid-collisions", "-n", 20), ("--scene", bench, "-n", 1)):
        run(cache, "solve", "--robot", "panda", "--pose", *POSE, *words)
    mine = "--urdf", urdf, "--avoid-collisions", *own, "--random-seed", 1
    run(cache, "solve", *mine)
    assert state(cache) == filled
    assert f"compiled code is in {cache}, after " in run(cache, "warm-up", "--robot", "panda")


def test_misuse(shell):
    for words, fragment in (
        (("--robot", "pandora"), "unknown robot 'pandora'"),
        (("--sampler", "crystal"), "unknown sampler 'crystal'"),
        (("--srdf", "arm.srdf"), "--srdf, --mesh-dir, --spheres and --visuals go with --urdf"),
    ):
        reply = shell("warm-up", *words)
        assert reply.code == 2 and fragment in reply.err and reply.err.count("\n") == 1
