"""A configuration of a model in, the task that trains such a model out."""

from collections.abc import Mapping

import torch

from generative_ik_ros.learned.ggik.config import GGIKConfig, WalkConfig
from generative_ik_ros.learned.ggik.model import GGIK
from generative_ik_ros.learned.ggik.weights import make
from generative_ik_ros.learned.training.ggik_data import ArmSource
from generative_ik_ros.learned.training.ggik_task import GGIKTask
from generative_ik_ros.learned.training.walk_task import WalkTask
from generative_ik_ros.robot.chain import KinematicChain


def ggik_task(
    source: ArmSource,
    config: GGIKConfig | WalkConfig,
    robots: Mapping[str, str],
    measured: Mapping[str, KinematicChain],
    device: torch.device,
    *,
    seed: int = 0,
    compiled: bool = False,
    bf16: bool = False,
    jitter: float = 0.0,
) -> GGIKTask | WalkTask:
    """Make a model, its first weights by the seed, and its task; for the arguments see there."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make(config).to(device)
    where = source, robots, measured, device
    if isinstance(model, GGIK):
        return GGIKTask(model, *where, compiled=compiled, bf16=bf16)
    task = WalkTask(model, *where, compiled=compiled, bf16=bf16)
    task.jitter = jitter
    return task
