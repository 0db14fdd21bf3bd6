"""The training task of a GGIK model, by its configuration."""

from collections.abc import Mapping

import torch

from generative_ik_ros.learned.ggik.latent.model import LatentModel
from generative_ik_ros.learned.ggik.models import Config, make_model
from generative_ik_ros.learned.training.ggik_autoregressive_task import AutoregressiveTask
from generative_ik_ros.learned.training.ggik_data import ArmSource
from generative_ik_ros.learned.training.ggik_latent_task import LatentTask
from generative_ik_ros.robot.chain import KinematicChain


def ggik_task(
    source: ArmSource,
    config: Config,
    robots: Mapping[str, str],
    measured: Mapping[str, KinematicChain],
    device: torch.device,
    *,
    seed: int = 0,
    compiled: bool = False,
    bf16: bool = False,
    jitter: float = 0.0,
) -> LatentTask | AutoregressiveTask:
    """Make a model, its initial weights by the seed, and its task; see `GGIKTask`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make_model(config).to(device)
    shared = source, robots, measured, device
    if isinstance(model, LatentModel):
        return LatentTask(model, *shared, compiled=compiled, bf16=bf16)
    task = AutoregressiveTask(model, *shared, compiled=compiled, bf16=bf16)
    task.jitter = jitter
    return task
