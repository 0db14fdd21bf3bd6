"""Arms and a model's configuration in, what the training loop needs to train it out."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from generative_ik_ros.graph.arm_graph import ArmGraph
from generative_ik_ros.graph.recover import recover
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.checkpoint import Checkpoint
from generative_ik_ros.samplers.ggik.config import GGIKConfig
from generative_ik_ros.samplers.ggik.generate import decode_points
from generative_ik_ros.samplers.ggik.model import GGIK
from generative_ik_ros.samplers.ggik.problems import ArmProblems
from generative_ik_ros.samplers.ggik.weights import to_checkpoint
from generative_ik_ros.training.data import pose_errors
from generative_ik_ros.training.ggik_data import ArmSource
from generative_ik_ros.training.task import TrainingTask

_TARGETS, _SAMPLES, _HELD_OUT = 32, 32, 512
_ITERATIONS = 10
_NEAR, _TURNED = 1e-2, np.deg2rad(1.0)
"""What counts as success in the papers' tables: 1 cm and 1 degree."""


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
        self._measures = [
            _Measure(name, chain, config, device) for name, chain in measured.items()
        ]

    def loss(self, count: int, generator: torch.Generator) -> Tensor:
        """Return the mean negative lower bound of a batch [nats a node]."""
        problems, points = self._source.draw(count, generator)
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
        figures = {"held_out_loss": float(self.loss(_HELD_OUT, generator))}
        rows = [measure(self._model, generator) for measure in self._measures]
        for key in rows[0] if rows else ():
            figures[key] = float(np.mean([row[key] for row in rows]))
        for measure, row in zip(self._measures, rows, strict=True):
            figures[f"converged_in_10_{measure.name}"] = row["converged_in_10"]
        self._model.train()
        return figures

    def checkpoint(
        self, weights: Mapping[str, Tensor], training: Mapping[str, object]
    ) -> Checkpoint:
        """Describe weights for the sampler to load."""
        return to_checkpoint(self.config, weights, self.robots, training)


class _Measure:
    """Measures samples for fixed problems of one chain."""

    def __init__(self, name: str, chain: KinematicChain, config: GGIKConfig, device: torch.device):
        self.name, self._chain = name, chain
        self._exact = ArmGraph.of(chain)
        self._maker = ArmProblems(self._exact.to(device, torch.float32), config)
        lines = self._exact.lines
        unit = np.random.default_rng(0).uniform(-1.0, 1.0, (_TARGETS, lines.num_variables))
        self._wanted = lines.forward(lines.middle + lines.half * torch.tensor(unit))
        self._refiner = refiner_class("levenberg_marquardt")(chain, 1e-5, 1e-5)

    def __call__(self, model: GGIK, generator: torch.Generator) -> dict[str, float]:
        device = generator.device
        shape = (_SAMPLES, model.num_latents(self._maker.num_nodes), model.config.latent)
        chance = torch.rand(shape[:-1], generator=generator, device=device)
        normal = torch.randn(shape, generator=generator, device=device)
        wanted = self._wanted.to(device, torch.float32)
        problems = self._maker.of_targets(wanted)
        points = decode_points(model, problems, model.prior_of(problems), chance, normal)
        q = recover(self._exact, points.double().cpu())
        distance, angle = pose_errors(self._exact.lines.forward(q), self._wanted[:, None])
        near = ((distance < _NEAR) & (angle < _TURNED)).any(dim=1)
        return {
            "position_error_mm": float(distance.mean()) * 1e3,
            "orientation_error_deg": float(angle.mean().rad2deg()),
            "success": float(near.double().mean()),
            "inside_limits": float(self._inside(q.numpy())),
            "converged_in_10": self._convergence(q.numpy()),
        }

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        chain = self._chain
        return (
            np.where(chain.continuous, -np.pi, chain.lower),
            np.where(chain.continuous, np.pi, chain.upper),
        )

    def _inside(self, q: np.ndarray) -> float:
        lower, upper = self._bounds()
        return float(((q >= lower) & (q <= upper)).all(axis=-1).mean())

    def _convergence(self, q: np.ndarray) -> float:
        """Return the share of seeds that our local solver makes exact within 10 iterations."""
        chain = self._chain
        canonical = chain.canonical
        tip_in_base = (
            canonical.first_joint_in_base @ self._wanted.numpy() @ canonical.tip_in_last_joint
        )
        lower, upper = self._bounds()
        seeds = np.clip(q.reshape(-1, chain.num_joints), lower, upper)
        free = chain.continuous
        refined = self._refiner.refine(
            RefineTask(
                tip_in_base,
                seeds,
                np.repeat(np.arange(len(q)), q.shape[1]),
                np.where(free, -np.inf, lower),
                np.where(free, np.inf, upper),
                np.full(len(q), np.iinfo(np.int64).max),
            )
        )
        return float((refined.converged & (refined.iterations <= _ITERATIONS)).mean())


def sources_for(
    chains: Mapping[str, KinematicChain],
    config: GGIKConfig,
    device: torch.device,
    *,
    joints: Sequence[int] = (),
    vary: float = 0.0,
) -> list[ArmSource]:
    """Return the sources of a training.

    Args:
        chains: Arms to train on, or to vary, by name.
        config: What problems look like.
        device: Where they are made.
        joints: Numbers of joints of random arms; empty for none.
        vary: Largest relative change of the chains' lengths; 0 to take them as they are.
    """
    from generative_ik_ros.training.ggik_data import FixedArm, RandomArms, VariedArm

    sources: list[ArmSource] = [RandomArms(number, config) for number in joints]
    for chain in chains.values():
        fixed = vary == 0.0
        sources.append(
            FixedArm(chain, config, device) if fixed else VariedArm(chain, vary, config, device)
        )
    return sources
