"""The member networks of distal teaching, a torch module.

M members, F pose features, H hidden, L layers, n joints; `row @ matrix`, ReLU between:

- `first` (M, F, H) and `first_bias` (M, 1, H), `middle` (M, L - 1, H, H) and `middle_bias`
  (M, L - 1, H), `last` (M, H, 2 n) and `last_bias` (M, 1, 2 n).

The two outputs of a joint are the sine and the cosine of its angle from the middle of its range,
up to a common factor (von Oehsen et al., section III-C).
"""

import math
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from generative_ik_ros.learned.checkpoint import Checkpoint
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.ikflow.pose_features import num_features, pose_features
from generative_ik_ros.learned.network_weights import describe, filled, read
from generative_ik_ros.robot.chain import KinematicChain


class DistalNet(nn.Module):
    """Fully connected networks that are evaluated together; the box has the joints' ranges."""

    def __init__(self, config: DistalConfig, box: JointBox):
        """Make the weights (He et al., Delving deep into rectifiers, 2015)."""
        super().__init__()
        self.config = config
        members, hidden, inner = config.members, config.hidden, config.layers - 1
        inputs, outputs = num_features(config.pose_input), 2 * config.joints
        self.first = _matrices((members, inputs, hidden))
        self.first_bias = nn.Parameter(0.1 * torch.randn(members, 1, hidden))
        self.middle = _matrices((members, inner, hidden, hidden))
        self.middle_bias = nn.Parameter(torch.zeros(members, inner, hidden))
        self.last = _matrices((members, hidden, outputs))
        self.last_bias = nn.Parameter(torch.zeros(members, 1, outputs))
        self.half_range: Tensor
        self.prismatic: Tensor
        half = torch.tensor(box.half, dtype=torch.float32).clamp(min=1e-9)
        self.register_buffer("half_range", half, persistent=False)
        self.register_buffer("prismatic", torch.tensor(box.prismatic), persistent=False)

    def forward(self, last_in_first: Tensor) -> Tensor:
        """Compute configurations.

        Args:
            last_in_first: (T, 4, 4) canonical poses [m].

        Returns:
            (M, T, n) points of the `JointBox`: joints within their limits are in [-1, 1], revolute
            joints may be beyond.
        """
        row = pose_features(self.config, last_in_first)
        row = torch.relu(row @ self.first + self.first_bias)
        for i in range(self.config.layers - 1):
            row = torch.relu(row @ self.middle[:, i] + self.middle_bias[:, i : i + 1])
        sine, cosine = (row @ self.last + self.last_bias).unflatten(-1, (-1, 2)).unbind(-1)
        angle = torch.atan2(sine, cosine)
        # A prismatic joint is not on a circle: the sine keeps it within its limits.
        return torch.where(self.prismatic, torch.sin(angle), angle / self.half_range)


def _matrices(shape: tuple[int, ...]) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape) * math.sqrt(2.0 / shape[-2]))


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
