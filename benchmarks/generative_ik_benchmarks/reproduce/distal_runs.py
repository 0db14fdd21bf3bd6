"""A chain, an experiment's poses and settings in, the net trained on them out, kept on disk."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.learned.checkpoint import SUFFIX, CheckpointError
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.distal.weights import NAME, load_net
from generative_ik_ros.learned.training.data import PoseData
from generative_ik_ros.learned.training.distal_data import StoredPoses
from generative_ik_ros.learned.training.distal_task import DistalTask
from generative_ik_ros.learned.training.loop import Progress, state_path, train
from generative_ik_ros.learned.training.options import TrainOptions
from generative_ik_ros.robot.chain import KinematicChain

_FORMAT = 1
"""To be raised when the same settings come to mean another net."""


@dataclass(frozen=True)
class DistalRun:
    """How the net of an experiment is trained.

    Attributes:
        hidden: Width of the hidden layers.
        layers: Their number.
        steps: Steps of the training.
        penalty: Lambda in equation 3 [1/rad].
        pose_input: How the pose is given, see `DistalConfig`.
        batch: Poses a step.
        learning_rate: At its highest.
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


def trained_net(
    chain: KinematicChain,
    targets: NDArray[np.float64],
    run: DistalRun,
    folder: Path,
    *,
    device: torch.device | None = None,
    report: Callable[[Progress], None] = lambda _: None,
) -> Path:
    """Return the file of a net that has learned from some poses, training it if there is none.

    Args:
        chain: The chain.
        targets: (N, 4, 4) the poses it learns from, tip in base [m].
        run: How.
        folder: Where nets are kept.
        device: Where to train; None is the CPU.
        report: Called with the training's progress.

    Raises:
        CheckpointError: The file cannot be written.
    """
    path = folder / f"{NAME}-{_key(chain, targets, run)}{SUFFIX}"
    try:
        load_net(path, chain)
        return path
    except CheckpointError:
        pass
    where = torch.device("cpu") if device is None else device
    config = DistalConfig(
        chain.num_joints,
        hidden=run.hidden,
        layers=run.layers,
        pose_input=run.pose_input,
        position_scale=round(PoseData(chain, torch.device("cpu")).position_scale(), 6),
    )
    poses = StoredPoses(chain, targets, where)
    task = DistalTask(chain, config, where, penalty=run.penalty, poses=poses, seed=run.seed)
    options = TrainOptions(
        steps=run.steps,
        batch=run.batch,
        learning_rate=run.learning_rate,
        warm_up=min(200, run.steps // 5),
        ema=0.995,
        evaluate_every=0.0,
        seed=run.seed,
    )
    # Under another name first: a file of that name is a training that came to its end.
    draft = path.with_name(f"{path.stem}.draft{SUFFIX}")
    train(task, options, draft, fingerprint=chain.fingerprint, report=report)
    state_path(draft).unlink(missing_ok=True)
    draft.replace(path)
    return path


def _key(chain: KinematicChain, targets: NDArray[np.float64], run: DistalRun) -> str:
    """Name everything that the net depends on."""
    content = {"format": _FORMAT, "chain": chain.fingerprint, "run": asdict(run)}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    # Not to the last bit: forward kinematics may round otherwise on another machine.
    digest.update(np.round(chain.canonical_target(targets), 6).astype(np.float32).tobytes())
    digest.update(np.round(chain.canonical.tip_in_last_joint, 6).astype(np.float32).tobytes())
    return digest.hexdigest()[:16]
