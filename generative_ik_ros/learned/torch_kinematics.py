"""Differentiable forward kinematics in torch."""
# ruff: noqa: F722 (jaxtyping writes shapes as text)

from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from generative_ik_ros.errors import InvalidArgumentError, listed
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse


class _Joints(NamedTuple):
    """A chain of m joints: what Rodrigues' formula needs of them, as tensors.

    Attributes:
        rotations: (m, 3, 3) each joint's frame in the previous one, at zero.
        sine_part: (m, 3, 3) what the sine of its position adds.
        versine_part: (m, 3, 3) what one minus the cosine adds.
        shifts: (m, 3) origin of the joint's frame [m].
        axes: (m, 3) the joint's axis in the previous frame.
        prismatic: (m,) whether the joint is prismatic.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0.
        tip: (4, 4) tip in the last joint's frame [m].
        base_in_first: (4, 4) base in the canonical first joint's frame [m].
        last_in_tip: (4, 4) the canonical last joint's frame in the tip [m].
    """

    rotations: Tensor
    sine_part: Tensor
    versine_part: Tensor
    shifts: Tensor
    axes: Tensor
    prismatic: Tensor
    variable: Tensor
    multiplier: Tensor
    offset: Tensor
    tip: Tensor
    base_in_first: Tensor
    last_in_tip: Tensor


def forward_kinematics(
    chain: KinematicChain, q: Float[Tensor, "*batch joints"]
) -> Float[Tensor, "*batch 4 4"]:
    """Compute the tip's pose in the base, in the precision and on the device of `q`.

    Args:
        chain: The kinematic chain.
        q: (*batch, n) joint positions [rad or m]; limits are not checked.

    Returns:
        (*batch, 4, 4) tip in base [m].

    Raises:
        InvalidArgumentError: `q` is not a floating point tensor or its last axis is not n long.
    """
    if not isinstance(q, Tensor) or not q.is_floating_point():
        raise InvalidArgumentError("joint positions must be a floating point torch tensor")
    if q.ndim == 0 or q.shape[-1] != chain.num_joints:
        raise InvalidArgumentError(
            f"joint positions have shape {tuple(q.shape)}; the last axis must be "
            f"{chain.num_joints} long: {listed(chain.names)}"
        )
    joints = _joints(chain, q.dtype, q.device)
    position = (q[..., joints.variable] * joints.multiplier + joints.offset)[..., None]
    angle = torch.where(joints.prismatic[:, None], 0.0, position)[..., None]
    rotations = joints.rotations + torch.sin(angle) * joints.sine_part
    rotations = rotations + (1.0 - torch.cos(angle)) * joints.versine_part
    slide = torch.where(joints.prismatic[:, None], position, 0.0) * joints.axes
    upper = torch.cat([rotations, (joints.shifts + slide)[..., None]], dim=-1)
    frame = torch.eye(4, dtype=q.dtype, device=q.device).expand(*q.shape[:-1], 4, 4)
    steps = torch.cat([upper, frame[..., None, 3:, :].expand(*upper.shape[:-2], 1, 4)], dim=-2)
    for step in steps.unbind(-3):
        frame = frame @ step
    return frame @ joints.tip


def canonical_kinematics(
    chain: KinematicChain, q: Float[Tensor, "*batch joints"]
) -> Float[Tensor, "*batch 4 4"]:
    """Compute the canonical pose, the last joint's frame in the first joint's [m].

    As `KinematicChain.canonical_target` of `forward_kinematics`, which says what `q` may be.
    """
    tip_in_base = forward_kinematics(chain, q)
    joints = _joints(chain, q.dtype, q.device)
    return joints.base_in_first @ tip_in_base @ joints.last_in_tip


@lru_cache(maxsize=64)
@torch.inference_mode(False)  # what is stored must also serve a later call that trains
def _joints(chain: KinematicChain, dtype: torch.dtype, device: torch.device) -> _Joints:
    """Return the joints of a chain."""
    origins, axes = torch.tensor(chain.joint_origins), torch.tensor(chain.joint_axes)
    rotations, canonical = origins[:, :3, :3], chain.canonical
    # Column i of a cross product matrix is axis x e_i.
    cross = torch.linalg.cross(axes[:, None], torch.eye(3, dtype=axes.dtype)[None]).mT
    parts = (
        rotations, rotations @ cross, rotations @ cross @ cross, origins[:, :3, 3],
        (rotations @ axes[..., None])[..., 0], torch.tensor(chain.joint_prismatic),
        torch.tensor(chain.joint_variable), torch.tensor(chain.joint_multiplier),
        torch.tensor(chain.joint_offset), torch.tensor(chain.tip_in_last_joint),
        torch.tensor(inverse(canonical.first_joint_in_base)),
        torch.tensor(inverse(canonical.tip_in_last_joint)),
    )  # fmt: skip
    return _Joints(*(p.to(device, dtype if p.is_floating_point() else p.dtype) for p in parts))
