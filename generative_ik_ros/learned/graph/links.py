"""An arm's axis lines in, what each link fixes between one joint and the next out.

A link keeps its joint's axis and the next one's at fixed distances. Here these distances are told
as numbers that depend neither on where the base stands, nor on which position of a joint its maker
calls zero, nor on which way along its axis he calls positive.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.lines import JointLines

TOKENS = 14
"""Numbers that tell a link."""
_SAME = 1e-4
"""Lengths below this share of the arm's, and sines below this, count as none."""


@dataclass(frozen=True, eq=False)
class Links:
    """Joints and links of one arm (A empty), or of a batch of arms with joints of the same kinds.

    Frame j belongs to link j, before joint j. Frame j + 1 has its z on joint j's axis, its x
    towards joint j + 1's nearest point (or axis, where both axes meet), and its origin where
    frame j's nearest point on the axis is; frame 0 is the canonical first joint frame, and frame
    m's x is that of the canonical last joint frame.

    Attributes:
        lines: The axes.
        feet: (*A, m, 3) each joint's point at zero, see `ArmGraph` [m].
        scale: (*A) length of the arm [m].
        axis: (*A, m, 3) unit axis of joint j, in frame j; its sense is the one that the arm goes
            on along.
        middle: (*A, m, 3) x of frame j + 1 with joint j in the middle of its range, in frame j.
        across: (*A, m) way to the next joint's point along x of frame j + 1 [m].
        along: (*A, m) the same along its z [m].
        sense: (*A, m) 1, or -1 where joint j counts against `axis`.
        centre: (*A, m) position of joint j in the middle of its range [rad or m].
        half: (*A, m) half its range, pi for a circle [rad or m].
    """

    lines: JointLines
    feet: Tensor
    scale: Tensor
    axis: Tensor
    middle: Tensor
    across: Tensor
    along: Tensor
    sense: Tensor
    centre: Tensor
    half: Tensor

    @classmethod
    def of(cls, lines: JointLines, points: Tensor, length: Tensor) -> "Links":
        """Find the links of an arm or a batch of arms; see the attributes for the arguments."""
        scale = length[..., None]
        count = lines.num_joints
        frame = torch.eye(3, dtype=points.dtype, device=points.device)
        frame = frame.expand(*points.shape[:-2], 3, 3)
        parts: dict[str, list[Tensor]] = {name: [] for name in _FIELDS}
        axis, sense = _first_axis(lines.directions, points, scale)
        for j in range(count):
            variable, factor = lines.variable[j], lines.multiplier[j]
            centre = factor * lines.middle[..., variable] + lines.offset[j]
            if j + 1 < count:
                way = points[..., j + 1, :] - points[..., j, :]
                x, after, turned = _leave(lines.directions, points, j, axis, way, scale)
            else:
                way = torch.zeros_like(axis)
                x, after, turned = lines.last_in_first[..., :3, 0], axis, sense
            turn = torch.zeros_like(centre) if lines.prismatic[j] else sense[..., 0] * centre
            middle = turned_about(axis, x, turn)
            parts["axis"].append((frame.mT @ axis[..., None])[..., 0])
            parts["middle"].append((frame.mT @ middle[..., None])[..., 0])
            parts["across"].append((way * x).sum(-1))
            parts["along"].append((way * axis).sum(-1))
            parts["sense"].append(sense[..., 0])
            parts["centre"].append(centre)
            parts["half"].append(abs(factor) * lines.half[..., variable])
            frame = torch.stack([x, torch.linalg.cross(axis, x), axis], dim=-1)
            axis, sense = after, turned
        return cls(
            lines,
            points,
            length,
            **{
                name: torch.stack(rows, dim=-2 if name in ("axis", "middle") else -1)
                for name, rows in parts.items()
            },
        )

    @property
    def num_joints(self) -> int:
        """Number m of joints on the path."""
        return self.half.shape[-1]

    @property
    def prismatic(self) -> tuple[bool, ...]:
        """Whether joint j slides, one a joint."""
        return self.lines.prismatic

    @cached_property
    def tokens(self) -> Tensor:
        """(*A, m, TOKENS) joint j, the link after it, and the next axis, as a network reads them.

        Lengths are shares of the arm's.
        """
        scale = self.scale[..., None]
        slides = torch.tensor(self.prismatic, device=self.half.device)
        zero = torch.zeros_like(self.half)
        nothing = torch.zeros_like(self.axis[..., :1, :])
        last = zero.clone()
        last[..., -1] = 1.0
        columns = [
            self.across / scale,
            self.along / scale,
            torch.where(slides, zero, self.half / torch.pi),
            torch.where(slides, zero, (self.half > torch.pi - 1e-6).to(zero.dtype)),
            torch.where(slides, zero + 1.0, zero),
            torch.where(slides, self.half / scale, zero),
            torch.where(slides, self.centre / scale, zero),
            last,
        ]
        after = [
            torch.cat([part[..., 1:, :], nothing], dim=-2) for part in (self.axis, self.middle)
        ]
        return torch.cat([torch.stack(columns, dim=-1), *after], dim=-1)

    def goal(self, last_in_first: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return where targets (*S, 4, 4) put the end: its point, its z and its x, (*S, 3)."""
        end = last_in_first @ torch.linalg.inv(self.lines.last_in_first)
        point = self.feet[..., -1, :]
        point = (end[..., :3, :3] @ point[..., None])[..., 0] + end[..., :3, 3]
        z = self.sense[..., -1, None] * last_in_first[..., :3, 2]
        return point, z, last_in_first[..., :3, 0]


_FIELDS = ("axis", "middle", "across", "along", "sense", "centre", "half")


def turned_about(axis: Tensor, across: Tensor, angle: Tensor) -> Tensor:
    """Turn unit vectors (*S, 3) across unit axes (*S, 3) about them by angles (*S)."""
    side = torch.linalg.cross(axis, across)
    return torch.cos(angle)[..., None] * across + torch.sin(angle)[..., None] * side


def _first_axis(directions: Tensor, points: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first axis and its sense (*A, 1)."""
    axis = directions[..., 0, :]
    sense = _onward(directions, points, 0, scale)
    sense = torch.where(sense == 0.0, torch.ones_like(sense), sense)
    return sense * axis, sense


def _onward(directions: Tensor, points: Tensor, joint: int, scale: Tensor) -> Tensor:
    """Return (*A, 1) which way along its axis an arm goes on after a joint; 0 for none."""
    if joint + 1 == points.shape[-2]:
        return torch.zeros_like(scale)
    way = points[..., joint + 1, :] - points[..., joint, :]
    along = (way * directions[..., joint, :]).sum(-1, keepdim=True)
    return torch.where(along.abs() > _SAME * scale, along.sign(), torch.zeros_like(along))


def _leave(
    directions: Tensor, points: Tensor, joint: int, axis: Tensor, way: Tensor, scale: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return x of the frame after a joint, the next axis, and its sense (*A, 1)."""
    after = directions[..., joint + 1, :]
    across = way - (way * axis).sum(-1, keepdim=True) * axis
    length = across.norm(dim=-1, keepdim=True)
    tilt = after - (after * axis).sum(-1, keepdim=True) * axis
    steep = tilt.norm(dim=-1, keepdim=True)
    apart, crossing = length > _SAME * scale, steep > _SAME
    # The sense of the next axis: as the arm goes on, else by its side, else by its direction.
    sense = _onward(directions, points, joint + 1, scale)
    side = (torch.linalg.cross(axis, across) * after).sum(-1, keepdim=True)
    side = torch.where(apart & (side.abs() > _SAME * length), side.sign(), torch.zeros_like(side))
    sense = torch.where(sense == 0.0, side, sense)
    up = (axis * after).sum(-1, keepdim=True)
    up = torch.where(up < -_SAME, -torch.ones_like(up), torch.ones_like(up))
    sense = torch.where(sense == 0.0, up, sense)
    unit = torch.eye(3, dtype=axis.dtype, device=axis.device)
    any_one = unit[axis.abs().argmin(dim=-1)]
    any_one = torch.linalg.cross(axis, any_one)
    x = torch.where(apart, across, torch.where(crossing, sense * tilt, any_one))
    return x / x.norm(dim=-1, keepdim=True), sense * after, sense
