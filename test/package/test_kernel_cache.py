"""A kernel is compiled anew, and says so, when a source that it is made from has changed."""

import os
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


def _copy(folder):
    """Copy the package into a folder."""
    package, copy = Path(generative_ik_ros.__file__).parent, folder / "generative_ik_ros"
    unwanted = shutil.ignore_patterns("__pycache__", "weights", "*.so")
    shutil.copytree(package, copy, ignore=unwanted)
    if (robots := package.parent / "config").is_dir():
        shutil.copytree(robots, folder / "config")
    return copy


def _run(program, folder, *words, **environment):
    """Output and errors of a program in a folder, from which it imports first."""
    run = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, env=os.environ | environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout, run.stderr


def test_a_change_in_an_inlined_function_is_seen(tmp_path):
    """Whenever kernels are compiled, one line on stderr says so."""
    copy = _copy(tmp_path)
    first, said = _run(_MEASURE, tmp_path)
    assert first == "True\n" and said.startswith("generative_ik_ros: compiling kernels, once on ")
    assert said.count("\n") == 1
    assert _run(_MEASURE, tmp_path) == ("True\n", "")
    kept = sorted(copy.rglob("verify.*.nbi"))
    source = copy / "robot" / "rodrigues_lanes.py"
    text = source.read_text()
    wrong = text.replace("value * (1.0 - sliding))", "value * (1.5 - sliding))")
    assert wrong != text
    source.write_text(wrong)
    quiet = "import logging; logging.getLogger('generative_ik_ros').setLevel('ERROR')"
    assert _run(quiet + _MEASURE, tmp_path) == ("False\n", "")
    assert kept


_CHANGE_EACH = """
import re, sys
from pathlib import Path
from generative_ik_ros.compiled import cache
package = Path(cache.__file__).parents[1]
parts = {}
for file in sorted(package.rglob("*.py")):
    if re.search(r"^ *@(?:kernel|inlined|called|njit|register_jitable|intrinsic)\\b|njit\\(",
                 file.read_text(), re.M):
        parts.setdefault(file.relative_to(package).parts[0], file)
for part, file in parts.items():
    before = cache._state_of_sources(None)
    file.write_text(file.read_text() + "\\n# changed\\n")
    cache._state_of_sources.cache_clear()
    if cache._state_of_sources(None) == before:
        print(part)
assert len(parts) > 5, parts
"""


def test_no_folder_with_kernels_is_forgotten(tmp_path):
    _copy(tmp_path)
    assert _run(_CHANGE_EACH, tmp_path) == ("", "")
