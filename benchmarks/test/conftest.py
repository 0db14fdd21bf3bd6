"""Helpers of this folder, small robots and models of test/; one thread for torch."""

import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent
TEST = HERE.parents[1] / "test"
sys.path.extend([str(HERE), str(TEST / "core"), str(TEST / "learned")])


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def own_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(tmp_path / "user_weights"))
