"""A short run of `make soak`."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).resolve().parents[2] / "scripts" / "reliability" / "soak.py"

pytest.importorskip("rclpy", reason="rclpy is not installed (make setup)")


@pytest.mark.skipif(
    importlib.util.find_spec("diagnostic_msgs") is None, reason="no diagnostic_msgs"
)
def test_no_reply_is_lost_and_no_solution_false(tmp_path):
    """Every kind of disturbance occurs at least once."""
    path = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, SOAK, "--seconds", "18", "--json", str(path)],
        capture_output=True,
        text=True,
        timeout=290,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(path.read_text())
    assert figures["lost"] == figures["false_solutions"] == 0
    assert figures["answered"] > 100 and figures["solutions"] > 1000
    assert figures["restarts"] == 1 and figures["killed_clients"] >= 1
    assert figures["descriptions"] >= 2 and figures["parameter_sets"] >= 4
    assert figures["cancelled"] > 0
