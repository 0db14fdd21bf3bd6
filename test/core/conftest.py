import numpy as np
import pytest

from generative_ik_ros.robot.known import load_robot


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def panda():
    return load_robot("panda")


@pytest.fixture(scope="session")
def ur10():
    return load_robot("ur10")
