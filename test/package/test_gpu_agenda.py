"""The script that measures calls on a GPU, rehearsed with its kernels on the CPU."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).parents[2]
_SCRIPT = _CHECKOUT / "scripts" / "gpu_agenda"


@pytest.mark.slow
def test_a_rehearsal_measures_everything(tmp_path: Path):
    page = tmp_path / "gpu.md"
    done = subprocess.run(
        [sys.executable, _SCRIPT, "--dry-run", "--output", page], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert text.splitlines()[-1].startswith("GPU: emulated on the CPU. ")
    headings = re.findall("^## (.*)", text, re.MULTILINE)
    assert len(headings) == 5
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    calls = [row for row in rows if len(row) == 8 and row[0] != "chain"]
    assert len(calls) == 3 * 3 + 2 * 3
    for row in calls:
        *_, gpu, cpu, times, share, false = row
        assert float(gpu) > 0.0 and float(cpu) > 0.0 and false == "0"
        assert abs(float(times) * float(gpu) / float(cpu) - 1.0) < 0.02
        assert float(share) >= 80.0, row
    samplers = [row for row in rows if len(row) == 6 and row[0] != "sampler"]
    assert len(samplers) == 4 * 2
    assert all(float(cell) > 0.0 for row in samplers for cell in row[3:])
    (branches,) = [row for row in rows if len(row) == 5 and row[0] == "ur10"]
    assert 2.0 <= float(branches[-1]) <= 8.0


def test_what_there_is_no_time_for_has_no_figures(tmp_path: Path):
    page = tmp_path / "gpu.md"
    done = subprocess.run(
        [sys.executable, _SCRIPT, "--dry-run", "--seconds", "0", "--output", page],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "| panda | 1 | 1 | - | - | - | - | - |" in page.read_text()


def test_without_a_gpu_it_says_so(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, _SCRIPT, "--output", tmp_path / "gpu.md"],
        env={"GENERATIVE_IK_GPU": "off"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "there is no GPU to measure: GENERATIVE_IK_GPU=off is set" in done.stderr
    assert not (tmp_path / "gpu.md").exists()
