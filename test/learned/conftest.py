"""One thread for torch, no weights but those a test asks for, and every chain at hand."""

import pytest
import torch
from odd_arms import ODD_ARMS
from real_robots import REAL_CHAINS

from generative_ik_ros.robot.known import load_robot

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_other_weights(own_weights):
    pass


@pytest.fixture(
    params=[*REAL_CHAINS[::6], *ODD_ARMS, "panda", "ur10"],
    ids=lambda chain: getattr(chain, "__name__", str(chain)),
)
def chain(request):
    if isinstance(request.param, str):
        return load_robot(request.param)
    return request.param.load() if hasattr(request.param, "load") else request.param()
