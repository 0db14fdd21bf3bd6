"""The distance-geometric graph of an arm: points on joint axes, and distances that links keep."""

from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from generative_ik_ros.learned.graph.layout import Layout
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.learned.graph.links import Links
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN

SPACING = 0.5
"""Distance of the two points on a joint axis, as a share of the arm's length."""


class ArmGraph:
    """The distance-geometric graph of one arm, or of a batch of arms with the same layout.

    GGIK, T-RO, section III-B, after J. Porta, L. Ros, F. Thomas, C. Torras, A branch-and-prune
    solver for distance constraints, 2005, and F. Maric et al., Riemannian optimization for
    distance-geometric inverse kinematics, 2021. Point p_j of joint j is the foot of the
    perpendicular from p_(j-1) to its axis; the links fix it, whatever the configuration, without
    a division by the sine of the twist angle. A prismatic joint, whose axis has no place, takes
    p_(j-1) itself.

    Args:
        lines: The axes, of one arm (A empty) or of a batch (*A).
        layout: Its nodes; None to find them, for one arm only.

    Attributes:
        lines: The axes.
        layout: The nodes.
        joint_points: (*A, m, 3) p_j of every joint at the zero configuration [m].
        scale: (*A) length of the arm: the way from p to p, and the prismatic joints' travel [m].
        at_zero: (*A, N, 3) points at the zero configuration [m].
    """

    def __init__(self, lines: JointLines, layout: Layout | None = None):
        self.lines = lines
        self.joint_points = joint_points_of(lines)
        self.scale = _length(lines, self.joint_points)
        if layout is None:
            layout = _layout(lines, self.joint_points, self.scale)
        self.layout = layout
        self.at_zero = _place(lines, layout, self.joint_points, SPACING * self.scale[..., None])

    @classmethod
    def of(cls, chain: KinematicChain) -> "ArmGraph":
        """Return the graph of a chain, in double precision."""
        return cls(JointLines.of(chain))

    def to(self, device: torch.device | str, dtype: torch.dtype) -> "ArmGraph":
        """Return the same graph on a device, in a precision."""
        return ArmGraph(self.lines.to(device, dtype), self.layout)

    @cached_property
    def links(self) -> Links:
        """The parameters of the links."""
        return Links.of(self.lines, self.joint_points, self.scale)

    def points(self, q: Tensor) -> Tensor:
        """Return the points (*S, N, 3) at configurations (*S, n) [m]; A broadcasts with S."""
        first_link = torch.as_tensor(self.layout.nodes["first_link"], device=q.device)
        return self._moved(self.lines.link_motions(q)[..., first_link, :, :])

    def partial(self, last_in_first: Tensor) -> tuple[Tensor, Tensor]:
        """Return what base and canonical targets (*S, 4, 4) fix of the graph.

        Returns:
            (*S, N, 3) points and (*S, N, N) distances, both zero where unknown [m].
        """
        end = last_in_first @ torch.linalg.inv(self.lines.last_in_first)
        of_base = torch.as_tensor(self.layout.nodes["first_link"] == 0, device=end.device)[:, None]
        points = torch.where(of_base, self.at_zero, self._moved(end[..., None, :, :]))
        points = torch.where(self.known[:, None], points, torch.zeros_like(points))
        placed = self.known[:, None] & self.known
        distances = torch.where(placed, pairwise(points), self._kept_by_links)
        return points, torch.where(self.known_edges, distances, torch.zeros_like(distances))

    @cached_property
    def known(self) -> Tensor:
        """(N,) nodes whose points base and target fix."""
        return torch.as_tensor(self.layout.known, device=self.at_zero.device)

    @cached_property
    def known_edges(self) -> Tensor:
        """(N, N) pairs of known distance."""
        return torch.as_tensor(self.layout.known_edges, device=self.at_zero.device)

    @cached_property
    def _kept_by_links(self) -> Tensor:
        """(*A, N, N) distances at zero, which links keep [m]."""
        return pairwise(self.at_zero)

    def _moved(self, motions: Tensor) -> Tensor:
        """Move the points at zero, each by its motion (*S, N, 4, 4)."""
        turned = (motions[..., :3, :3] @ self.at_zero[..., None]).squeeze(-1)
        return turned + motions[..., :3, 3]


def pairwise(points: Tensor) -> Tensor:
    """Return the distances (*S, N, N) between points (*S, N, 3); exact also for many points."""
    return torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")


def joint_points_of(lines: JointLines) -> Tensor:
    """Return p_j of every joint, (*A, m, 3), at zero, see `ArmGraph` [m]."""
    feet = [torch.zeros_like(lines.points[..., 0, :])]
    for j in range(1, lines.num_joints):
        before, axis = feet[-1], lines.directions[..., j, :]
        if lines.prismatic[j]:
            feet.append(before)
            continue
        point = lines.points[..., j, :]
        feet.append(point + ((before - point) * axis).sum(-1, keepdim=True) * axis)
    return torch.stack(feet, dim=-2)


def _length(lines: JointLines, joint_points: Tensor) -> Tensor:
    """Return the length of the arm, (*A); 1 for one without any [m]."""
    ways = joint_points[..., 1:, :] - joint_points[..., :-1, :]
    length = ways.norm(dim=-1).sum(-1)
    for j, prismatic in enumerate(lines.prismatic):
        if prismatic:
            v = lines.variable[j]
            farthest = lines.middle[..., v].abs() + lines.half[..., v]
            length = length + abs(lines.multiplier[j]) * farthest + abs(lines.offset[j])
    return torch.where(length > 1e-6, length, torch.ones_like(length))


def _layout(lines: JointLines, joint_points: Tensor, scale: Tensor) -> Layout:
    """Find which neighbouring joints of one arm are coaxial."""
    # Points nearer to an axis than this share of the arm's length do not show its angle.
    near, coaxial = 1e-4, [False] * lines.num_joints
    for j in range(lines.num_joints - 1):
        axis = lines.directions[j]
        away = torch.linalg.cross(axis, joint_points[j + 1] - joint_points[j])
        tilt = torch.linalg.cross(axis, lines.directions[j + 1])
        coaxial[j] = bool(away.norm() < near * scale) and bool(tilt.norm() < near)
    return Layout.of(lines.prismatic, tuple(coaxial))


def _place(lines: JointLines, layout: Layout, joint_points: Tensor, spacing: Tensor) -> Tensor:
    """Return all points at zero, (*A, N, 3) [m]."""
    unit = torch.eye(3, dtype=joint_points.dtype, device=joint_points.device)
    rows = []
    for joint, second, off_axis, *_ in layout.nodes:
        point = joint_points[..., max(joint, 0), :]
        if joint < 0:
            way = unit[second]
        elif not off_axis:
            way = lines.directions[..., joint, :] if second else torch.zeros_like(point)
        elif joint + 1 == layout.num_joints:
            way = lines.last_in_first[..., :3, 0]
        else:
            way = _perpendicular(lines, joint, unit)
        rows.append(point + spacing * way)
    return torch.stack(torch.broadcast_tensors(*rows), dim=-2)


def _perpendicular(lines: JointLines, joint: int, unit: Tensor) -> Tensor:
    """Return a unit vector (*A, 3) perpendicular to the axis of a joint."""
    axis = lines.directions[..., joint, :]
    across = torch.linalg.cross(axis, unit[axis.abs().argmin(dim=-1)])
    return across / across.norm(dim=-1, keepdim=True)


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
