"""A short run of `make stream`."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

STREAM = Path(__file__).resolve().parents[2] / "scripts" / "reliability" / "stream.py"

pytest.importorskip("rclpy", reason="rclpy is not installed (make setup)")


@pytest.mark.skipif(
    importlib.util.find_spec("diagnostic_msgs") is None, reason="no diagnostic_msgs"
)
def test_no_command_is_lost_and_the_arm_stops():
    done = subprocess.run(
        [sys.executable, STREAM, "--seconds", "4"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["lost"] == 0 and found["at_rest"] and not any(found["violations"].values())
    # A busy machine leaves periods out; they add up all the same.
    assert found["commands"] + found["skipped_periods"] > 4.0 * 500.0 * 0.9
    assert found["commands_after_the_source_died"] > 10
    assert found["message"] == "waiting for a target"
