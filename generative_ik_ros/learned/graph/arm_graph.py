"""An arm's axis lines in, its graph out: partial for a target, complete for a configuration."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.layout import Layout
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.learned.graph.links import Links
from generative_ik_ros.robot.chain import KinematicChain

SPACING = 0.5
"""Distance of a joint's two points, as a share of the arm's length."""
_COAXIAL = 1e-4
"""Points nearer to an axis than this share of the arm's length do not show its angle."""


@dataclass(frozen=True, eq=False)
class Graph:
    """Points and distances of one or many problems on one arm, dense.

    Attributes:
        positions: (*S, N, 3) points in the canonical first joint frame, zero where unknown [m].
        known: (N,) whether a position is known.
        distances: (*S, N, N) distances, zero where unknown [m].
        known_edges: (N, N) whether a distance is known.
        classes: (N,) node classes of `Layout`.
    """

    positions: Tensor
    known: Tensor
    distances: Tensor
    known_edges: Tensor
    classes: Tensor


class ArmGraph:
    """The distance-geometric description of one arm, or of a batch of arms of one layout.

    GGIK, T-RO, section III-B, after J. Porta, L. Ros, F. Thomas, C. Torras, A branch-and-prune
    solver for distance constraints, 2005, and F. Maric et al., Riemannian optimization for
    distance-geometric inverse kinematics, 2021. Point p_j of joint j is the point of its axis
    nearest to p_(j-1), which both links' geometry fixes; a sliding joint, whose axis has no
    place, takes p_(j-1)'s.

    Args:
        lines: The axes, of one arm (A empty) or of a batch (*A).
        layout: Its nodes; None to find them, for one arm only.

    Attributes:
        lines: The axes.
        layout: The nodes.
        feet: (*A, m, 3) p_j of every joint at zero [m].
        scale: (*A) length of the arm: the way from p to p, and the slides [m].
        at_zero: (*A, N, 3) points with every joint at zero [m].
    """

    def __init__(self, lines: JointLines, layout: Layout | None = None):
        """Place the points."""
        self.lines = lines
        feet = self.feet = _feet(lines)
        self.scale = _length(lines, feet)
        spacing = SPACING * self.scale[..., None]
        self.layout = _layout(lines, feet, self.scale) if layout is None else layout
        self.at_zero = _place(lines, self.layout, feet, spacing)

    @classmethod
    def of(cls, chain: KinematicChain) -> "ArmGraph":
        """Return the graph of a chain, in double precision."""
        return cls(JointLines.of(chain))

    def to(self, device: torch.device | str, dtype: torch.dtype) -> "ArmGraph":
        """Return the same graph elsewhere, in another precision."""
        return ArmGraph(self.lines.to(device, dtype), self.layout)

    @cached_property
    def at_middle(self) -> Tensor:
        """(*A, N, 3) points with every variable in the middle of its range [m]."""
        return self.points(self.lines.middle)

    @cached_property
    def links(self) -> Links:
        """What each link fixes between one joint and the next."""
        return Links.of(self.lines, self.feet, self.scale)

    def points(self, q: Tensor) -> Tensor:
        """Return the points (*S, N, 3) at configurations (*S, n) [m]; A broadcasts with S."""
        motions = self.lines.link_motions(q)[..., self._first_link, :, :]
        turned = (motions[..., :3, :3] @ self.at_zero[..., None]).squeeze(-1)
        return turned + motions[..., :3, 3]

    def known_points(self, last_in_first: Tensor) -> Tensor:
        """Return the points (*S, N, 3) that targets (*S, 4, 4) place, zero for the others [m]."""
        end = last_in_first @ torch.linalg.inv(self.lines.last_in_first)
        end = end[..., None, :, :]
        moved = (end[..., :3, :3] @ self.at_zero[..., None]).squeeze(-1) + end[..., :3, 3]
        of_base = torch.as_tensor(self.layout.first_link == 0, device=moved.device)[:, None]
        points = torch.where(of_base, self.at_zero, moved)
        return torch.where(self.known[:, None], points, torch.zeros_like(points))

    def complete(self, q: Tensor) -> Graph:
        """Return the complete graphs of configurations (*S, n)."""
        points = self.points(q)
        everything = torch.ones_like(self.known)
        pairs = ~torch.eye(self.layout.num_nodes, dtype=torch.bool, device=points.device)
        return Graph(points, everything, _distances(points), pairs, self.classes)

    def partial(self, last_in_first: Tensor) -> Graph:
        """Return the partial graphs of canonical targets (*S, 4, 4)."""
        points = self.known_points(last_in_first)
        placed = self.known[:, None] & self.known
        distances = torch.where(placed, _distances(points), self._of_links)
        distances = torch.where(self.known_edges, distances, torch.zeros_like(distances))
        return Graph(points, self.known, distances, self.known_edges, self.classes)

    @cached_property
    def known(self) -> Tensor:
        """(N,) nodes that base and target place."""
        return torch.as_tensor(self.layout.known, device=self.at_zero.device)

    @cached_property
    def known_edges(self) -> Tensor:
        """(N, N) pairs of known distance."""
        return torch.as_tensor(self.layout.known_edges, device=self.at_zero.device)

    @cached_property
    def classes(self) -> Tensor:
        """(N,) node classes."""
        return torch.as_tensor(self.layout.classes, device=self.at_zero.device)

    @cached_property
    def _first_link(self) -> Tensor:
        return torch.as_tensor(self.layout.first_link, device=self.at_zero.device)

    @cached_property
    def _of_links(self) -> Tensor:
        """(*A, N, N) distances at zero, which links keep [m]."""
        return _distances(self.at_zero)


