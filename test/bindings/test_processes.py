"""Long native calls and the process that they run in: Ctrl-C, fork, and its end."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_HERE = Path(__file__).parent


def output_of(script: str) -> str:
    """Return what a script prints, which must succeed, and not hang."""
    done = subprocess.run(
        [sys.executable, _HERE / script], capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_ctrl_c_is_answered_within_a_tenth_of_a_second():
    delays = [line.partition(": ") for line in output_of("interrupted_calls.py").splitlines()]
    assert len(delays) == 5
    for call, _, seconds in delays:
        assert float(seconds) < 0.1, f"{call} went on for {seconds} s"


def test_forked_processes_solve_as_well():
    assert output_of("forked_calls.py").endswith("10 forks\n")


def test_a_process_ends_while_its_daemon_threads_solve():
    assert output_of("ended_calls.py") == "over\n"
