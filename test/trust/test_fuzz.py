"""A short run of `make fuzz` with fixed cases."""

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

RELIABILITY = Path(__file__).resolve().parents[2] / "scripts" / "reliability"
HAS_ROS = importlib.util.find_spec("rclpy") is not None
needs_ros = pytest.mark.skipif(not HAS_ROS, reason="rclpy is not installed (make setup)")
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"
)


def run(target, cases, tmp_path, *options):
    path = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, RELIABILITY / "fuzz.py", target, "--cases", str(cases)]
        + ["--json", str(path), *options],
        capture_output=True,
        text=True,
        timeout=290,
        check=False,
    )
    (figures,) = json.loads(path.read_text())
    return done, figures


@pytest.mark.parametrize(
    ("target", "cases"),
    [
        ("urdf", 100),
        ("srdf", 200),
        pytest.param("weights", 80, marks=needs_torch),
        pytest.param("parameters", 25, marks=needs_ros),
        pytest.param("requests", 100, marks=needs_ros),
    ],
)
def test_no_case_fails(target, cases, tmp_path):
    done, figures = run(target, cases, tmp_path)
    assert done.returncode == 0, done.stderr
    assert figures["failures"] == 0 and figures["cases"] == cases
    # Some inputs are refused and some accepted, so the mutations are meaningful.
    assert len(figures["outcomes"]) >= 2


def test_errors_crashes_and_hangs_are_reported(tmp_path, monkeypatch):
    """Every kind of failure is recorded, and the remaining cases still run."""
    monkeypatch.syspath_prepend(str(RELIABILITY))
    import fuzz

    target = tmp_path / "bad_target.py"
    target.write_text(
        "import os, tempfile, time\n"
        "class Bad:\n"
        "    def prepare(self): tempfile.mkdtemp()\n"
        "    def case(self, rng): return bytes([int(rng.integers(256))])\n"
        "    def run(self, case, rng):\n"
        "        number = case[0] % 8\n"
        "        if number == 0: raise ValueError('an error')\n"
        "        if number == 1: os._exit(3)\n"
        "        if number == 2: bytearray(1 << 34)\n"
        "        if number == 3: time.sleep(60)\n"
        "        return 'fine'\n"
    )
    monkeypatch.setitem(fuzz.TARGETS, "bad", "bad_target:Bad")
    monkeypatch.setattr(fuzz, "CASE_LIMIT", 2.0)
    monkeypatch.setattr(fuzz, "RECORDS", tmp_path)
    # The worker is a process of its own, which needs the target as well.
    worker = tmp_path / "worker.py"
    worker.write_text(
        f"import sys; sys.path[:0] = [{str(RELIABILITY)!r}, {str(tmp_path)!r}]\n"
        "import fuzz, pathlib\n"
        "fuzz.TARGETS['bad'] = 'bad_target:Bad'\n"
        f"fuzz.RECORDS = pathlib.Path({str(tmp_path)!r})\n"
        "fuzz.main()\n"
    )
    monkeypatch.setattr(fuzz, "__file__", str(worker))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    supervisor = fuzz.Supervisor("bad", 0)
    supervisor.run(60.0, 0, 12)
    assert not list(temporary.iterdir()), "a worker has left files behind"
    kinds = [int(np.random.default_rng((0, i)).integers(256)) % 8 for i in range(12)]
    reported = "\n".join(supervisor.failures)
    assert len(supervisor.failures) == sum(kind < 4 for kind in kinds)
    for kind, words in (
        (0, "ValueError: an error"),
        (1, "ended the process (3)"),
        (2, "MemoryError"),
        (3, "takes too long"),
    ):
        assert (words in reported) == (kind in kinds), reported
    assert supervisor.outcomes["fine"] == sum(kind >= 4 for kind in kinds)
    assert {0, 1, 2, 3} < set(kinds)
