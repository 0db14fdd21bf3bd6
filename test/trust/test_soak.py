"""Short runs of `make soak` and `make stream`."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

RELIABILITY = Path(__file__).resolve().parents[2] / "scripts" / "reliability"

pytest.importorskip("rclpy", reason="rclpy is not installed (make setup)")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("diagnostic_msgs") is None, reason="no diagnostic_msgs"
)


def run(script, *options):
    """Return what a script prints."""
    done = subprocess.run(
        [sys.executable, RELIABILITY / script, *options],
        capture_output=True,
        text=True,
        timeout=290,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_no_reply_is_lost_and_no_solution_false(tmp_path):
    """Every kind of disturbance occurs at least once."""
    path = tmp_path / "figures.json"
    run("soak.py", "--seconds", "18", "--json", str(path))
    figures = json.loads(path.read_text())
    assert figures["lost"] == figures["false_solutions"] == 0
    assert figures["answered"] > 100 and figures["solutions"] > 1000
    assert figures["restarts"] == 1 and figures["killed_clients"] >= 1
    assert figures["descriptions"] >= 2 and figures["parameter_sets"] >= 4
    assert figures["cancelled"] > 0


def test_no_command_is_lost_and_the_arm_stops():
    found = json.loads(run("stream.py", "--seconds", "4"))
    assert found["lost"] == 0 and found["at_rest"] and not any(found["violations"].values())
    # A busy machine leaves periods out; they add up all the same.
    assert found["commands"] + found["skipped_periods"] > 4.0 * 500.0 * 0.9
    assert found["commands_after_the_source_died"] > 10
    assert found["message"] == "waiting for a target"
