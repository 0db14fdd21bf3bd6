"""Joints that known distances decide: sampled angles go to the nearest ones that keep them.

The links that are left after a joint keep some distances and angles between the next axis and the
goal's whatever their joints do: that from the elbow to the centre of a spherical wrist, that of
the wrist from the plane of parallel axes. Base and target fix the rest of the graph's points, so
these are conditions on the joint's angle a alone. All are of the form f + g cos a + h sin a = 0,
with roots in closed form. Which ones an arm has is found from random configurations: they are the
combinations of distances and angles that never change.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.autoregressive.kinematics import (
    Decision,
    JointFrame,
    decided_by,
    displacement_of,
    next_frame,
)
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.links import Frame, Links

_NUMBERS, _PLANAR = 7, 5
"""Distances and angles that are looked at, and the first of those that need parallel axes."""
BASIS, SIGNED = 16, 12
"""Numbers of `basis`, and the first of those that have two signs."""
CONDITIONS = 5
"""Most conditions on a joint."""


@dataclass(frozen=True)
class KnownTuning:
    """How the conditions on a joint are weighed."""

    agreeing: float = 1e-3
    """Conditions that are less independent than this (squared) leave two roots."""
    least: float = 1e-6
    """A joint that moves its conditions less than this (squared) stays where it was sampled."""
    outside: float = 10.0
    """Cost of a root's distance beyond the limits; that of its distance from the sample is 1."""
    configurations: int = 256
    """Random configurations by which conditions are found."""
    kept: float = 1e-7
    """Combinations of numbers that vary less than this are conditions."""
    moved: float = 1e-4
    """A condition that a joint changes by less says nothing about it."""


TUNING = KnownTuning()


@dataclass(frozen=True, eq=False)
class KnownDistances:
    """The conditions of one arm.

    A condition asks for f + g cos a + h sin a = 0 of the joint's angle a; f, g and h are linear
    in the numbers of `basis`.

    Attributes:
        conditions: (m, CONDITIONS, 3, BASIS) f, g and h, float64; zero where there is none.
        signed: (m,) whether numbers from SIGNED on are read, whose sign is open.
    """

    conditions: Tensor
    signed: tuple[bool, ...]

    @classmethod
    def of(cls, links: Links) -> "KnownDistances":
        """Find the conditions of an arm in double precision."""
        lines, count = links.lines, links.num_joints
        conditions = torch.zeros((count, CONDITIONS, 3, BASIS), dtype=torch.float64)
        numbers = torch.Generator().manual_seed(0)
        shape = (TUNING.configurations, lines.num_variables)
        q = math.pi * (2.0 * torch.rand(shape, generator=numbers, dtype=torch.float64) - 1.0)
        frames = [Frame.identity(q[:, :1].expand(-1, 3))]
        for joint in range(count):
            before = JointFrame.of(links, joint, frames[joint])
            moved = displacement_of(links, joint, q)
            frames.append(next_frame(links, joint, frames[joint], before, moved))
        signed = [False] * count
        for joint, kind in enumerate(decided_by(links)):
            if kind != Decision.SAMPLED or links.prismatic[joint]:
                continue
            moved = displacement_of(links, joint, q)
            found = _conditions(links, joint, frames, moved, _PLANAR)
            if not len(found):
                found = _conditions(links, joint, frames, moved, _NUMBERS)
                signed[joint] = len(found) > 0
            conditions[joint, : len(found)] = found
        return cls(conditions, tuple(signed))

    @cached_property
    def counts(self) -> list[int]:
        """How many conditions there are on each joint."""
        return (self.conditions.abs().amax((-1, -2)) > 0.0).sum(-1).tolist()

    def nearest(self, joint: int, half: Tensor, features: Tensor, angle: Tensor) -> Tensor:
        """Return the angles (*S) that meet the conditions, nearest to sampled ones.

        Args:
            joint: Joint j.
            half: Half its range [rad].
            features: (*S, GOAL_FEATURES) of `GoalView`.
            angle: (*S) sampled, counted as there [rad].
        """
        if not self.counts[joint]:
            return angle
        numbers = basis(features[..., :3].double(), features[..., 4:7].double())
        middle = torch.atan2(features[..., 8], features[..., 7]).double()
        sampled = angle.double()
        best, chosen = torch.full_like(sampled, math.inf), sampled
        conditions = self.conditions[joint, : self.counts[joint]].to(angle.device)
        for _ in range(1 + self.signed[joint]):
            here = torch.einsum("rki,...i->...rk", conditions, numbers)
            for root, usable in _roots(here):
                beyond = (_wrapped(root - middle).abs() - half).clamp(min=0.0)
                cost = _wrapped(root - sampled).abs() + TUNING.outside * beyond
                nearer = usable & (cost < best)
                best, chosen = torch.where(nearer, cost, best), torch.where(nearer, root, chosen)
            numbers[..., SIGNED:] *= -1.0
        return chosen.to(angle.dtype)


