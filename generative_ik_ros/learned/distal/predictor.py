"""Evaluation of distal networks: a pose in, one configuration per network out."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.learned.distal.weights import load_net
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse

_SLAB = 1 << 13
"""Most poses at once: bounds the memory."""


class DistalPredictor:
    """Evaluates the networks once per pose, without refinement or checks.

    Args:
        path: Weight file.
        chain: The chain they are for.
        device: "cpu", in double precision, so that requests of different lengths differ by
            rounding only, or "cuda", in single precision.

    Attributes:
        members: Configurations per pose.
        box: Ranges of the chain's joints.

    Raises:
        CheckpointError: The file is unusable.
    """

    def __init__(self, path: Path, chain: KinematicChain, device: str = "cpu"):
        """Load the weights."""
        net, self.checkpoint = load_net(path, chain)
        self._dtype = torch.float64 if device == "cpu" else torch.float32
        self._net, self._device = net.to(device, self._dtype), device
        self.members, self.box = net.config.members, JointBox.of(chain)
        self._first_in_base = inverse(chain.canonical.first_joint_in_base)
        self._last_in_tip = inverse(chain.canonical.tip_in_last_joint)

    def boxed(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points (T, M, n) of the joint box for poses (T, 4, 4), tip in base [m]."""
        poses = torch.as_tensor(self._first_in_base @ targets @ self._last_in_tip)
        boxed = np.empty((len(targets), self.members, len(self.box.half)))
        with torch.inference_mode():
            for i in range(0, len(targets), _SLAB):
                slab = poses[i : i + _SLAB].to(self._device, self._dtype)
                boxed[i : i + _SLAB] = self._net(slab).transpose(0, 1).cpu().numpy()
        return boxed

    def configurations(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return configurations (T, M, n), also those beyond the limits [rad or m]."""
        return self.box.middle + self.box.half * self.boxed(targets)
