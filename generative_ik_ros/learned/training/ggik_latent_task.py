"""Training of a GGIK model with latent variables: the evidence lower bound."""

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.nn import functional

from generative_ik_ros.learned.ggik.latent.model import LatentModel
from generative_ik_ros.learned.ggik.latent.problems import ArmProblems, Problems
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.training.ggik_task import GGIKTask


class LatentTask(GGIKTask[LatentModel]):
    """The negative lower bound (T-RO, equation 6; CoRL, equation 5), per node."""

    batch_sizes = {"cpu": 64, "cuda": 2048}
    # The first bounds are hundreds of nats, and fall or jump by as much.
    patience = 1e3
    varying_shapes = False
    batch_sizes: ClassVar = {"cpu": 64, "cuda": 2048}
    patience = 1e3
    """The first bounds are hundreds of nats, and fall or jump by as much."""

    @property
    def _losses(self) -> Callable[..., Tensor]:
        return self._model.negative_elbo

    @cached_property
    def _makers(self) -> WeakKeyDictionary[ArmGraph, ArmProblems]:
        """Makers of problems; fixed arms are drawn again and again."""
        return WeakKeyDictionary()

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative lower bound of a batch [nats per node]."""
        problems, points = self._problems(count, generator)
        shape = (count, self._model.num_latents(points.shape[-2]), self._model.config.latent)
        normal = torch.randn(shape, generator=generator, device=self.device)
        return self._mean(problems, points, normal)

    def _problems(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return problems and their complete points (B, N, 3), shares of the arm's length."""
        problems, points = [], []
        for arm, q in self._source.draw(count, generator):
            if arm not in self._makers:
                self._makers[arm] = ArmProblems(arm, self._model.config)
            some = self._makers[arm].of_targets(arm.lines.forward(q))
            solved = arm.points(q) / some.scale[..., None, None]
            problems.append(some.flattened())
            points.append(solved.flatten(0, -3))
        most = max(part.shape[-2] for part in points)
        points = [functional.pad(part, (0, 0, 0, most - part.shape[-2])) for part in points]
        return Problems.joined(problems), torch.cat(points)
