"""Arms and a model's configuration in, what the loop needs to train it joint by joint out."""

from collections.abc import Mapping

import torch
from torch import Tensor

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.checkpoint import Checkpoint
from generative_ik_ros.samplers.ggik.config import WalkConfig
from generative_ik_ros.samplers.ggik.steps import seen_and_told
from generative_ik_ros.samplers.ggik.walk import Walk
from generative_ik_ros.samplers.ggik.weights import to_checkpoint
from generative_ik_ros.training.ggik_data import ArmSource
from generative_ik_ros.training.ggik_measure import HELD_OUT, Measures
from generative_ik_ros.training.task import TrainingTask

_EACH = 4
"""Configurations of every random arm: drawing and reading an arm is half the work."""
_LEAST_JITTER = 1e-3
"""The largest jitter is an option, the least one is this [rad]."""


class WalkTask(TrainingTask):
    """Minus the log-likelihood of solutions, a joint that does not follow from the others.

    Args:
        source: Where arms come from.
        config: The model's shape.
        robots: Fingerprints by name of the arms that the source draws; empty for random ones.
        measured: Chains to evaluate on, by name.
        device: Where to train.
        seed: Of the first weights.
        compiled: Compile the network with torch.compile.
        bf16: Multiply matrices in bfloat16.
        jitter: Largest error of the joint before, for half of the steps; 0 for none [rad].
    """

    def __init__(
        self,
        source: ArmSource,
        config: WalkConfig,
        robots: Mapping[str, str],
        measured: Mapping[str, KinematicChain],
        device: torch.device,
        *,
        seed: int = 0,
        compiled: bool = False,
        bf16: bool = False,
        jitter: float = 0.0,
    ):
        """Make the model and the problems that it is evaluated on."""
        self.device, self.config, self.robots = device, config, robots
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._model = Walk(config).to(device)
        self.model = self._model
        self._source, self._bf16, self._jitter = source, bf16, jitter
        self._likelihood = self._log_prob
        if compiled:
            self._likelihood = torch.compile(self._log_prob, dynamic=True)
        self._measures = Measures(measured, device)

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
        likelihood = self._likelihood if self._model.training else self._log_prob
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16):
            return -likelihood(torch.cat(left), torch.cat(numbers), torch.cat(angles)).mean()

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Measure the likelihood, raw errors, success and convergence."""
        self._model.eval()
        generator = torch.Generator(self.device).manual_seed(1)
        figures = {"held_out_loss": float(self.loss(HELD_OUT, generator))}
        figures |= self._measures(self._model)
        self._model.train()
        return figures

    def checkpoint(
        self, weights: Mapping[str, Tensor], training: Mapping[str, object]
    ) -> Checkpoint:
        """Describe weights for the sampler to load."""
        return to_checkpoint(self.config, weights, self.robots, training)

    def _off(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor | None:
        """Draw errors of joints, of any order of magnitude up to the largest [rad]."""
        if not self._jitter:
            return None
        device = generator.device
        off = torch.randn(shape, generator=generator, device=device)
        sizes, chosen = torch.rand((2, *shape), generator=generator, device=device)
        ratio = max(self._jitter / _LEAST_JITTER, 1.0)
        return torch.where(chosen < 0.5, off * _LEAST_JITTER * ratio**sizes, torch.zeros_like(off))

    def _log_prob(self, left: Tensor, numbers: Tensor, angles: Tensor) -> Tensor:
        return self._model(left, numbers).log_prob(angles)
