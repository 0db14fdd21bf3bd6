"""How far an arm is laid out in, what its goal looks like from there out; and one joint more.

All that is seen is made of distances and angles between the arm's points and its goal's, so it is
the same wherever the base stands and however it is turned.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.links import Links, turned_about

SIGHTS = 9
"""Numbers that tell the goal as seen from a joint."""
TILT = 0.3
"""Share of the goal's axis in the direction from which angles count, for points on the joint's."""
SLIDE = 0.8
"""The range of a slide takes this share of the circle on which positions are told."""

FREE, FITTED, SAME = 0, 1, 2
"""What decides a joint: the network, the goal, or a joint before it that moves with it."""

Goal = tuple[Tensor, Tensor, Tensor]
"""Point [m], z and x, (*S, 3) each, of the end; see `Links.goal`."""


@dataclass(frozen=True, eq=False)
class Stand:
    """How far an arm has been laid out: frame j of `Links`.

    Attributes:
        point: (*S, 3) joint j's point [m].
        frame: (*S, 3, 3) axes of the frame, column by column.
    """

    point: Tensor
    frame: Tensor

    @classmethod
    def first(cls, like: Tensor) -> "Stand":
        """Return where arms begin, for vectors like (*S, 3)."""
        unit = torch.eye(3, dtype=like.dtype, device=like.device)
        return cls(torch.zeros_like(like), unit.expand(*like.shape[:-1], 3, 3))

    @property
    def goal(self) -> Goal:
        """The goal that an arm has reached which is laid out to its end."""
        return self.point, self.frame[..., 2], self.frame[..., 0]


@dataclass(frozen=True, eq=False)
class View:
    """Where joint j can go.

    Attributes:
        axis: (*S, 3) its axis.
        middle: (*S, 3) x of the next frame with the joint in the middle of its range.
        side: (*S, 3) axis times middle.
    """

    axis: Tensor
    middle: Tensor
    side: Tensor

    @classmethod
    def of(cls, links: Links, joint: int, stand: Stand) -> "View":
        """Return that of joint j, which the frame before it carries."""
        axis = (stand.frame @ links.axis[..., joint, :, None])[..., 0]
        middle = (stand.frame @ links.middle[..., joint, :, None])[..., 0]
        return cls(axis, middle, torch.linalg.cross(axis, middle))


@dataclass(frozen=True, eq=False)
class Sight:
    """What the goal looks like from a joint.

    Attributes:
        numbers: (*S, SIGHTS) what a network reads: the goal's point, its distance and its axis in
            the frame of the two directions below and the axis, lengths as shares of the arm's;
            and `View.middle` in the same frame.
        towards: (*S, 3) unit vector across the axis towards the goal; angles count from here.
        side: (*S, 3) axis times `towards`.
    """

    numbers: Tensor
    towards: Tensor
    side: Tensor

    @classmethod
    def of(cls, links: Links, stand: Stand, view: View, goal: Goal) -> "Sight":
        """Look at the goal."""
        point, up, _ = goal
        away = (point - stand.point) / links.scale[..., None]
        aim = away + TILT * up
        aim = aim - (aim * view.axis).sum(-1, keepdim=True) * view.axis
        towards = aim / aim.norm(dim=-1, keepdim=True).clamp(min=1e-9)
        side = torch.linalg.cross(view.axis.expand_as(towards), towards)
        seen = torch.stack([towards, side, view.axis.expand_as(towards)], dim=-2)
        vectors = torch.stack(torch.broadcast_tensors(away, up, view.middle), dim=-1)
        away, up, middle = (seen @ vectors).unbind(-1)
        numbers = [away, away.norm(dim=-1, keepdim=True), up, middle[..., :2]]
        return cls(torch.cat(numbers, dim=-1), towards, side)


def place(links: Links, joint: int, stand: Stand, view: View, turn: Tensor) -> Stand:
    """Go on to the next joint.

    Args:
        links: The arms.
        joint: Which joint turns or slides.
        stand: Where it is.
        view: What it can do.
        turn: (*S) its position from the middle of its range, about or along `view.axis`.
    """
    along = links.along[..., joint]
    if links.prismatic[joint]:
        along = along + links.sense[..., joint] * links.centre[..., joint] + turn
        x, y = view.middle.expand(*turn.shape, 3), view.side.expand(*turn.shape, 3)
    else:
        cosine, sine = torch.cos(turn)[..., None], torch.sin(turn)[..., None]
        x = cosine * view.middle + sine * view.side
        y = cosine * view.side - sine * view.middle
    axis = view.axis.expand_as(x)
    point = stand.point + links.across[..., joint, None] * x + along[..., None] * axis
    return Stand(point, torch.stack([x, y, axis], dim=-1))


def told(links: Links, joint: int, turn: Tensor) -> Tensor:
    """Return the angle (*S) that tells how far a sliding joint is from its middle (*S) [m].

    That of a turning joint is where x of the next frame points, from `Sight.towards` on.
    """
    return SLIDE * torch.pi * turn / links.half[..., joint]


def meant(links: Links, joint: int, view: View, sight: Sight, angle: Tensor) -> Tensor:
    """Return the turn (*S) that an angle (*S) tells; one outside the range is mirrored."""
    half = links.half[..., joint]
    if links.prismatic[joint]:
        turn = angle / (SLIDE * torch.pi) * half
    else:
        cosine = (view.middle * sight.towards).sum(-1)
        turn = angle - torch.atan2((view.middle * sight.side).sum(-1), cosine)
        turn = torch.remainder(turn + torch.pi, 2.0 * torch.pi) - torch.pi
    turn = torch.where(turn > half, 2.0 * half - turn, turn)
    turn = torch.where(turn < -half, -2.0 * half - turn, turn)
    return torch.minimum(torch.maximum(turn, -half), half)


def kinds_of(links: Links) -> list[int]:
    """Return what decides each of the m joints: FREE, FITTED or SAME.

    The last joint follows from the goal, and so does the last but one of two that turn.
    """
    count, kinds, driven = links.num_joints, [], set()
    for joint, variable in enumerate(links.lines.variable):
        left = count - joint
        follows = left == 1 or (left == 2 and not any(links.prismatic[joint:]))
        kinds.append(SAME if variable in driven else FITTED if follows else FREE)
        driven.add(variable)
    return kinds


def fitted(links: Links, joint: int, stand: Stand, view: View, goal: Goal) -> Tensor:
    """Return the turn (*S) of such a joint that comes closest to the goal.

    The last one shows by x, or by the point where it slides. The one before shows by the point
    and the axis of the last; a length of the arm's counts as much as the axis' unit.
    """
    point, up, x = goal
    away = point - stand.point
    if joint + 1 == links.num_joints:
        if links.prismatic[joint]:
            slide = (away * view.axis).sum(-1)
            return slide - links.sense[..., joint] * links.centre[..., joint]
        return torch.atan2((x * view.side).sum(-1), (x * view.middle).sum(-1))
    # What the link carries, in the frame after the joint, and where it should be.
    scale = links.scale
    cosine, sine = torch.zeros_like(away[..., 0]), torch.zeros_like(away[..., 0])
    for wanted, carried in (
        (away / scale[..., None], (links.across[..., joint] / scale, torch.zeros_like(scale))),
        (up, links.axis[..., joint + 1, :2].unbind(-1)),
    ):
        along, aside = (wanted * view.middle).sum(-1), (wanted * view.side).sum(-1)
        cosine = cosine + carried[0] * along + carried[1] * aside
        sine = sine + carried[0] * aside - carried[1] * along
    return torch.atan2(sine, cosine)


def seen_and_told(
    links: Links, q: Tensor, off: Tensor | None = None
) -> list[tuple[int, Tensor, Tensor]]:
    """Lay arms out as configurations have them, and look back from every joint to their end.

    Args:
        links: Of the arms (A).
        q: (*S, n) configurations; A broadcasts with S.
        off: (*S, m) by how much each joint is off when the next one looks, None for nothing. The
            next one still goes where it went, so that it learns to make up for errors.

    Returns:
        For every joint that a network is asked about: which, what it sees (*S, SIGHTS), and the
        angle that tells where it went (*S).
    """
    lines = links.lines
    stand = Stand.first(q[..., :1].expand(*q.shape[:-1], 3))
    on_the_way = []
    for joint in range(links.num_joints):
        view = View.of(links, joint, stand)
        position = lines.position(joint, q)
        turn = links.sense[..., joint] * (position - links.centre[..., joint])
        on_the_way.append((stand, view, turn))
        stand = place(links, joint, stand, view, turn)
    goal, asked = stand.goal, []
    for joint, kind in enumerate(kinds_of(links)):
        if kind != FREE:
            continue
        before, view, turn = on_the_way[joint]
        went = turned_about(view.axis, view.middle, turn)
        if off is not None and joint:
            last, seen, moved = on_the_way[joint - 1]
            before = place(links, joint - 1, last, seen, moved + off[..., joint - 1])
            view = View.of(links, joint, before)
        sight = Sight.of(links, before, view, goal)
        angle = torch.atan2((went * sight.side).sum(-1), (went * sight.towards).sum(-1))
        if links.prismatic[joint]:
            angle = told(links, joint, turn)
        asked.append((joint, sight.numbers, angle))
    return asked
