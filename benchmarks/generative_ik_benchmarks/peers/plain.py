"""A chain comes in; goes out unchanged if it is what textbooks solve: turning joints, one each."""

import numpy as np

from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain


def require_turning_joints(chain: KinematicChain, counts: tuple[int, ...] | None = None) -> None:
    """Refuse sliding and mimic joints, and other numbers of joints than those given.

    Raises:
        UnsupportedChainError: The chain is another kind; the message says which.
    """
    if chain.prismatic.any():
        raise UnsupportedChainError("takes turning joints only, no sliding ones")
    moving = len(chain.joint_origins)
    mimics = moving != chain.num_joints or (chain.joint_variable != np.arange(moving)).any()
    if mimics or (chain.joint_multiplier != 1.0).any() or (chain.joint_offset != 0.0).any():
        raise UnsupportedChainError("takes no mimic joints")
    if counts is not None and chain.num_joints not in counts:
        words = " or ".join(str(count) for count in counts)
        raise UnsupportedChainError(f"takes {words} joints, not {chain.num_joints}")
