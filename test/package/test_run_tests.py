"""`make test` runs every test once, in several sessions, and fails with any of them."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scripts_as_modules import load

CHECKOUT = Path(__file__).resolve().parents[2]
SCRIPT = CHECKOUT / "scripts" / "run_tests.py"
TEST = "def test_{0}(): open('ran', 'a').write('{0} ')\n"


def places() -> list[str]:
    """Folders and files of tests, `test` first."""
    names = load(SCRIPT)
    beside = [path for paths in names.BESIDE.values() for path in paths]
    return [*names.FRONT, *names.NODES, *beside]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A made-up checkout with two tests in each place."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = test benchmarks/test\naddopts = --import-mode=importlib\n"
    )
    for number, path in enumerate([*places()[1:], "test/robot"]):
        file = tmp_path / path
        file = file if file.suffix == ".py" else file / "test_it.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEST.format(f"one_{number}") + TEST.format(f"two_{number}"))
    return tmp_path


def start(checkout: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "scripts/run_tests.py", *words], cwd=checkout, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # they take seconds to import
        # A shell in the background would have the process ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def run(checkout: Path, *words: str) -> tuple[int, str]:
    process = start(checkout, *words)
    output, _ = process.communicate(timeout=120)
    return process.returncode, output


def test_every_test_runs_once(checkout: Path):
    code, output = run(checkout, "--types", "echo 'no types here'")
    assert code == 0, output
    number = 2 * len(places())
    assert f"All tests: {number} passed, 0 failed, 0 skipped, in 0:" in output
    assert len(set((checkout / "ran").read_text().split())) == number
    assert len((checkout / "ran").read_text().split()) == number
    assert "no types here" in output


def test_no_folder_of_tests_is_left_out():
    text = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    (line,) = re.findall(r"^testpaths = \[(.*)\]$", text, re.MULTILINE)
    folders = re.findall(r'"(.+?)"', line)
    assert len(folders) > 1 and set(folders) <= set(places())
    assert all((CHECKOUT / path).exists() for path in places())


@pytest.mark.parametrize("where", ["test/robot", "test/ros", "types"])
def test_any_failure_counts_and_is_shown(checkout: Path, where: str):
    words, said = (), "assert 2 == 3"
    if where == "types":
        words, said = ("--types", f"{sys.executable} -c 'exit(\"wrong type\")'"), "wrong type"
    else:
        (checkout / where / "test_bad.py").write_text("def test_bad(): assert 2 == 3\n")
    code, output = run(checkout, *words)
    assert code == 1 and said in output
    assert f"{int(where != 'types')} failed" in output.splitlines()[-1]


def test_the_keyboard_interrupts_all(checkout: Path):
    waits = "import time\ndef test_wait(): open('{0}', 'w'); time.sleep(60)\n"
    for place in ("test/ros", "benchmarks/test"):
        (checkout / place / "test_a.py").write_text(waits.format(place.split("/")[1]))
    process, before = start(checkout), time.monotonic()
    while not (checkout / "ros").exists() or not (checkout / "test").exists():
        assert time.monotonic() < before + 50.0
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=50)
    assert process.returncode == 130 and output.count("KeyboardInterrupt") >= 2
    assert time.monotonic() < before + 58.0
