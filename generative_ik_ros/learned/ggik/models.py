"""The two kinds of GGIK model: a model by its configuration, a generator by its model."""

import torch

from generative_ik_ros.learned.ggik.autoregressive.generator import AutoregressiveGenerator
from generative_ik_ros.learned.ggik.autoregressive.known_distances import from_better_end
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.ggik.config import AutoregressiveConfig, LatentConfig
from generative_ik_ros.learned.ggik.latent.model import LatentGenerator, LatentModel
from generative_ik_ros.learned.graph.arm_graph import ArmGraph

Config = AutoregressiveConfig | LatentConfig
Model = AutoregressiveModel | LatentModel


def make_model(config: Config) -> Model:
    """Return an untrained model."""
    if isinstance(config, AutoregressiveConfig):
        return AutoregressiveModel(config)
    return LatentModel(config)


def arm_for(config: Config, arm: ArmGraph) -> ArmGraph:
    """Return an arm, in double precision, as a model of that configuration completes it."""
    return from_better_end(arm) if isinstance(config, AutoregressiveConfig) else arm


def generator_for(
    model: Model, arm: ArmGraph, device: torch.device | str
) -> AutoregressiveGenerator | LatentGenerator:
    """Return what draws configurations of an arm, in double precision, from a model."""
    if isinstance(model, AutoregressiveModel):
        return AutoregressiveGenerator(model, arm, device)
    return LatentGenerator(model, arm, device)
