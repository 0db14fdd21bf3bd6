"""Points of a complete graph in, the configuration that puts them there out; batched."""

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.arm_graph import ArmGraph


def recover(arm: ArmGraph, points: Tensor) -> Tensor:
    """Return the configuration whose points are nearest, joint by joint from the base.

    Each joint is given the position that brings the points after it closest to where they should
    be, seen from where the joints before it have put its axis. Exact for points of a
    configuration; for others, later joints make up for what earlier ones missed. Parallel,
    intersecting and skew axes are no special cases, for only points off a joint's axis count,
    and every joint has some. Variables that drive several joints are read off the first of them.

    Args:
        arm: The arm; A broadcasts with S.
        points: (*S, N, 3) in the canonical first joint frame [m]; see `aligned` for others.

    Returns:
        (*S, n) positions, turning joints in the turn nearest the middle of their range [rad or
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
            nodes = torch.as_tensor(arm.layout.moved_by(joint), device=points.device)
            away = points[..., nodes, :] - motion[..., None, :3, 3]
            seen = away @ motion[..., :3, :3]
            position = _position(arm, joint, nodes, seen)
            value = (position - lines.offset[joint]) / lines.multiplier[joint]
            if not lines.prismatic[joint]:
                value = lines.nearest_turn(value, joint)
            values[variable] = value
        position = lines.multiplier[joint] * value + lines.offset[joint]
        motion = motion @ lines.motion(joint, position)
    zero = points.new_zeros(shape)
    return torch.stack([zero if value is None else value for value in values], dim=-1)


def _position(arm: ArmGraph, joint: int, nodes: Tensor, seen: Tensor) -> Tensor:
    """Return the position (*S) of a joint that brings its nodes to where they are seen."""
    axis = arm.lines.directions[..., joint, None, :]
    here = arm.at_zero[..., nodes, :]
    if arm.lines.prismatic[joint]:
        return ((seen - here) * axis).sum(-1).mean(-1)
    point = arm.lines.points[..., joint, None, :]
    here, seen = torch.broadcast_tensors(here - point, seen - point)
    sine = (torch.linalg.cross(here, seen) * axis).sum((-1, -2))
    along = (here * axis).sum(-1) * (seen * axis).sum(-1)
    cosine = ((here * seen).sum(-1) - along).sum(-1)
    return torch.atan2(sine, cosine)


def aligned(points: Tensor, goal: Tensor, known: Tensor) -> Tensor:
    """Move points by the isometry, a reflection if need be, that brings the known ones to a goal.

    P. Schoenemann, A generalized solution of the orthogonal Procrustes problem, 1966. The base
    frame has four points that no plane holds, so that a mirror image is told from the original.

    Args:
        points: (*S, N, 3), right up to a rigid motion and a reflection.
        goal: (*S, N, 3) where the known points should be.
        known: (N,) which they are.

    Returns:
        (*S, N, 3).
    """
    centre = points[..., known, :].mean(-2, keepdim=True)
    aim = goal[..., known, :].mean(-2, keepdim=True)
    spread = (points[..., known, :] - centre).mT @ (goal[..., known, :] - aim)
    left, _, right = torch.linalg.svd(spread)
    return (points - centre) @ left @ right + aim


def points_from_distances(distances: Tensor) -> Tensor:
    """Return points (*S, N, 3) with given distances (*S, N, N), up to an isometry [m].

    Classical multidimensional scaling (W. Torgerson 1952): exact for distances of points in
    space, the nearest Gram matrix of rank 3 for others.
    """
    squared = distances.square()
    rows = squared.mean(-1, keepdim=True)
    gram = -0.5 * (squared - rows - rows.mT + rows.mean(-2, keepdim=True))
    values, vectors = torch.linalg.eigh(gram)
    return vectors[..., -3:] * values[..., None, -3:].clamp(min=0.0).sqrt()
