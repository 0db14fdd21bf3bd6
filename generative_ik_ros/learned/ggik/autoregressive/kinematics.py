"""Forward kinematics link by link, and the last joints in closed form, batched in PyTorch."""

from dataclasses import dataclass
from enum import IntEnum

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.links import Frame, Links


class Decision(IntEnum):
    """How a joint is decided."""

    SAMPLED = 0
    """By the network."""
    CLOSED_FORM = 1
    """By the target."""
    MIMIC = 2
    """By a joint before it, which drives it as well."""


@dataclass(frozen=True, eq=False)
class JointFrame:
    """The frame of a joint's axis, where the joints before it have put it.

    Attributes:
        x: (*S, 3) direction of the link's common normal at the middle of the joint's range
            (`Links.mid_normal`).
        y: (*S, 3) z times x.
        z: (*S, 3) the joint's axis (`Links.axis`).
    """

    x: Tensor
    y: Tensor
    z: Tensor

    @classmethod
    def of(cls, links: Links, joint: int, frame: Frame) -> "JointFrame":
        """Return that of joint j, whose axis the link with frame j carries."""
        z = (frame.axes @ links.axis[..., joint, :, None])[..., 0]
        x = (frame.axes @ links.mid_normal[..., joint, :, None])[..., 0]
        return cls(x, torch.linalg.cross(z, x), z)


def next_frame(
    links: Links, joint: int, frame: Frame, joint_frame: JointFrame, displacement: Tensor
) -> Frame:
    """Return frame j + 1.

    Args:
        links: The arms.
        joint: Joint j.
        frame: Frame j.
        joint_frame: That of joint j.
        displacement: (*S) of joint j from the middle of its range, in the sense of its axis
            [rad or m].
    """
    offset = links.link_offset[..., joint]
    if links.prismatic[joint]:
        offset = offset + links.sense[..., joint] * links.mid_position[..., joint] + displacement
        shape = (*displacement.shape, 3)
        x, y = joint_frame.x.expand(shape), joint_frame.y.expand(shape)
    else:
        cosine, sine = torch.cos(displacement)[..., None], torch.sin(displacement)[..., None]
        x = cosine * joint_frame.x + sine * joint_frame.y
        y = cosine * joint_frame.y - sine * joint_frame.x
    z = joint_frame.z.expand_as(x)
    origin = frame.origin + links.link_length[..., joint, None] * x + offset[..., None] * z
    return Frame(origin, torch.stack([x, y, z], dim=-1))


def displacement_of(links: Links, joint: int, q: Tensor) -> Tensor:
    """Return the displacement (*S) of joint j at configurations (*S, n), see `next_frame`."""
    position = links.lines.position(joint, q)
    return links.sense[..., joint] * (position - links.mid_position[..., joint])


def decided_by(links: Links) -> list[Decision]:
    """Return what decides each of the m joints.

    The last joint follows from the target, and so does the last but one if both are revolute.
    """
    count, kinds, driven = links.num_joints, [], set()
    for joint, variable in enumerate(links.lines.variable):
        left = count - joint
        follows = left == 1 or (left == 2 and not any(links.prismatic[joint:]))
        own = Decision.CLOSED_FORM if follows else Decision.SAMPLED
        kinds.append(Decision.MIMIC if variable in driven else own)
        driven.add(variable)
    return kinds


def closed_form(
    links: Links, joint: int, frame: Frame, joint_frame: JointFrame, goal: Frame
) -> Tensor:
    """Return the displacement (*S) of one of the last two joints that comes closest to a goal.

    The last joint is read off the goal's x, or off its origin if the joint is prismatic; the one
    before off the goal's origin and its z, the last axis, where an error of the arm's length
    counts as much as one of a unit vector. The goal is frame m, see `Links.end_frame`.
    """
    x, y = joint_frame.x, joint_frame.y
    away = goal.origin - frame.origin
    if joint + 1 == links.num_joints:
        if links.prismatic[joint]:
            position = (away * joint_frame.z).sum(-1)
            return position - links.sense[..., joint] * links.mid_position[..., joint]
        return torch.atan2((goal.x * y).sum(-1), (goal.x * x).sum(-1))
    # What the link carries, in the frame after the joint, and where it should be.
    length = links.link_length[..., joint] / links.scale
    cosine, sine = torch.zeros_like(away[..., 0]), torch.zeros_like(away[..., 0])
    for wanted, carried in (
        (away / links.scale[..., None], (length, torch.zeros_like(length))),
        (goal.z, links.axis[..., joint + 1, :2].unbind(-1)),
    ):
        along_x, along_y = (wanted * x).sum(-1), (wanted * y).sum(-1)
        cosine = cosine + carried[0] * along_x + carried[1] * along_y
        sine = sine + carried[0] * along_y - carried[1] * along_x
    return torch.atan2(sine, cosine)