def _distances(points: Tensor) -> Tensor:
    """Return the distances (*S, N, N) of points (*S, N, 3); exact also for many points."""
    return torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")


def _feet(lines: JointLines) -> Tensor:
    """Return p_j of every joint, (*A, m, 3), at zero [m]."""
    feet = [torch.zeros_like(lines.points[..., 0, :])]
    for j in range(1, lines.num_joints):
        before, axis = feet[-1], lines.directions[..., j, :]
        if lines.prismatic[j]:
            feet.append(before)
            continue
        point = lines.points[..., j, :]
        feet.append(point + ((before - point) * axis).sum(-1, keepdim=True) * axis)
    return torch.stack(feet, dim=-2)


def _length(lines: JointLines, feet: Tensor) -> Tensor:
    """Return the length of the arm, (*A); 1 for one without any [m]."""
    length = (feet[..., 1:, :] - feet[..., :-1, :]).norm(dim=-1).sum(-1)
    for j, slides in enumerate(lines.prismatic):
        if slides:
            v = lines.variable[j]
            farthest = lines.middle[..., v].abs() + lines.half[..., v]
            length = length + abs(lines.multiplier[j]) * farthest + abs(lines.offset[j])
    return torch.where(length > 1e-6, length, torch.ones_like(length))


def _layout(lines: JointLines, feet: Tensor, scale: Tensor) -> Layout:
    """Find which neighbouring joints of one arm are on one line."""
    on_one_line = [False] * lines.num_joints
    for j in range(lines.num_joints - 1):
        axis = lines.directions[j]
        away = torch.linalg.cross(axis, feet[j + 1] - feet[j])
        tilt = torch.linalg.cross(axis, lines.directions[j + 1])
        on_one_line[j] = bool(away.norm() < _COAXIAL * scale) and bool(tilt.norm() < _COAXIAL)
    return Layout.of(lines.prismatic, tuple(on_one_line))


def _place(lines: JointLines, layout: Layout, feet: Tensor, spacing: Tensor) -> Tensor:
    """Return all points at zero, (*A, N, 3) [m]."""
    unit = torch.eye(3, dtype=feet.dtype, device=feet.device)
    rows = []
    for joint, along, aside in zip(layout.joint, layout.along, layout.aside, strict=True):
        if joint < 0:
            rows.append(feet[..., 0, :] + spacing * unit[along])
        elif not aside:
            rows.append(feet[..., joint, :] + along * spacing * lines.directions[..., joint, :])
        elif joint + 1 == layout.num_joints:
            rows.append(feet[..., joint, :] + spacing * lines.last_in_first[..., :3, 0])
        else:
            rows.append(feet[..., joint, :] + spacing * _perpendicular(lines, joint, unit))
    return torch.stack(torch.broadcast_tensors(*rows), dim=-2)


def _perpendicular(lines: JointLines, joint: int, unit: Tensor) -> Tensor:
    """Return a unit vector across the axis of one arm's joint."""
    axis = lines.directions[joint]
    across = torch.linalg.cross(axis, unit[axis.abs().argmin()])
    return across / across.norm()