def basis(away: Tensor, goal_z: Tensor) -> Tensor:
    """Return numbers (*S, BASIS) of the goal's axis as seen from a joint.

    Args:
        away: (*S, 3) from p_j to the goal's origin, as share of the arm's length, in a frame
            whose z is the joint's axis.
        goal_z: (*S, 3) the goal's z there.
    """
    volume = torch.linalg.cross(away, goal_z)
    flat = goal_z[..., :2] / goal_z[..., :2].norm(dim=-1, keepdim=True).clamp(min=1e-9)
    (x, y), (u, v) = away[..., :2].unbind(-1), flat.unbind(-1)
    products = [torch.ones_like(x), (away * away).sum(-1), (away * goal_z).sum(-1)]
    planar = [u, v, u * y - v * x, u * x + v * y]
    return torch.cat(
        [torch.stack(products, -1), away, goal_z, volume, torch.stack(planar, -1)], dim=-1
    )


def _coefficients(links: Links, joint: int) -> Tensor:
    """Return f, g and h (_NUMBERS, 3, BASIS) of distances and angles to the next axis.

    With the next axis a through its point p, and the goal's axis z through its origin o: the
    component of o - p along a, its square, a z, the component of o - p along z, the volume of
    a, o - p and z; and, for an axis a parallel to the joint's, the components of o - p along
    n, the unit vector of a x z, and along n x a.
    """
    length = float(links.link_length[joint] / links.scale)
    offset = float(links.link_offset[joint] / links.scale)
    axis = links.axis[joint + 1]
    step = axis.new_tensor([length, 0.0, offset])
    a, b, c = axis.tolist()
    lever = torch.linalg.cross(axis, step).tolist()
    one, square, along = 0, 1, 2
    wx, wy, wz, gx, gy, gz, vx, vy, vz, u, v, aside, ahead = range(3, BASIS)
    rows: list[tuple[dict[int, float], dict[int, float], dict[int, float]]] = [
        ({one: -float(axis @ step), wz: c}, {wx: a, wy: b}, {wy: a, wx: -b}),
        (
            {one: float(step @ step), square: 1.0, wz: -2.0 * offset},
            {wx: -2.0 * length},
            {wy: -2.0 * length},
        ),
        ({gz: c}, {gx: a, gy: b}, {gy: a, gx: -b}),
        ({along: 1.0, gz: -offset}, {gx: -length}, {gy: -length}),
        (
            {vz: c, gz: -lever[2]},
            {vx: a, vy: b, gx: -lever[0], gy: -lever[1]},
            {vy: a, vx: -b, gy: -lever[0], gx: lever[1]},
        ),
        ({aside: c}, {v: c * length}, {u: -c * length}),
        ({ahead: 1.0}, {u: -length}, {v: -length}),
    ]
    table = torch.zeros((_NUMBERS, 3, BASIS), dtype=torch.float64)
    for i, row in enumerate(rows):
        for part, values in enumerate(row):
            for place, value in values.items():
                table[i, part, place] = value
    return table


