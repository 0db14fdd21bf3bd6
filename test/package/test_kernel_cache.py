"""A kernel is compiled anew, and says so, when a source that it is made from has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import generative_ik_ros


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
