"""Weight files of distal networks."""

from functools import partial
from pathlib import Path

from generative_ik_ros.learned.checkpoint import Checkpoint
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.distal.net import DistalNet
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.network_weights import describe, filled, read
from generative_ik_ros.robot.chain import KinematicChain

NAME = "distal"

to_checkpoint = partial(describe, NAME)


def load_net(path: Path, chain: KinematicChain) -> tuple[DistalNet, Checkpoint]:
    """Read the networks for a chain, ready to use.

    Raises:
        CheckpointError: The file is unusable; the message names it and says why.
    """
    checkpoint, config = read(path, NAME, chain, DistalConfig)
    box = JointBox.of(chain)
    return filled(path, checkpoint, lambda: DistalNet(config, box)), checkpoint
