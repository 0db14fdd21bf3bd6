"""The links of an arm as parameters in the manner of Denavit and Hartenberg, and their frames.

A link keeps the axes of two joints, lines in space, at a fixed offset, length and angle. The
parameters here depend on the shape of the arm alone: not on the pose of its base, nor on which
position of a joint a URDF calls zero, nor on which of the two directions of an axis is positive.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.lines import JointLines

LINK_FEATURES = 14
"""Numbers that describe a joint, its link and the next axis to a network."""
_ZERO = 1e-4
"""Lengths below this share of the arm's length, and sines below this, count as zero."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Frames of a batch.

    Attributes:
        origin: (*S, 3) [m].
        axes: (*S, 3, 3) unit vectors x, y and z, column by column.
    """

    origin: Tensor
    axes: Tensor

    @classmethod
    def identity(cls, like: Tensor) -> "Frame":
        """Return the frames in which `Links` begin, one for each vector of (*S, 3)."""
        unit = torch.eye(3, dtype=like.dtype, device=like.device)
        return cls(torch.zeros_like(like), unit.expand(*like.shape[:-1], 3, 3))

    @property
    def x(self) -> Tensor:
        """(*S, 3)."""
        return self.axes[..., 0]

    @property
    def z(self) -> Tensor:
        """(*S, 3)."""
        return self.axes[..., 2]


@dataclass(frozen=True, eq=False)
class Links:
    """Joints and links of one arm (A empty), or of a batch of arms with the same joint types.

    Frame j belongs to the link before joint j and has its origin at p_j, the point of joint j (see
    `ArmGraph`); frame 0 is the canonical first joint frame. Joint j and its link take frame j to
    frame j + 1 as J. Denavit and R. Hartenberg (1955) have it, without their twist: rotate about
    the axis of joint j, translate along it by the link offset, then along the new x by the link
    length. So frame j + 1 has its z along the axis of joint j, and its x along the perpendicular
    from that axis to p_(j+1), or along the common normal where both axes meet. The x of frame m
    is that of the canonical last joint frame. `axis` takes the place of the twist angle.

    Denavit and Hartenberg measure link length and offset to the common normal of both axes; here
    it is the perpendicular from p_j to the next axis. These are the same for perpendicular axes;
    for nearly parallel ones the common normal is ill-conditioned, and the perpendicular is not.

    Attributes:
        lines: The joint axes.
        joint_points: (*A, m, 3) p_j at the zero configuration [m].
        scale: (*A) length of the arm [m].
        axis: (*A, m, 3) unit axis of joint j in frame j, pointing the way the arm continues.
        mid_normal: (*A, m, 3) x of frame j + 1 with joint j at the middle of its range, in frame
            j.
        link_length: (*A, m) distance of p_(j+1) from the axis of joint j [m].
        link_offset: (*A, m) component of p_(j+1) - p_j along the axis of joint j [m].
        sense: (*A, m) 1, or -1 where the joint counts against `axis`.
        mid_position: (*A, m) position of joint j at the middle of its range [rad or m].
        half_range: (*A, m) half its range, pi for a circle [rad or m].
    """

    lines: JointLines
    joint_points: Tensor
    scale: Tensor
    axis: Tensor
    mid_normal: Tensor
    link_length: Tensor
    link_offset: Tensor
    sense: Tensor
    mid_position: Tensor
    half_range: Tensor

    @classmethod
    def of(cls, lines: JointLines, joint_points: Tensor, scale: Tensor) -> "Links":
        """Find the parameters of an arm or a batch of arms; see the attributes."""
        last = lines.num_joints - 1
        frame = torch.eye(3, dtype=joint_points.dtype, device=joint_points.device)
        frame = frame.expand(*joint_points.shape[:-2], 3, 3)
        sense = _onward(lines, joint_points, 0, scale)
        sense = torch.where(sense == 0.0, torch.ones_like(sense), sense)
        axis = sense * lines.directions[..., 0, :]
        rows = []
        for j in range(lines.num_joints):
            variable, factor = lines.variable[j], lines.multiplier[j]
            mid_position = factor * lines.middle[..., variable] + lines.offset[j]
            if j < last:
                way = joint_points[..., j + 1, :] - joint_points[..., j, :]
                x, next_axis, next_sense = _next_axis(lines, joint_points, j, axis, scale)
            else:
                way = torch.zeros_like(axis)
                x, next_axis, next_sense = lines.last_in_first[..., :3, 0], axis, sense
            slides = lines.prismatic[j]
            turn = torch.zeros_like(mid_position) if slides else sense[..., 0] * mid_position
            normal = rotate_perpendicular(axis, x, turn)
            rows.append(
                (
                    (frame.mT @ axis[..., None])[..., 0],
                    (frame.mT @ normal[..., None])[..., 0],
                    (way * x).sum(-1),
                    (way * axis).sum(-1),
                    sense[..., 0],
                    mid_position,
                    abs(factor) * lines.half[..., variable],
                )
            )
            frame = torch.stack([x, torch.linalg.cross(axis, x), axis], dim=-1)
            axis, sense = next_axis, next_sense
        axes, normals, *numbers = zip(*rows, strict=True)
        vectors = (torch.stack(part, dim=-2) for part in (axes, normals))
        return cls(
            lines, joint_points, scale, *vectors, *(torch.stack(part, dim=-1) for part in numbers)
        )

    @property
    def num_joints(self) -> int:
        """Number m of joints on the path."""
        return self.half_range.shape[-1]

    @property
    def prismatic(self) -> tuple[bool, ...]:
        """Whether joint j is prismatic, one a joint."""
        return self.lines.prismatic

    @cached_property
    def features(self) -> Tensor:
        """(*A, m, LINK_FEATURES) joint j, the link after it and the next axis, for a network.

        Lengths are shares of the arm's.
        """
        scale = self.scale[..., None]
        slides = torch.tensor(self.prismatic, device=self.half_range.device)
        zero = torch.zeros_like(self.half_range)
        last = zero.clone()
        last[..., -1] = 1.0
        full_turn = (self.half_range > torch.pi - 1e-6).to(zero.dtype)
        columns = [
            self.link_length / scale,
            self.link_offset / scale,
            torch.where(slides, zero, self.half_range / torch.pi),
            torch.where(slides, zero, full_turn),
            torch.where(slides, zero + 1.0, zero),
            torch.where(slides, self.half_range / scale, zero),
            torch.where(slides, self.mid_position / scale, zero),
            last,
        ]
        none = torch.zeros_like(self.axis[..., :1, :])
        next_joint = [
            torch.cat([part[..., 1:, :], none], dim=-2) for part in (self.axis, self.mid_normal)
        ]
        return torch.cat([torch.stack(columns, dim=-1), *next_joint], dim=-1)

    def end_frame(self, last_in_first: Tensor) -> Frame:
        """Return frame m of arms that reach targets (*S, 4, 4)."""
        end = last_in_first @ torch.linalg.inv(self.lines.last_in_first)
        point = self.joint_points[..., -1, :]
        origin = (end[..., :3, :3] @ point[..., None])[..., 0] + end[..., :3, 3]
        x, z = last_in_first[..., :3, 0], self.sense[..., -1, None] * last_in_first[..., :3, 2]
        return Frame(origin, torch.stack([x, torch.linalg.cross(z, x), z], dim=-1))


def rotate_perpendicular(axis: Tensor, vector: Tensor, angle: Tensor) -> Tensor:
    """Rotate unit vectors (*S, 3) about unit axes (*S, 3) perpendicular to them, (*S) [rad]."""
    side = torch.linalg.cross(axis, vector)
    return torch.cos(angle)[..., None] * vector + torch.sin(angle)[..., None] * side


def _onward(lines: JointLines, points: Tensor, joint: int, scale: Tensor) -> Tensor:
    """Return (*A, 1) the sign of the way to the next joint along an axis; 0 for none."""
    if joint + 1 == points.shape[-2]:
        return torch.zeros_like(scale)[..., None]
    way = points[..., joint + 1, :] - points[..., joint, :]
    along = (way * lines.directions[..., joint, :]).sum(-1, keepdim=True)
    far = along.abs() > _ZERO * scale[..., None]
    return torch.where(far, along.sign(), torch.zeros_like(along))


def _next_axis(
    lines: JointLines, points: Tensor, joint: int, axis: Tensor, scale: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return x of the frame after a joint, the next joint's axis, and its sense (*A, 1).

    The sense of an axis is the way the arm continues along it; else, where the next joint stands
    aside, the one that makes the twist between both axes positive; else the one nearer to the
    axis before.
    """
    after = lines.directions[..., joint + 1, :]
    way = points[..., joint + 1, :] - points[..., joint, :]
    across = way - (way * axis).sum(-1, keepdim=True) * axis
    length = across.norm(dim=-1, keepdim=True)
    tilt = after - (after * axis).sum(-1, keepdim=True) * axis
    apart = length > _ZERO * scale[..., None]
    oblique = tilt.norm(dim=-1, keepdim=True) > _ZERO

    sense = _onward(lines, points, joint + 1, scale)
    twist = (torch.linalg.cross(axis, across) * after).sum(-1, keepdim=True)
    twisted = apart & (twist.abs() > _ZERO * length)
    twist = torch.where(twisted, twist.sign(), torch.zeros_like(twist))
    sense = torch.where(sense == 0.0, twist, sense)
    cosine = (axis * after).sum(-1, keepdim=True)
    nearer = torch.where(cosine < -_ZERO, -torch.ones_like(cosine), torch.ones_like(cosine))
    sense = torch.where(sense == 0.0, nearer, sense)

    unit = torch.eye(3, dtype=axis.dtype, device=axis.device)
    any_normal = torch.linalg.cross(axis, unit[axis.abs().argmin(dim=-1)])
    x = torch.where(apart, across, torch.where(oblique, sense * tilt, any_normal))
    return x / x.norm(dim=-1, keepdim=True), sense * after, sense
