"""Helpers of this folder, small robots and models of test/; no weights but those of a test."""

import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent
TEST = HERE.parents[1] / "test"
sys.path.extend([str(HERE), str(TEST / "core"), str(TEST / "learned")])
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_other_weights(own_weights):
    pass
