"""A configuration of a model in, the task that trains such a model out."""

from collections.abc import Mapping

import torch

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.ggik.config import GGIKConfig, WalkConfig
from generative_ik_ros.training.ggik_data import ArmSource
from generative_ik_ros.training.ggik_task import GGIKTask
from generative_ik_ros.training.walk_task import WalkTask


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
    """Return the task; for the arguments see there."""
    given = {"seed": seed, "compiled": compiled, "bf16": bf16}
    if isinstance(config, WalkConfig):
        return WalkTask(source, config, robots, measured, device, jitter=jitter, **given)
    return GGIKTask(source, config, robots, measured, device, **given)
