"""Checkpoints of the networks that are trained for one chain: writing, reading, checking."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import Checkpoint, CheckpointError, load_checkpoint
from generative_ik_ros.learned.settings import ChainConfig
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class BatchTuning:
    """How many samples a model is asked for."""

    spare: float = 1.8
    """Converging seeds per solution wanted, more than needed: a second batch costs more."""
    least_converged: float = 0.2
    """Share of converging seeds below which a model is not relied on."""


TUNING = BatchTuning()


AnyConfig = TypeVar("AnyConfig", bound=ChainConfig)
AnyNetwork = TypeVar("AnyNetwork", bound=torch.nn.Module)


def describe(
    sampler: str,
    config: ChainConfig,
    weights: Mapping[str, torch.Tensor],
    chain: KinematicChain,
    training: Mapping[str, object],
) -> Checkpoint:
    """Return a network's weights and their description for `save_checkpoint`."""
    return Checkpoint(
        sampler=sampler,
        fingerprint=chain.fingerprint,
        config=config.as_json(),
        training=training,
        tensors={name: values.detach().float().cpu().numpy() for name, values in weights.items()},
    )


def read(
    path: Path, sampler: str, chain: KinematicChain, config_class: type[AnyConfig]
) -> tuple[Checkpoint, AnyConfig]:
    """Read a checkpoint that was made for a chain, and its configuration.

    Raises:
        CheckpointError: The file is unusable; the message names it and says why.
    """
    checkpoint = load_checkpoint(path, sampler=sampler, fingerprint=chain.fingerprint)
    try:
        config = config_class.from_json(checkpoint.config)
    except GenerativeIKError as error:
        raise CheckpointError(f"{path}: {error}") from None
    if config.joints != chain.num_joints:
        raise CheckpointError(
            f"{path} is for {config.joints} joints, the chain has {chain.num_joints}"
        )
    return checkpoint, config


def filled(path: Path, checkpoint: Checkpoint, make: Callable[[], AnyNetwork]) -> AnyNetwork:
    """Make a network with the weights of a checkpoint, ready to use.

    Raises:
        CheckpointError: The weights do not fit.
    """
    tensors = {name: torch.tensor(values) for name, values in checkpoint.tensors.items()}
    try:
        # Made without memory first: the shapes are compared before anything is allocated.
        with torch.device("meta"):
            make().load_state_dict(tensors, assign=True)
    except RuntimeError as error:
        raise CheckpointError(f"{path}: {' '.join(str(error).split())}") from None
    network = make()
    network.load_state_dict(tensors)
    return network.eval().requires_grad_(False)


def seeds_per_solution(
    training: Mapping[str, object], names: Sequence[str] = ("converged_in_10",)
) -> float | None:
    """Return how many seeds a solution takes, by the first of the figures that a training has.

    None where it has none of them, or too few of its seeds converge to rely on it.
    """
    figures = training.get("figures")
    if not isinstance(figures, Mapping):
        return None
    converged = next((figures[name] for name in names if name in figures), 0.0)
    return TUNING.spare / converged if converged > TUNING.least_converged else None


def in_blocks(matrices: torch.Tensor) -> NDArray[np.float32]:
    """Store matrices (*B, I, O) as (*B, ceil(O / 4), I, 4), padded with 0: in order of use."""
    block = 4  # outputs that are accumulated together, in registers
    values = matrices.detach().float().cpu().numpy()
    *batch, inputs, outputs = values.shape
    filled = np.zeros((*batch, inputs, -(-outputs // block) * block), np.float32)
    filled[..., :outputs] = values
    split = filled.reshape(*batch, inputs, filled.shape[-1] // block, block)
    return np.ascontiguousarray(np.swapaxes(split, -2, -3))


def single(values: torch.Tensor) -> NDArray[np.float32]:
    """Return numbers in single precision."""
    return np.ascontiguousarray(values.detach().cpu().numpy(), np.float32)
