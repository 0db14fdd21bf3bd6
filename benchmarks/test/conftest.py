"""Helpers of this folder, small robots and models of test/; one thread for torch."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from generative_ik_ros.robot.known import load_robot

HERE = Path(__file__).parent
TEST = HERE.parents[1] / "test"
sys.path.extend([str(HERE), str(TEST / "core"), str(TEST / "learned")])


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def own_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(tmp_path / "user_weights"))


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def panda():
    return load_robot("panda")


@pytest.fixture(scope="session")
def ur10():
    return load_robot("ur10")
