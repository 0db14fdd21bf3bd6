"""A kernel is compiled anew, and says so, when a source that it is made from has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import generative_ik_ros

_MEASURE = """
from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene
urdf = '''<robot name="slider"><link name="base"/><link name="ball"><collision><geometry>
<sphere radius="0.1"/></geometry></collision></link><joint name="lift" type="prismatic">
<parent link="base"/><child link="ball"/><axis xyz="0 0 1"/>
<limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>'''
solver = IKSolver(KinematicChain.from_urdf(urdf), collision=CollisionModel.from_urdf(urdf))
box = Scene(boxes={"ceiling": ((1.0, 1.0, 0.2), (0.0, 0.0, 1.1))})
print(abs(solver.clearance([0.5], scene=box) - 0.4) < 1e-9)
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
    kept = sorted(copy.rglob("clearance.*.nbi"))
    source = copy / "collision" / "signed_distance.py"
    text = source.read_text()
    wrong = text.replace("+ inside - primitive[15]", "+ inside - primitive[15] + 0.1")
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
