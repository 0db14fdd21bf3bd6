"""The scripts that make setup runs do their part, and only that."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_exports_of_ros_wheels_are_pointed_here():
    adopt = load("adopt_ros_wheels").adopt
    text = (
        'INTERFACE_INCLUDE_DIRECTORIES "/opt/python/cp311-cp311/include/python3.11;'
        '/opt/python/cp311-cp311/lib/python3.11/site-packages/numpy/_core/include;/usr/include"'
    )
    once = adopt(text, "/here/include", "/here/site-packages")
    assert once == (
        'INTERFACE_INCLUDE_DIRECTORIES "/here/include;'
        '/here/site-packages/numpy/_core/include;/usr/include"'
    )
    assert adopt(once, "/here/include", "/here/site-packages") == once


def test_a_missing_python_is_said_plainly(tmp_path: Path):
    done = subprocess.run(
        [SCRIPTS / "make_environment", tmp_path / "venv"],
        env={"PATH": "/usr/bin:/bin", "PYTHON": "no-such-python"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Python 3.10 to 3.14" in done.stderr
    assert not (tmp_path / "venv").exists()
