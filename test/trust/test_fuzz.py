"""The short form of `make fuzz`: the same program, the same cases every time, for seconds."""

import importlib.util
import json
import subprocess
import sys
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
        ("urdf", 150),
        ("srdf", 300),
        pytest.param("weights", 120, marks=needs_torch),
        pytest.param("parameters", 25, marks=needs_ros),
        pytest.param("requests", 150, marks=needs_ros),
    ],
)
def test_no_input_does_harm(target, cases, tmp_path):
    done, figures = run(target, cases, tmp_path)
    assert done.returncode == 0, done.stderr
    assert figures["harm"] == 0 and figures["cases"] == cases
    # Neither is everything refused, nor everything accepted: the mutations are worth something.
    assert len(figures["outcomes"]) >= 2


def test_the_watch_tells_of_harm_death_and_hanging(tmp_path, monkeypatch):
    """Each way in which a case can do harm is seen, and the next case is tried all the same."""
    monkeypatch.syspath_prepend(str(RELIABILITY))
    import fuzz

    target = tmp_path / "bad_target.py"
    target.write_text(
        "import os, time\n"
        "class Bad:\n"
        "    def prepare(self): self.hung = False\n"
        "    def case(self, rng): return bytes([int(rng.integers(256))])\n"
        "    def run(self, case, rng):\n"
        "        number = case[0] % 8\n"
        "        if number == 0: raise ValueError('a fault')\n"
        "        if number == 1: os._exit(3)\n"
        "        if number == 2: bytearray(1 << 34)\n"
        "        if number == 3: time.sleep(60)\n"
        "        return 'fine'\n"
    )
    monkeypatch.setitem(fuzz.TARGETS, "bad", "bad_target:Bad")
    monkeypatch.setattr(fuzz, "CASE_LIMIT", 2.0)
    monkeypatch.setattr(fuzz, "RECORDS", tmp_path)
    # The worker is a process of its own: it has to know the target as well.
    worker = tmp_path / "worker.py"
    worker.write_text(
        f"import sys; sys.path[:0] = [{str(RELIABILITY)!r}, {str(tmp_path)!r}]\n"
        "import fuzz, pathlib\n"
        "fuzz.TARGETS['bad'] = 'bad_target:Bad'\n"
        f"fuzz.RECORDS = pathlib.Path({str(tmp_path)!r})\n"
        "fuzz.main()\n"
    )
    monkeypatch.setattr(fuzz, "__file__", str(worker))
    watch = fuzz.Watch("bad", 0)
    watch.run(60.0, 12)
    kinds = [int(np.random.default_rng((0, i)).integers(256)) % 8 for i in range(12)]
    told = "\n".join(watch.harm)
    assert len(watch.harm) == sum(kind < 4 for kind in kinds)
    for kind, words in (
        (0, "ValueError: a fault"),
        (1, "ended the process (3)"),
        (2, "MemoryError"),
        (3, "takes too long"),
    ):
        assert (words in told) == (kind in kinds), told
    assert watch.outcomes["fine"] == sum(kind >= 4 for kind in kinds)
    assert {0, 1, 2, 3} < set(kinds)
