"""Helpers stand beside the tests that use them and are imported by their bare names."""

import signal
import sys
from pathlib import Path

import numpy as np
import pytest

# Commands in the background of a shell script ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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
