"""Markers by folder, and the list of what was skipped at the end of a run."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts_as_modules import load

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks/test", "test/core", "test/ros")


def reasons() -> Iterator[tuple[str, str]]:
    """Yield each file of tests with each reason for which it skips, where that is a constant."""
    for path in [*CHECKOUT.glob("test/**/*.py"), *CHECKOUT.glob("benchmarks/test/*.py")]:
        text = path.read_text()
        # The names of all that skip have the word in them, and most files none of it.
        for node in ast.walk(ast.parse(text)) if "skip" in text else ():
            if not isinstance(node, ast.Call) or path == Path(__file__):
                continue
            name = ast.unparse(node.func)
            given = {word.arg: word.value for word in node.keywords}
            if name == "pytest.importorskip":
                reason = given.get(
                    "reason", ast.Constant(f"could not import {node.args[0].value}")
                )
            elif name in ("pytest.skip", "pytest.mark.skipif"):
                reason = given["reason"] if "reason" in given else node.args[0]
            else:
                continue
            if isinstance(reason, ast.Constant):
                yield path.name, reason.value


def test_every_reason_has_a_command():
    command_for = load(CHECKOUT / "conftest.py").command_for
    found = list(reasons())
    assert len({reason for _, reason in found}) > 20
    assert [one for one in found if command_for(one[1]) is None] == []
    assert command_for("a reason that nobody gives") is None


@pytest.mark.parametrize(
    ("reason", "command"),
    [
        ("rclpy is not installed (make setup)", "make setup"),
        ("Eigen not found: sudo apt install libeigen3-dev", "sudo apt install libeigen3-dev"),
        (
            "no GoogleTest: /a/bin/python3.11 -m pip install b",
            "/a/bin/python3.11 -m pip install b",
        ),
        ("could not import 'torch': No module named 'torch'", "pip install '.[learned]'"),
    ],
)
def test_the_command_is_taken_from_the_reason_where_it_has_one(reason: str, command: str):
    assert load(CHECKOUT / "conftest.py").command_for(reason) == command


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A made-up checkout with tests in three folders."""
    shutil.copy(CHECKOUT / "conftest.py", tmp_path)
    markers = "".join(f"{name}:\n  " for name in ("ros", "bench", "slow"))
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers =\n  {markers}\n")
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
        name = folder.replace("/", "_")
        (tmp_path / folder / f"test_{name}.py").write_text(
            "import pytest\ndef test_passes(): pass\n"
            "def test_cuda(): pytest.skip('no CUDA device')\n"
            "def test_moon(): pytest.skip('no moon')\n"
        )
    return tmp_path


def run(checkout: Path, *options: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    done = subprocess.run(
        command, cwd=checkout, capture_output=True, text=True, timeout=120,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # they take seconds to import
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_run_ends_with_what_was_skipped(checkout: Path):
    lines = run(checkout, "-q").splitlines()
    files = [f"{name}/test_{name.replace('/', '_')}.py" for name in FOLDERS]
    where = f"3 in {', '.join(files)}: "
    at = lines.index(f"{where}no CUDA device")
    assert lines[at + 1] == "    make test, on a machine with an NVIDIA GPU"
    assert lines[at + 2] == f"{where}no moon"
    assert lines[at + 3] == "    unknown"
