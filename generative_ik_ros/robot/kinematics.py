"""Differentiable forward kinematics and Jacobian in torch."""
# ruff: noqa: F722 (jaxtyping writes shapes as text)

from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import listed


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
    _, frames = _moved_joints(chain, q)
    return frames[-1] @ _numbers(chain, q.dtype, q.device).tip_in_last_joint


def jacobian(
    chain: KinematicChain, q: Float[Tensor, "*batch joints"]
) -> Float[Tensor, "*batch 6 joints"]:
    """Compute the geometric Jacobian of the tip, in the precision and on the device of `q`.

    Column j holds the tip's velocity per unit velocity of variable j, seen in the base frame:
    three linear rows [m/rad or m/m], then three angular rows [rad/rad or rad/m].

    Args:
        chain: The kinematic chain.
        q: (*batch, n) joint positions [rad or m].

    Returns:
        (*batch, 6, n) geometric Jacobian.

    Raises:
        InvalidArgumentError: `q` is not a floating point tensor or its last axis is not n long.
    """
    numbers, frames = _moved_joints(chain, q)
    tip = (frames[-1] @ numbers.tip_in_last_joint)[..., None, :3, 3]
    stacked = torch.stack(frames, dim=-3)
    axis = (stacked[..., :3, :3] @ numbers.axes[..., None]).squeeze(-1)
    arm = tip - stacked[..., :3, 3]
    prismatic = numbers.prismatic[:, None]
    linear = torch.where(prismatic, axis, torch.linalg.cross(axis, arm))
    angular = torch.where(prismatic, torch.zeros_like(axis), axis)
    by_joint = torch.cat([linear, angular], dim=-1) * numbers.multiplier[:, None]
    by_variable = by_joint.new_zeros((*q.shape, 6))
    return by_variable.index_add(-2, numbers.variable, by_joint).mT


class _Numbers(NamedTuple):
    """A chain's numeric core as tensors.

    The moved frame of joint i in that of joint i-1 is, at position p,
    `still[i] + sin(p) sine[i] + (1 - cos(p)) versine[i] + p slide[i]`: Rodrigues' formula,
    multiplied from the left by the joint's origin.
    """

    still: Tensor
    sine: Tensor
    versine: Tensor
    slide: Tensor
    axes: Tensor
    prismatic: Tensor
    variable: Tensor
    multiplier: Tensor
    offset: Tensor
    tip_in_last_joint: Tensor


@lru_cache(maxsize=64)
@torch.inference_mode(False)  # what is stored must also serve a later call that trains
def _numbers(chain: KinematicChain, dtype: torch.dtype, device: torch.device) -> _Numbers:
    origins = torch.tensor(chain.joint_origins)
    axes = torch.tensor(chain.joint_axes)
    prismatic = torch.tensor(chain.joint_prismatic)
    cross = torch.zeros_like(origins)
    # Column k of the matrix that takes v to axis x v is axis x e_k.
    for k, unit in enumerate(torch.eye(3, dtype=origins.dtype)):
        cross[:, :3, k] = torch.linalg.cross(axes, unit.expand_as(axes))
    slide = torch.zeros_like(origins)
    slide[:, :3, 3] = axes
    turns = (~prismatic)[:, None, None]
    numbers = (
        origins,
        origins @ cross * turns,
        origins @ cross @ cross * turns,
        origins @ slide * ~turns,
        axes,
    )
    still, sine, versine, slide, axes = (part.to(device, dtype) for part in numbers)
    return _Numbers(
        still,
        sine,
        versine,
        slide,
        axes,
        prismatic.to(device),
        torch.tensor(chain.joint_variable, device=device),
        torch.tensor(chain.joint_multiplier, dtype=dtype, device=device),
        torch.tensor(chain.joint_offset, dtype=dtype, device=device),
        torch.tensor(chain.tip_in_last_joint, dtype=dtype, device=device),
    )


def _moved_joints(chain: KinematicChain, q: Tensor) -> tuple[_Numbers, list[Tensor]]:
    """Return each of the m joints' moved frame in the base, (*batch, 4, 4), base to tip."""
    if not isinstance(q, Tensor) or not q.is_floating_point():
        raise InvalidArgumentError("joint positions must be a floating point torch tensor")
    if q.ndim == 0 or q.shape[-1] != chain.num_joints:
        raise InvalidArgumentError(
            f"joint positions have shape {tuple(q.shape)}; the last axis must be "
            f"{chain.num_joints} long: {listed(chain.names)}"
        )
    numbers = _numbers(chain, q.dtype, q.device)
    position = q[..., numbers.variable] * numbers.multiplier + numbers.offset
    position = position[..., None, None]
    steps = (
        numbers.still
        + torch.sin(position) * numbers.sine
        + (1.0 - torch.cos(position)) * numbers.versine
        + position * numbers.slide
    )
    frames = [steps[..., 0, :, :]]
    for i in range(1, steps.shape[-3]):
        frames.append(frames[-1] @ steps[..., i, :, :])
    return numbers, frames
