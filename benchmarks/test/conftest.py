"""Helpers of this folder and small robots of test/core; one thread for torch."""

import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent
sys.path.extend([str(HERE), str(HERE.parents[1] / "test" / "core")])


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def own_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(tmp_path / "user_weights"))
