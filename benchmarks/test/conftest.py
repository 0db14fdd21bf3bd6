"""Helpers of this folder, robots and models of test/; weights and caches of a test's own."""

import json
import re
import sys
from pathlib import Path

import pytest
import torch

from generative_ik_ros.cli.main import main

HERE = Path(__file__).parent
TEST = HERE.parents[1] / "test"
sys.path.extend([str(HERE), str(TEST / "core"), str(TEST / "learned")])
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def nothing_kept(own_weights, tmp_path, monkeypatch):
    """No weights and no caches but those of a test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def evaluate(tmp_path, capsys):
    """Run a protocol; return exit code, JSON and what was printed."""

    def run(*words):
        file = tmp_path / f"{words[0]}.json"
        code = main(["evaluate", *map(str, words), "--json", str(file)])
        out = capsys.readouterr().out
        # The same is printed again from the file, but for the pictures written.
        assert main(["evaluate", "table", str(file)]) == code
        assert capsys.readouterr().out == re.sub(r"^wrote .*\n", "", out, flags=re.M)
        return code, json.loads(file.read_text()), out

    return run
