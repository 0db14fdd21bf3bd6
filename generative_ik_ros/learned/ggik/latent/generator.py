"""Configurations from a model with latent variables, by way of complete graphs."""

import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.generator import Generator
from generative_ik_ros.learned.ggik.latent.model import LatentModel
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems
from generative_ik_ros.learned.graph.arm_graph import ArmGraph, recover


class LatentGenerator(Generator):
    """Decodes complete graphs, and returns the configurations closest to them.

    Args:
        model: The model.
        arm: One arm, in double precision.
        device: Where the model is.
    """

    def __init__(self, model: LatentModel, arm: ArmGraph, device: torch.device | str):
        """Put the arm on the device."""
        self._model, self._arm = model, arm
        dtype = next(model.parameters()).dtype
        self._maker = ArmProblems(arm.to(device, dtype), model.config)
        self._latents = model.num_latents(self._maker.num_nodes)
        self.width = self._latents * (1 + model.config.latent)

    def draw(self, targets: Tensor, unit: Tensor) -> Tensor:
        """Return configurations, see `Generator`; points that base and target fix stay there."""
        problems = self._maker.of_targets(targets)
        unit = unit.unflatten(-1, (self._latents, -1))
        # Not quite 0 or 1, which would be infinite.
        normal = torch.special.ndtri(unit[..., 1:].clamp(1e-6, 1.0 - 1e-6))
        prior = self._model.prior_of(problems)[:, None]
        chance, normal = (
            part.expand(len(targets), *part.shape) for part in (unit[..., 0], normal)
        )
        latents = prior.sample(chance, normal)
        one = problems[:, None]
        points = self._model.decode(latents, one)
        points = torch.where(one.known[..., None], one.positions, points)
        points = points * problems.scale[:, None, None, None]
        return recover(self._arm, points.double().cpu())
