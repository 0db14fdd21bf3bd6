"""Training configurations of the experiments on distal teaching, and the folder of their nets."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
_INPUT: dict[str, Any] = {"pose_input": "cylindrical"}
_STEPS: dict[str, Any] = {"batch": 256, "learning_rate": 2e-3, "seed": 0}
"""What all nets have in common."""


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


class NetFolder:
    """A folder of nets, which are trained when they are first asked for.

    The effort is a factor of the training steps, the seed that of the training poses.
    """

    def __init__(
        self,
        folder: Path,
        effort: float = 1.0,
        seed: int = 1,
        device: torch.device | None = None,
        say: Callable[[str], None] = lambda _: None,
    ):
        self._folder, self._effort, self._seed = folder, effort, seed
        self._device, self._say = device or torch.device("cpu"), say

    def net(self, config: TrainingConfig) -> DistalPredictor:
        """Return the net of a training configuration.

        Raises:
            CheckpointError: The file cannot be written.
        """
        mechanism, chain, targets = config.mechanism, config.chain, config.poses(self._seed)
        steps = max(10, round(self._effort * mechanism.steps))
        shape = {"hidden": mechanism.hidden, "layers": mechanism.layers, **_INPUT}
        how = {"steps": steps, **_STEPS}
        key = _key(chain, targets, {**shape, **how, "penalty": config.penalty})
        path = self._folder / f"{NAME}-{key}{SUFFIX}"
        try:
            return DistalPredictor(path, chain)
        except CheckpointError:
            scale, poses = position_scale(chain), _picks(chain, targets, self._device)
            net = DistalConfig(joints=chain.num_joints, position_scale=scale, **shape)
            task = DistalTask(chain, net, self._device, penalty=config.penalty, poses=poses)
            self._train(task, how, path, config.label)
            return DistalPredictor(path, chain)

    def _train(self, task: DistalTask, how: Mapping[str, Any], path: Path, label: str) -> None:
        """Train a net and write it."""

        def report(progress: Progress) -> None:
            self._say(
                f"{label}: step {progress.step}, loss {progress.loss:.3f}, "
                f"{progress.seconds_left:.0f} s left"
            )

        warm_up = min(200, how["steps"] // 5)
        options = TrainOptions(warm_up=warm_up, ema=0.995, evaluate_every=0.0, **how)
        # Under another name first: a file with the final name is a training that came to its end.
        draft = path.with_name(f"{path.stem}.draft{SUFFIX}")
        train(task, options, draft, fingerprint=task.chain.fingerprint, report=report)
        state_path(draft).unlink(missing_ok=True)
        draft.replace(path)


def _picks(chain: KinematicChain, targets: Floats, device: torch.device) -> Poses:
    """Return random picks of poses (N, 4, 4), to learn how many are needed."""
    poses = torch.tensor(chain.canonical_target(targets), dtype=torch.float32, device=device)

    def draw(count: int, generator: torch.Generator) -> torch.Tensor:
        return poses[torch.randint(len(poses), (count,), generator=generator, device=device)]

    return draw


def _key(chain: KinematicChain, targets: Floats, run: Mapping[str, Any]) -> str:
    """Return a digest of everything that the net depends on."""
    content = {"format": _FORMAT, "chain": chain.fingerprint, "run": run}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    # Not to the last bit: forward kinematics may round otherwise on another machine.
    digest.update(np.round(chain.canonical_target(targets), 6).astype(np.float32).tobytes())
    digest.update(np.round(chain.canonical.tip_in_last_joint, 6).astype(np.float32).tobytes())
    return digest.hexdigest()[:16]
