"""A kernel is compiled anew when a source that it is put together from has changed."""

import shutil
import subprocess
import sys
from pathlib import Path

import generative_ik_ros

_MEASURE = """
import numpy as np
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.select.verify import Verifier
chain = load_robot("planar_3r")
q = np.full((1, chain.num_joints), 0.3)
print(Verifier(chain).errors(q, chain.forward(q), np.zeros(1, int))[0][0] < 1e-9)
"""


def test_a_change_in_an_inlined_function_is_seen(tmp_path):
    package = Path(generative_ik_ros.__file__).parent
    robots = package.parent / "config"
    copy = tmp_path / "generative_ik_ros"
    unwanted = shutil.ignore_patterns("__pycache__", "weights", "*.so")
    shutil.copytree(package, copy, ignore=unwanted)
    if robots.is_dir():
        shutil.copytree(robots, tmp_path / "config")

    def measure():
        run = subprocess.run(
            [sys.executable, "-c", _MEASURE], cwd=tmp_path, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    assert measure() == measure() == "True"
    kept = sorted(copy.rglob("verify.*.nbi"))
    source = copy / "robot" / "rodrigues_lanes.py"
    text = source.read_text()
    wrong = text.replace("value * (1.0 - sliding))", "value * (1.5 - sliding))")
    assert wrong != text
    source.write_text(wrong)
    assert measure() == "False"
    source.write_text(text)
    assert kept
