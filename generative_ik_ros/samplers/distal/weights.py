"""A distal net and its chain in, a checkpoint out, and back."""

from collections.abc import Mapping
from pathlib import Path

import torch

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.checkpoint import (
    Checkpoint,
    CheckpointError,
    check_shapes,
    load_checkpoint,
)
from generative_ik_ros.samplers.distal.config import DistalConfig
from generative_ik_ros.samplers.distal.net import DistalNet
from generative_ik_ros.samplers.ikflow.joint_box import JointBox

NAME = "distal"


def to_checkpoint(
    config: DistalConfig,
    weights: Mapping[str, torch.Tensor],
    chain: KinematicChain,
    training: Mapping[str, object],
) -> Checkpoint:
    """Describe a net's weights for `save_checkpoint`."""
    return Checkpoint(
        sampler=NAME,
        fingerprint=chain.fingerprint,
        config=config.as_json(),
        training=training,
        tensors={name: values.detach().float().cpu().numpy() for name, values in weights.items()},
    )


def load_net(path: Path, chain: KinematicChain) -> tuple[DistalNet, Checkpoint]:
    """Read a net for a chain, ready to use.

    Raises:
        CheckpointError: The file is unusable; the message names it and the fault.
    """
    checkpoint = load_checkpoint(path, sampler=NAME, fingerprint=chain.fingerprint)
    try:
        config = DistalConfig.from_json(checkpoint.config)
    except GenerativeIKError as error:
        raise CheckpointError(f"{path}: {error}") from None
    if config.joints != chain.num_joints:
        raise CheckpointError(
            f"{path} is for {config.joints} joints, the chain has {chain.num_joints}"
        )
    box = JointBox.of(chain)
    # Made without memory first: the shapes are compared before anything is allocated.
    with torch.device("meta"):
        shapes = {
            name: tuple(values.shape) for name, values in DistalNet(config, box).named_parameters()
        }
    check_shapes(path, checkpoint.tensors, shapes)
    net = DistalNet(config, box)
    net.load_state_dict({name: torch.tensor(v) for name, v in checkpoint.tensors.items()})
    return net.eval().requires_grad_(False), checkpoint
