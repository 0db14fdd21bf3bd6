"""Training configurations of the experiments on distal teaching, and the folder of their nets."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from generative_ik_benchmarks.reproduce.distal_mechanisms import (
    Mechanism,
    far_poses,
    training_poses,
)
from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.checkpoint import SUFFIX, CheckpointError
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.distal.net import NAME
from generative_ik_ros.learned.distal.sampler import DistalPredictor
from generative_ik_ros.learned.training.config import TrainOptions
from generative_ik_ros.learned.training.data import position_scale
from generative_ik_ros.learned.training.distal_task import DistalTask, Poses
from generative_ik_ros.learned.training.loop import Progress, state_path, train
from generative_ik_ros.robot.chain import KinematicChain

_FORMAT = 1
"""To be raised when the same settings come to mean another net."""


@dataclass(frozen=True)
class TrainingConfig:
    """What one net is trained on.

    Attributes:
        mechanism: The mechanism.
        samples: Training poses.
        penalty: Lambda in equation 3 [1/rad].
        limited: Whether on the chain with the limits of table II.
        swapped: Training poses that are replaced by unreachable ones.
    """

    mechanism: Mechanism
    samples: int
    penalty: float = 0.0
    limited: bool = False
    swapped: int = 0

    @property
    def chain(self) -> KinematicChain:
        """The chain."""
        return self.mechanism.limited if self.limited else self.mechanism.chain

    @property
    def label(self) -> str:
        """How lines of progress name it."""
        parts = [self.mechanism.name, f"{self.samples} poses"]
        if self.limited or self.penalty:
            parts.append(f"lambda {self.penalty:g}")
        if self.swapped:
            parts.append(f"{self.swapped} of them unreachable")
        return ", ".join(parts)

    def poses(self, seed: int) -> Floats:
        """Return the training poses (samples, 4, 4), tip in base [m]."""
        poses = training_poses(self.chain, self.samples, seed)
        if self.swapped:
            poses[: self.swapped] = far_poses(self.mechanism, self.swapped, seed + 1)
        return poses


def by_size(mechanism: Mechanism) -> list[TrainingConfig]:
    """Return the configurations of table I, smallest set first."""
    return [TrainingConfig(mechanism, samples) for samples in mechanism.samples]


def by_penalty(mechanism: Mechanism) -> list[TrainingConfig]:
    """Return the configurations of table II, one for each lambda."""
    limited, size = mechanism.assumed_range is not None, mechanism.samples[1]
    return [TrainingConfig(mechanism, size, penalty, limited) for penalty in mechanism.penalties]


def by_reachability(mechanism: Mechanism) -> list[TrainingConfig]:
    """Return the configurations of table IV: without and with unreachable poses."""
    size = mechanism.samples[1]
    return [TrainingConfig(mechanism, size, swapped=count) for count in (0, mechanism.swapped)]


@dataclass(frozen=True)
class Hyperparameters:
    """How a net is trained.

    Attributes:
        hidden: Width of the hidden layers.
        layers: Number of hidden layers.
        steps: Training steps.
        penalty: Lambda in equation 3 [1/rad].
        pose_input: How the pose is given, see `DistalConfig`.
        batch: Poses a step.
        learning_rate: Highest learning rate.
        seed: Of the first weights and of the batches.
    """

    hidden: int
    layers: int
    steps: int
    penalty: float = 0.0
    pose_input: str = "cylindrical"
    batch: int = 256
    learning_rate: float = 2e-3
    seed: int = 0


class NetFolder:
    """A folder of nets, which are trained when they are first asked for.

    Args:
        folder: The folder.
        effort: Factor of the training steps.
        seed: Of the training poses.
        device: Where to train; None is the CPU.
        say: Called with lines of progress.
    """

    def __init__(
        self,
        folder: Path,
        effort: float = 1.0,
        seed: int = 1,
        device: torch.device | None = None,
        say: Callable[[str], None] = lambda _: None,
    ):
        """Remember the settings."""
        self._folder, self._effort, self._seed = folder, effort, seed
        self._device, self._say = device or torch.device("cpu"), say

    def net(self, config: TrainingConfig) -> DistalPredictor:
        """Return the net of a training configuration.

        Raises:
            CheckpointError: The file cannot be written.
        """
        mechanism, chain, targets = config.mechanism, config.chain, config.poses(self._seed)
        steps = max(10, round(self._effort * mechanism.steps))
        how = Hyperparameters(mechanism.hidden, mechanism.layers, steps, config.penalty)
        path = self._folder / f"{NAME}-{_key(chain, targets, how)}{SUFFIX}"
        try:
            return DistalPredictor(path, chain)
        except CheckpointError:

            def report(progress: Progress) -> None:
                self._say(
                    f"{config.label}: step {progress.step}, loss {progress.loss:.3f}, "
                    f"{progress.seconds_left:.0f} s left"
                )

            _train(chain, targets, how, path, self._device, report)
            return DistalPredictor(path, chain)


def stored_poses(chain: KinematicChain, targets: Floats, device: torch.device) -> Poses:
    """Return random picks of a fixed number of poses, to learn how many are needed.

    Args:
        chain: The chain.
        targets: (N, 4, 4) poses, tip in base [m]; they need not be reachable.
        device: Where they are kept.
    """
    poses = torch.tensor(chain.canonical_target(targets), dtype=torch.float32, device=device)

    def draw(count: int, generator: torch.Generator) -> torch.Tensor:
        return poses[torch.randint(len(poses), (count,), generator=generator, device=device)]

    return draw


def _train(
    chain: KinematicChain,
    targets: Floats,
    how: Hyperparameters,
    path: Path,
    device: torch.device,
    report: Callable[[Progress], None],
) -> None:
    """Train a net on poses (N, 4, 4) and write it."""
    config = DistalConfig(
        joints=chain.num_joints,
        hidden=how.hidden,
        layers=how.layers,
        pose_input=how.pose_input,
        position_scale=position_scale(chain),
    )
    poses = stored_poses(chain, targets, device)
    task = DistalTask(chain, config, device, penalty=how.penalty, poses=poses, seed=how.seed)
    options = TrainOptions(
        steps=how.steps,
        batch=how.batch,
        learning_rate=how.learning_rate,
        warm_up=min(200, how.steps // 5),
        ema=0.995,
        evaluate_every=0.0,
        seed=how.seed,
    )
    # Under another name first: a file with the final name is a training that came to its end.
    draft = path.with_name(f"{path.stem}.draft{SUFFIX}")
    train(task, options, draft, fingerprint=chain.fingerprint, report=report)
    state_path(draft).unlink(missing_ok=True)
    draft.replace(path)


def _key(chain: KinematicChain, targets: Floats, how: Hyperparameters) -> str:
    """Return a digest of everything that the net depends on."""
    content = {"format": _FORMAT, "chain": chain.fingerprint, "run": asdict(how)}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    # Not to the last bit: forward kinematics may round otherwise on another machine.
    digest.update(np.round(chain.canonical_target(targets), 6).astype(np.float32).tobytes())
    digest.update(np.round(chain.canonical.tip_in_last_joint, 6).astype(np.float32).tobytes())
    return digest.hexdigest()[:16]
