"""Forward kinematics and Jacobian of a chain in PyTorch, for many seeds at once.

Seeds are the last axis of every tensor: a vector for each of S seeds is a (3, S) tensor, so one
operation serves all seeds and memory is read in order on any device. Fixed transforms are Python
numbers, so products with 0 and 1, which are most of them in most arms, cost nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import importing
from generative_ik_ros.refine.kernel_chain import frame_with_z
from generative_ik_ros.robot.chain import KinematicChain

with importing("the local solver for GPUs needs PyTorch", "'generative_ik_ros[learned]'"):
    import torch
    from torch import Tensor

_EXACT = 1e-14
"""Entries of a fixed transform this close to 0, 1 or -1 differ from it by rounding only."""


class Placement(NamedTuple):
    """Where a chain's tip and joints are, in the base.

    Attributes:
        position: (3, S) the tip [m].
        columns: (3, 3, S) the tip's axes: which axis, then its components.
        axes: (m, 3, S) each joint's axis.
        origins: (m, 3, S) a point on it [m].
    """

    position: Tensor
    columns: Tensor
    axes: Tensor
    origins: Tensor


class TorchChain:
    """A chain whose m joints rotate about or slide along their z axes, with n variables."""

    def __init__(self, chain: KinematicChain, device: torch.device, dtype: torch.dtype):
        """Rotate every joint's frame so that its axis is z."""
        self.num_variables = chain.num_joints
        self._prismatic = chain.joint_prismatic.tolist()
        variable = chain.joint_variable.tolist()
        self._joints_of = [
            [j for j, v in enumerate(variable) if v == one] for one in range(chain.num_joints)
        ]
        self._plain = variable == list(range(chain.num_joints))
        previous, fixed = np.eye(4), []
        for axis, origin in zip(chain.joint_axes, chain.joint_origins, strict=True):
            # What is z already stays exact.
            aligned = np.eye(4) if np.array_equal(axis, (0.0, 0.0, 1.0)) else frame_with_z(axis)
            fixed.append(previous.T @ origin @ aligned)
            previous = aligned
        fixed.append(previous.T @ chain.tip_in_last_joint)
        self._fixed = [_numbers(pose) for pose in fixed]

        def column(values: NDArray[np.float64]) -> Tensor:
            return torch.tensor(values, dtype=dtype, device=device)[:, None]

        self._variable = torch.tensor(variable, device=device)
        self._multiplier = column(chain.joint_multiplier)
        self._offset = column(chain.joint_offset)
        self._direct = self._plain and bool(
            (chain.joint_multiplier == 1.0).all() and (chain.joint_offset == 0.0).all()
        )
        self._prismatic_mask = torch.tensor(chain.joint_prismatic, device=device)[:, None, None]
        self._unit = [column(unit) for unit in np.eye(3)]
        self._origin = column(np.zeros(3))

    def place(self, q: Tensor) -> Placement:
        """Place tip and joints of (n, S) configurations [rad or m]."""
        values = q
        if not self._direct:
            values = q.index_select(0, self._variable) * self._multiplier + self._offset
        sine, cosine = torch.sin(values), torch.cos(values)
        p, (x, y, z) = self._origin, self._unit
        axes, origins = [], []
        for j, (rotation, shift) in enumerate(self._fixed):
            p = _sum(p, (x, y, z), shift)
            x, y, z = (_sum(None, (x, y, z), column) for column in zip(*rotation, strict=True))
            if j == len(self._prismatic):
                break
            axes.append(z)
            origins.append(p)
            if self._prismatic[j]:
                p = torch.addcmul(p, z, values[j])
            else:
                s, c = sine[j], cosine[j]
                x, y = torch.addcmul(x * c, y, s), torch.addcmul(y * c, x, s, value=-1.0)
        shape = 3, q.shape[1]
        return Placement(
            p.expand(shape),
            torch.stack([column.expand(shape) for column in (x, y, z)]),
            torch.stack([axis.expand(shape) for axis in axes]),
            torch.stack([origin.expand(shape) for origin in origins]),
        )

    def jacobian(self, place: Placement, units: Tensor) -> Tensor:
        """Return the geometric Jacobian (n, 6, S), linear rows first, times `units` (m, 6, 1)."""
        linear = torch.linalg.cross(place.axes, place.position - place.origins, dim=1)
        angular = place.axes
        if any(self._prismatic):
            linear = torch.where(self._prismatic_mask, place.axes, linear)
            angular = torch.where(self._prismatic_mask, 0.0, angular)
        by_joint = torch.cat([linear, angular], dim=1) * units
        if self._plain:
            return by_joint
        return torch.stack([by_joint[joints].sum(0) for joints in self._joints_of])


def _numbers(pose: NDArray[np.float64]) -> tuple[list[list[float]], list[float]]:
    """Return rotation and shift of a (4, 4) pose, entries next to 0 and 1 made exact."""
    whole = np.rint(pose)
    clean = np.where(np.abs(pose - whole) < _EXACT, whole, pose)
    return clean[:3, :3].tolist(), clean[:3, 3].tolist()


def _sum(start: Tensor | None, vectors: Sequence[Tensor], weights: Sequence[float]) -> Tensor:
    """Return start, if not None, plus the sum of weights times vectors, not all weights 0."""
    for vector, weight in zip(vectors, weights, strict=True):
        if weight == 0.0:
            continue
        if start is None:
            start = vector if weight == 1.0 else vector * weight
        else:
            start = torch.add(start, vector, alpha=weight)
    if start is None:
        raise ValueError("a rotation whose entries are all 0")
    return start
