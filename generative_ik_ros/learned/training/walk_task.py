"""Arms and a walk in, what the loop needs to train it joint by joint out."""

from collections.abc import Callable

import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.steps import seen_and_told
from generative_ik_ros.learned.ggik.walk import Walk
from generative_ik_ros.learned.training.arms_task import ArmsTask

_EACH = 4
"""Configurations of every random arm: drawing and reading an arm is half the work."""
_LEAST_JITTER = 1e-3
"""The largest jitter is an option, the least one is this [rad]."""


class WalkTask(ArmsTask[Walk]):
    """Minus the log-likelihood of solutions, a joint that does not follow from the others.

    Attributes:
        jitter: Largest error of the joint before, for half of the steps; 0 for none [rad].
    """

    varying_shapes = True
    jitter = 0.0

    @property
    def _losses(self) -> Callable[..., Tensor]:
        return self._minus_log_prob

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative log-likelihood of a batch [nats a joint]."""
        left, numbers, angles = [], [], []
        for arm, q in self._source.draw(count, generator, _EACH):
            links = arm.links
            heard = self._model.arms_left(links)
            off = self._off((*q.shape[:-1], links.num_joints), generator)
            for joint, seen, angle in seen_and_told(links, q, off):
                shape = angle.shape
                left.append(heard[joint].expand(*shape, -1).reshape(-1, heard[joint].shape[-1]))
                numbers.append(seen.reshape(-1, seen.shape[-1]))
                angles.append(angle.reshape(-1))
        return self._mean(torch.cat(left), torch.cat(numbers), torch.cat(angles))

    def _off(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor | None:
        """Draw errors of joints, of any order of magnitude up to the largest [rad]."""
        if not self.jitter:
            return None
        device = generator.device
        off = torch.randn(shape, generator=generator, device=device)
        sizes, chosen = torch.rand((2, *shape), generator=generator, device=device)
        ratio = max(self.jitter / _LEAST_JITTER, 1.0)
        return torch.where(chosen < 0.5, off * _LEAST_JITTER * ratio**sizes, torch.zeros_like(off))

    def _minus_log_prob(self, left: Tensor, numbers: Tensor, angles: Tensor) -> Tensor:
        return -self._model(left, numbers).log_prob(angles)
