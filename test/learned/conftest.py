"""One thread for torch, and no weights but those a test asks for."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def own_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(tmp_path / "user_weights"))
