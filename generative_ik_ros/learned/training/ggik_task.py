"""Arms and a model with latents in, what the training loop needs to train it out."""

from collections.abc import Callable
from functools import cached_property
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.nn import functional

from generative_ik_ros.learned.ggik.model import GGIK
from generative_ik_ros.learned.ggik.problems import ArmProblems, Problems
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.training.arms_task import ArmsTask


class GGIKTask(ArmsTask[GGIK]):
    """The evidence's lower bound (T-RO, equation 6; CoRL, equation 5), a node."""

    varying_shapes = False

    @property
    def _losses(self) -> Callable[..., Tensor]:
        return self._model.negative_elbo

    @cached_property
    def _makers(self) -> WeakKeyDictionary[ArmGraph, ArmProblems]:
        """Makers of problems; fixed arms come again and again."""
        return WeakKeyDictionary()

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative lower bound of a batch [nats a node]."""
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
            some, solved = solved_problems(arm, q, self._makers[arm])
            problems.append(some)
            points.append(solved)
        most = max(part.shape[-2] for part in points)
        points = [functional.pad(part, (0, 0, 0, most - part.shape[-2])) for part in points]
        return Problems.joined(problems), torch.cat(points)


def solved_problems(arm: ArmGraph, q: Tensor, maker: ArmProblems) -> tuple[Problems, Tensor]:
    """Return the problems that configurations (*S, n) solve, (B), and their points (B, N, 3)."""
    problems = maker.of_targets(arm.lines.forward(q))
    points = arm.points(q) / problems.scale[..., None, None]
    batch = q.ndim - 1
    parts = {
        name: getattr(problems, name).flatten(0, batch - 1)
        for name in Problems.__dataclass_fields__
    }
    return Problems(**parts), points.flatten(0, batch - 1)
