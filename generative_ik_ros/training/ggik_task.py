"""Arms and a model's configuration in, what the training loop needs to train it out."""

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.nn import functional

from generative_ik_ros.graph.arm_graph import ArmGraph
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.checkpoint import Checkpoint
from generative_ik_ros.samplers.ggik.config import GGIKConfig
from generative_ik_ros.samplers.ggik.model import GGIK
from generative_ik_ros.samplers.ggik.problems import ArmProblems, Problems
from generative_ik_ros.samplers.ggik.weights import to_checkpoint
from generative_ik_ros.training.ggik_data import ArmSource
from generative_ik_ros.training.ggik_measure import HELD_OUT, Measures
from generative_ik_ros.training.task import TrainingTask


class GGIKTask(TrainingTask):
    """The evidence's lower bound (T-RO, equation 6; CoRL, equation 5), a node.

    Args:
        source: Where problems come from.
        config: The model's shape.
        robots: Fingerprints by name of the arms that the source draws; empty for random ones.
        measured: Chains to evaluate on, by name.
        device: Where to train.
        seed: Of the first weights.
        compiled: Compile the bound with torch.compile.
        bf16: Multiply matrices in bfloat16.
    """

    def __init__(
        self,
        source: ArmSource,
        config: GGIKConfig,
        robots: Mapping[str, str],
        measured: Mapping[str, KinematicChain],
        device: torch.device,
        *,
        seed: int = 0,
        compiled: bool = False,
        bf16: bool = False,
    ):
        """Make the model and the problems that it is evaluated on."""
        self.device, self.config, self.robots = device, config, robots
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._model = GGIK(config).to(device)
        self.model = self._model
        self._source, self._bf16 = source, bf16
        self._bound = self._model.negative_elbo
        if compiled:
            self._bound = torch.compile(self._bound, dynamic=False)
        self._measures = Measures(measured, device)
        self._makers: WeakKeyDictionary[ArmGraph, ArmProblems] = WeakKeyDictionary()

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative lower bound of a batch [nats a node]."""
        problems, points = self._problems(count, generator)
        shape = (count, self._model.num_latents(points.shape[-2]), self.config.latent)
        normal = torch.randn(shape, generator=generator, device=self.device)
        bound = self._bound if self._model.training else self._model.negative_elbo
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16):
            return bound(problems, points, normal).mean()

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Measure the bound, raw errors, success and convergence; means over the chains."""
        self._model.eval()  # compiled code is for the training's batches only
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

    def _problems(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return problems and their complete points (B, N, 3), shares of the arm's length."""
        problems, points = [], []
        for arm, q in self._source.draw(count, generator):
            some, solved = solved_problems(arm, q, self._maker(arm))
            problems.append(some)
            points.append(solved)
        most = max(part.shape[-2] for part in points)
        points = [functional.pad(part, (0, 0, 0, most - part.shape[-2])) for part in points]
        return Problems.joined(problems), torch.cat(points)

    def _maker(self, arm: ArmGraph) -> ArmProblems:
        """Return the arm's maker of problems; fixed arms come again and again."""
        maker = self._makers.get(arm)
        if maker is None:
            maker = self._makers[arm] = ArmProblems(arm, self.config)
        return maker


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
