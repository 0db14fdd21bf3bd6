"""A distal net and its chain in, a checkpoint out, and back."""

from collections.abc import Mapping
from pathlib import Path

import torch

from generative_ik_ros.learned.checkpoint import Checkpoint
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.distal.net import DistalNet
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.network_weights import describe, filled, read
from generative_ik_ros.robot.chain import KinematicChain

NAME = "distal"


def to_checkpoint(
    config: DistalConfig,
    weights: Mapping[str, torch.Tensor],
    chain: KinematicChain,
    training: Mapping[str, object],
) -> Checkpoint:
    """Describe a net's weights for `save_checkpoint`."""
    return describe(NAME, config, weights, chain, training)


def load_net(path: Path, chain: KinematicChain) -> tuple[DistalNet, Checkpoint]:
    """Read a net for a chain, ready to use.

    Raises:
        CheckpointError: The file is unusable; the message names it and the fault.
    """
    checkpoint, config = read(path, NAME, chain, DistalConfig.from_json)
    box = JointBox.of(chain)
    return filled(path, checkpoint, lambda: DistalNet(config, box)), checkpoint
