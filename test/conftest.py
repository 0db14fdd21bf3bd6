"""Helpers stand beside the tests that use them and are imported by their bare names."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.extend(str(folder) for folder in Path(__file__).parent.iterdir() if folder.is_dir())


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def panda():
    from generative_ik_ros.robot.known import load_robot

    return load_robot("panda")


@pytest.fixture(scope="session")
def ur10():
    from generative_ik_ros.robot.known import load_robot

    return load_robot("ur10")
