"""Small robots of test/core, one thread for torch, and no weights but those a test asks for."""

import sys
from pathlib import Path

import pytest
import torch

CORE = str(Path(__file__).parents[1] / "core")
if CORE not in sys.path:
    sys.path.append(CORE)


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def own_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(tmp_path / "user_weights"))
