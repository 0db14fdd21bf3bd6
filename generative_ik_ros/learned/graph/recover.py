"""Configurations from the points of complete graphs, joint by joint from the base."""

import numpy as np
import torch
from torch import Tensor

from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.robot.rigid import TURN


def recover(arm: ArmGraph, points: Tensor) -> Tensor:
    """Return the configurations whose points are closest to given ones.

    Each joint in turn takes the position that brings the points after it closest to the given
    ones, with its axis where the joints before it have put it. This is exact for the points of a
    configuration; for others, later joints make up for the errors of earlier ones. Parallel,
    intersecting and skew axes are no special cases: only points off a joint's axis count, and
    every joint has some. A variable that drives several joints is read off the first of them.

    Args:
        arm: The arm; A broadcasts with S.
        points: (*S, N, 3) in the canonical first joint frame [m].

    Returns:
        (*S, n) positions, revolute joints in the turn nearest the middle of their range [rad or
        m].
    """
    lines = arm.lines
    shape = points.shape[:-2]
    values: list[Tensor | None] = [None] * lines.num_variables
    motion = torch.eye(4, dtype=points.dtype, device=points.device).expand(*shape, 4, 4)
    for joint in range(lines.num_joints):
        variable = lines.variable[joint]
        value = values[variable]
        if value is None:
            # What this joint moves and the joint before it does not show.
            nodes = np.flatnonzero(arm.layout.nodes["first_link"] == joint + 1)
            nodes = torch.as_tensor(nodes, device=points.device)
            at_zero = (points[..., nodes, :] - motion[..., None, :3, 3]) @ motion[..., :3, :3]
            position = _position(arm, joint, nodes, at_zero)
            value = (position - lines.offset[joint]) / lines.multiplier[joint]
            if not lines.prismatic[joint]:
                period = TURN / abs(lines.multiplier[joint])
                away = value - lines.middle[..., variable]
                value = value - period * torch.round(away / period)
            values[variable] = value
        position = lines.multiplier[joint] * value + lines.offset[joint]
        motion = motion @ lines.motion(joint, position)
    zero = points.new_zeros(shape)
    return torch.stack([zero if value is None else value for value in values], dim=-1)


def _position(arm: ArmGraph, joint: int, nodes: Tensor, wanted: Tensor) -> Tensor:
    """Return the position (*S) of a joint that brings its nodes (K,) closest to (*S, K, 3)."""
    axis = arm.lines.directions[..., joint, None, :]
    here = arm.at_zero[..., nodes, :]
    if arm.lines.prismatic[joint]:
        return ((wanted - here) * axis).sum(-1).mean(-1)
    point = arm.lines.points[..., joint, None, :]
    here, wanted = torch.broadcast_tensors(here - point, wanted - point)
    sine = (torch.linalg.cross(here, wanted) * axis).sum((-1, -2))
    along = (here * axis).sum(-1) * (wanted * axis).sum(-1)
    cosine = ((here * wanted).sum(-1) - along).sum(-1)
    return torch.atan2(sine, cosine)
