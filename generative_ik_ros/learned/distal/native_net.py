"""The networks of distal teaching in the native core, in single precision."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.learned.device_network import DeviceNetwork
from generative_ik_ros.learned.distal.net import DistalNet
from generative_ik_ros.learned.ikflow.pose_features import COLUMNS
from generative_ik_ros.learned.network_weights import single


class NativeMembers(NamedTuple):
    """Networks as the core takes them.

    Attributes:
        columns: (F,) of the cylindrical numbers of a pose that are their inputs.
        position_scale: Length that positions are divided by [m].
        layers: First (M, F, H), its bias (M, H), middle (M, L - 1, H, H), its bias (M, L - 1, H),
            last (M, H, 2 n) and its bias (M, 2 n).
        prismatic: (n,) whether a joint is prismatic.
        half_range: (n,) half its range [rad or m].
    """

    columns: Ints
    position_scale: float
    layers: tuple[NDArray[np.float32], ...]
    prismatic: Bools
    half_range: Floats

    @classmethod
    def of(cls, net: DistalNet) -> "NativeMembers":
        """Take the weights of networks whose pose input is one of `COLUMNS`."""
        config = net.config
        layers = (
            single(net.first), single(net.first_bias[:, 0]), single(net.middle),
            single(net.middle_bias), single(net.last), single(net.last_bias[:, 0]),
        )  # fmt: skip
        return cls(
            np.array(COLUMNS[config.pose_input]), config.position_scale, layers,
            net.prismatic.numpy().copy(), net.half_range.to(torch.float64).numpy(),
        )  # fmt: skip

    def answers(self, poses: Floats, there: DeviceNetwork[_core.DeviceMembers] | None) -> Floats:
        """Return points (T, M, n) of the joint box for canonical poses (T, 4, 4) [m]."""
        poses = np.ascontiguousarray(poses)
        boxed = np.empty((len(poses), len(self.layers[0]), len(self.prismatic)))
        if there is None or not there.does(lambda members: members.answers(poses, boxed)):
            _core.member_answers(self, poses, boxed)
        return boxed
