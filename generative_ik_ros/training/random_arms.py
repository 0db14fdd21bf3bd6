"""A generator in, the axis lines of a batch of random arms out, made on the device."""

from dataclasses import replace

import torch
from torch import Tensor

from generative_ik_ros.graph.lines import JointLines

_QUARTER = torch.pi / 2.0


def random_arms(
    joints: int, count: int, generator: torch.Generator, slides: tuple[bool, ...] = ()
) -> JointLines:
    """Draw arms with Denavit and Hartenberg's parameters as real arms have them.

    After GGIK's section V-A (T-RO): neighbouring axes are parallel or perpendicular, with some
    oblique ones; at most two in a row are parallel, and those are apart; lengths and offsets are
    often zero. Limits leave most joints a full turn, and the others between half of one and all.

    Args:
        joints: Number m of joints.
        count: Number of arms.
        generator: Of the random numbers; its device is where the arms are made.
        slides: Which joints slide, the same ones of all arms; none if empty.

    Returns:
        Lines of a batch (count,) of arms.
    """
    device = generator.device

    def unit() -> Tensor:
        return torch.rand((count,), generator=generator, device=device)

    def either(chance: float) -> Tensor:
        return unit() < chance

    def between(low: float, high: float) -> Tensor:
        return low + (high - low) * unit()

    zero = torch.zeros(count, device=device)
    sign = torch.where(either(0.5), 1.0, -1.0)
    frame = torch.eye(4, device=device).expand(count, 4, 4)
    directions, points = [frame[:, :3, 2]], [frame[:, :3, 3]]
    parallel = torch.ones(count, dtype=torch.bool, device=device)  # the first two never are
    for j in range(1, joints):
        parallel = ~parallel & either(0.35)
        oblique = either(0.1)
        sign = torch.where(either(0.5), 1.0, -1.0)
        twist = sign * torch.where(oblique, between(0.5, 2.6), zero + _QUARTER)
        if j == 1:  # the base frame's x is z_0 x z_1 (robot/canonical.py)
            twist, sign = twist.abs(), sign.abs()
        twist = torch.where(parallel, zero, twist)
        link = torch.where(either(0.6), zero, between(-0.15, 0.15))
        link = torch.where(parallel, between(0.2, 0.7), link)
        offset = torch.where(either(0.5), zero, between(0.15, 0.5))
        offset = torch.where(parallel, torch.where(either(0.7), zero, between(-0.2, 0.2)), offset)
        if j == 1:
            offset = zero
        if j == joints // 2:  # no arm without length
            offset = torch.where(parallel, offset, between(0.2, 0.5))
        # The sense of an axis is its maker's choice: an arm may go on against it.
        offset = torch.where(either(0.5), offset, -offset)
        frame = frame @ _denavit_hartenberg(link, offset, twist)
        directions.append(frame[:, :3, 2])
        points.append(frame[:, :3, 3])
    # The last frame's x, by the canonical chain's rule: z_m x z_(m-1), or towards a parallel axis.
    flip = -torch.where(parallel, torch.ones_like(sign), sign)
    frame = frame * torch.stack([flip, flip, zero + 1.0, zero + 1.0], dim=-1)[:, None, :]

    shape = (count, joints)
    wide = torch.rand(shape, generator=generator, device=device) < 0.4
    half = 1.5 + (torch.pi - 1.5) * torch.rand(shape, generator=generator, device=device)
    plain = torch.rand(shape, generator=generator, device=device) < 0.6
    quarter = torch.randint(0, 4, shape, generator=generator, device=device) * _QUARTER
    free = 2.0 * torch.pi * torch.rand(shape, generator=generator, device=device)
    middle = torch.where(plain, quarter, free)
    half = torch.where(wide, torch.full_like(half, torch.pi), half)
    slides = slides or (False,) * joints
    if any(slides):
        slide = torch.tensor(slides, device=device)
        room = torch.rand((2, *shape), generator=generator, device=device)
        half = torch.where(slide, 0.1 + 0.4 * room[0], half)
        middle = torch.where(slide, 0.6 * room[1] - 0.1, middle)
    return JointLines(
        directions=torch.stack(directions, dim=-2),
        points=torch.stack(points, dim=-2),
        last_in_first=frame,
        middle=middle,
        half=half,
        prismatic=slides,
        variable=tuple(range(joints)),
        multiplier=(1.0,) * joints,
        offset=(0.0,) * joints,
    )


def varied_arms(
    lines: JointLines, count: int, share: float, generator: torch.Generator
) -> JointLines:
    """Draw arms like a given one whose lengths differ by up to a share (CoRL, section 5.1).

    The way from each axis to the next is scaled, its part along the axis and the rest apart, so
    that parallel, perpendicular and crossing axes stay what they are.

    Args:
        lines: One arm.
        count: Number of arms.
        share: Largest relative change of a length.
        generator: Of the random numbers, on the device of the lines.

    Returns:
        Lines of a batch (count,) of arms.
    """
    joints = lines.num_joints
    factor = torch.rand((2, count, joints, 1), generator=generator, device=generator.device)
    factor = 1.0 + share * (2.0 * factor - 1.0)
    feet, moved = [torch.zeros_like(lines.points[0])], [lines.points.new_zeros(count, 3)]
    for j in range(1, joints):
        axis, before = lines.directions[j], lines.directions[j - 1]
        point = lines.points[j]
        foot = feet[-1]
        if not lines.prismatic[j]:
            foot = point + ((feet[-1] - point) @ axis) * axis
        way = foot - feet[-1]
        along = (way @ before) * before
        moved.append(moved[-1] + factor[0, :, j] * along + factor[1, :, j] * (way - along))
        feet.append(foot)
    points = torch.stack(moved, dim=-2)
    last = lines.last_in_first.expand(count, 4, 4).clone()
    last[:, :3, 3] += moved[-1] - feet[-1]
    return replace(
        lines,
        directions=lines.directions.expand(count, joints, 3),
        points=points,
        last_in_first=last,
        middle=lines.middle.expand(count, -1),
        half=lines.half.expand(count, -1),
    )


def _denavit_hartenberg(link: Tensor, offset: Tensor, twist: Tensor) -> Tensor:
    """Return frames (B, 4, 4) at angle zero: along z, along x, then about x [m, rad]."""
    frame = torch.zeros((len(link), 4, 4), dtype=link.dtype, device=link.device)
    sine, cosine = torch.sin(twist), torch.cos(twist)
    frame[:, 0, 0] = frame[:, 3, 3] = 1.0
    frame[:, 1, 1] = frame[:, 2, 2] = cosine
    frame[:, 1, 2], frame[:, 2, 1] = -sine, sine
    frame[:, 0, 3], frame[:, 2, 3] = link, offset
    return frame
