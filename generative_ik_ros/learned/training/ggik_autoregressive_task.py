"""Training of an autoregressive GGIK model: maximum likelihood, one joint after the other."""

from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.autoregressive.goal_features import training_pairs
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.training.ggik_task import GGIKTask

_EACH = 4
"""Configurations of every random arm: drawing and encoding an arm is half the work."""
_LEAST_JITTER = 1e-3
"""Joint errors are drawn from this up to the largest one [rad]."""


class AutoregressiveTask(GGIKTask[AutoregressiveModel]):
    """The negative log-likelihood of solutions, per sampled joint.

    Attributes:
        jitter: Largest error of the joint before, for half of the steps; 0 for none [rad].
    """

    batch_sizes = {"cpu": 512, "cuda": 8192}
    varying_shapes = True
    batch_sizes: ClassVar = {"cpu": 512, "cuda": 8192}
    jitter = 0.0

    @property
    def _losses(self) -> Callable[..., Tensor]:
        return self._negative_log_prob

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative log-likelihood of a batch [nats per joint]."""
        encodings, features, angles = [], [], []
        for arm, q in self._source.draw(count, generator, _EACH):
            links = arm.links
            encoded = self._model.encode(links)
            errors = self._errors((*q.shape[:-1], links.num_joints), generator)
            for joint, seen, angle in training_pairs(links, q, errors):
                encodings.append(encoded[joint].expand(*angle.shape, -1).flatten(0, -2))
                features.append(seen.flatten(0, -2))
                angles.append(angle.flatten())
        return self._mean(torch.cat(encodings), torch.cat(features), torch.cat(angles))

    def _errors(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor | None:
        """Draw errors of joints, of any order of magnitude up to the largest [rad]."""
        if not self.jitter:
            return None
        device = generator.device
        normal = torch.randn(shape, generator=generator, device=device)
        sizes, chosen = torch.rand((2, *shape), generator=generator, device=device)
        ratio = max(self.jitter / _LEAST_JITTER, 1.0)
        errors = normal * _LEAST_JITTER * ratio**sizes
        return torch.where(chosen < 0.5, errors, torch.zeros_like(errors))

    def _negative_log_prob(self, encodings: Tensor, features: Tensor, angles: Tensor) -> Tensor:
        return -self._model(encodings, features).log_prob(angles)