def _wrapped(angle: Tensor) -> Tensor:
    """Return angles in [-pi, pi)."""
    return torch.remainder(angle + torch.pi, 2.0 * torch.pi) - torch.pi


def _roots(conditions: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Return angles (*S), and whether they are usable, that meet conditions (*S, R, 3).

    In the plane of (cos a, sin a) every condition is a line. One line has two points on the unit
    circle, or comes closest to it in one; several decide one point by least squares, which is
    exact if they agree.
    """
    total, cosine, sine = conditions.unbind(-1)
    a, b, c = ((p * q).sum(-1) for p, q in ((cosine, cosine), (sine, sine), (cosine, sine)))
    by_x, by_y = -(cosine * total).sum(-1), -(sine * total).sum(-1)
    spread = torch.sqrt((a - b) ** 2 + 4.0 * c * c)
    most, least = 0.5 * (a + b + spread), (0.5 * (a + b - spread)).clamp(min=0.0)
    way = 0.5 * torch.atan2(2.0 * c, a - b)
    x, y = torch.cos(way), torch.sin(way)
    usable = most > TUNING.least
    most = torch.where(usable, most, torch.ones_like(most))
    first = ((x * by_x + y * by_y) / most).clamp(-1.0, 1.0)
    chord = torch.sqrt(1.0 - first**2)
    agreed = (x * by_y - y * by_x) / least.clamp(min=1e-12)
    # Errors of the conditions count less on the circle than where lines meet at a small angle.
    steep = chord * chord * most > least
    agreed = torch.where(steep, torch.copysign(chord, agreed), agreed)
    several = least > TUNING.agreeing * most
    return [
        (way + torch.atan2(torch.where(several, agreed, side), first), usable)
        for side in (chord, -chord)
    ]


def _conditions(links: Links, joint: int, frames: list[Frame], moved: Tensor, most: int) -> Tensor:
    """Return a joint's conditions (R, 3, BASIS) on the first `most` distances and angles."""
    goal, last = frames[-1], JointFrame.of(links, links.num_joints - 2, frames[-3])
    here = JointFrame.of(links, joint, frames[joint])
    axes = torch.stack([here.x, here.y, here.z], dim=-2)
    away = (axes @ (goal.origin - frames[joint].origin)[..., None])[..., 0] / links.scale
    seen = basis(away, (axes @ goal.z[..., None])[..., 0])
    table = _coefficients(links, joint)[:most]
    if most > _PLANAR:
        axis = links.axis[joint + 1]
        normal = torch.linalg.cross(axis[2] * here.z, goal.z)
        side = (normal * last.z).sum(-1) / normal.norm(dim=-1).clamp(min=1e-9)
        if axis[:2].norm() > TUNING.kept or (side.abs() - 1.0).abs().max() > TUNING.kept:
            return table[:0]
        # The last axis but one is n or -n: which of them is the sign that is open.
        seen[:, SIGNED:] *= side.sign()[:, None]
    parts = torch.einsum("nki,si->snk", table, seen)
    numbers = (
        parts @ torch.stack([torch.ones_like(moved), moved.cos(), moved.sin()], -1)[..., None]
    )
    numbers = numbers[..., 0]
    centre = numbers.mean(0)
    _, sizes, rows = torch.linalg.svd(numbers - centre)
    kept = rows[sizes < TUNING.kept]
    found = torch.einsum("rn,nki->rki", kept, table)
    found[:, 0, 0] -= kept @ centre
    moves = torch.einsum("rki,si->srk", found[:, 1:], seen).abs().amax((0, 2))
    return found[moves > TUNING.moved]


def from_better_end(arm: ArmGraph) -> ArmGraph:
    """Return the arm, in double precision, or the same arm from its tip.

    The graph has no direction. Known distances decide more of the Panda's joints from its tip,
    since its shoulder is spherical and its wrist is not.
    """
    tip_first = ArmGraph(arm.lines.from_tip())
    decided = [sum(map(bool, KnownDistances.of(end.links).counts)) for end in (arm, tip_first)]
    return tip_first if decided[1] > decided[0] else arm
