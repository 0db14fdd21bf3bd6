"""Random arms, and variations of an arm, as batches of joint axes made on the device."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.arm_graph import joint_points_of
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.robot.rigid import TURN


def random_arms(
    joints: int, count: int, generator: torch.Generator, prismatic: tuple[bool, ...] = ()
) -> JointLines:
    """Draw arms with Denavit-Hartenberg parameters like those of real arms.

    After GGIK's section V-A (T-RO): neighbouring axes are parallel or perpendicular, with some
    oblique ones; link lengths and offsets are often zero. What is correlated in real arms is
    drawn together: arms whose joints roll and bend in turn, arms with an elbow of two or three
    parallel axes, and arms of any kind; axes that are offset to a side, often by as much back
    after the joint; limits of a full turn or half of one, centred where the arm is straight, at a
    right angle or anywhere.

    Which joints are prismatic is the same in all arms; none if empty. The axes are of a batch
    (count,) of arms, on the generator's device.
    """
    draw = _Draw(generator, count, joints)
    links = _links(draw)
    frame = torch.eye(4, device=generator.device).expand(count, 4, 4)
    directions, points = [frame[:, :3, 2]], [frame[:, :3, 3]]
    for j in range(1, joints):
        frame = frame @ _denavit_hartenberg(
            links.length[:, j], links.offset[:, j], links.twist[:, j]
        )
        directions.append(frame[:, :3, 2])
        points.append(frame[:, :3, 3])
    # The last frame's x, by the canonical chain's rule: z_m x z_(m-1), or towards a parallel axis.
    last = links.twist[:, -1]
    flip = torch.where(last < 0.0, torch.ones_like(last), -torch.ones_like(last))
    frame = frame * torch.stack([flip, flip, flip.abs(), flip.abs()], dim=-1)[:, None, :]
    prismatic = prismatic or (False,) * joints
    middle, half = _ranges(draw, links, prismatic)
    return JointLines(
        directions=torch.stack(directions, dim=-2),
        points=torch.stack(points, dim=-2),
        last_in_first=frame,
        middle=middle,
        half=half,
        prismatic=prismatic,
        variable=tuple(range(joints)),
        multiplier=(1.0,) * joints,
        offset=(0.0,) * joints,
    )


class _Draw:
    """Draws one number a joint (B, m), or with `arm` one an arm (B, 1)."""

    def __init__(self, generator: torch.Generator, count: int, joints: int):
        self.count, self.joints = count, joints
        self._generator, self._device = generator, generator.device

    def unit(self, arm: bool = False) -> Tensor:
        shape = (self.count, 1 if arm else self.joints)
        return torch.rand(shape, generator=self._generator, device=self._device)

    def either(self, chance: float, arm: bool = False) -> Tensor:
        return self.unit(arm) < chance

    def between(self, low: float, high: float) -> Tensor:
        return low + (high - low) * self.unit()

    def sign(self) -> Tensor:
        return 2.0 * self.either(0.5).float() - 1.0

    def zero(self) -> Tensor:
        return torch.zeros((self.count, self.joints), device=self._device)


@dataclass(frozen=True, eq=False)
class _Links:
    """Parameters of Denavit and Hartenberg; column j leads from joint j - 1 to joint j.

    Column 0 has no meaning.

    Attributes:
        length: (B, m) a, along the common normal x [m].
        offset: (B, m) d, along the axis of joint j - 1 [m].
        twist: (B, m) alpha, between the axes about x [rad].
    """

    length: Tensor
    offset: Tensor
    twist: Tensor


def _links(draw: _Draw) -> _Links:
    joints, zero = draw.joints, draw.zero()
    column = torch.arange(joints, device=zero.device)
    kind = draw.unit(arm=True)
    rolls = kind < (0.45 if joints > 6 else 0.2)
    elbow = (kind > 0.65) & ~rolls
    parallel = _parallel(draw, rolls, elbow)

    oblique = draw.either(0.25, arm=True) & draw.either(0.3)
    twist = draw.sign() * torch.where(oblique, draw.between(0.5, 2.6), zero + torch.pi / 2.0)
    twist = torch.where(parallel, zero, twist)
    twist[:, 1] = twist[:, 1].abs()  # the base frame's x is z_0 x z_1 (robot/canonical.py)

    # Such arms are offset to a side before the elbow and back after it, or at the end.
    at_elbow = (column == joints // 2) | (column == joints // 2 + 1)
    at_elbow = at_elbow & rolls & draw.either(0.6, arm=True)
    chance = torch.where(rolls, torch.where(column == joints - 1, zero + 0.5, 0.2), 0.4)
    aside = draw.either(0.6, arm=True) & (at_elbow | (draw.unit() < chance))
    length = draw.sign() * torch.where(aside, draw.between(0.02, 0.15), zero)
    back = aside & (at_elbow | draw.either(0.5))
    length[:, 1:] = torch.where(back[:, 1:] & aside[:, :-1], -length[:, :-1], length[:, 1:])
    length = torch.where(parallel, draw.between(0.2, 0.7), length)

    # In arms that roll and bend in turn the long links lie along the axes that roll.
    first = 1 + draw.either(0.2, arm=True).long()
    in_turn = (column + first) % 2 == 0
    some = torch.where(rolls, in_turn, draw.either(0.5))
    long = torch.where(draw.either(0.25), draw.between(0.03, 0.15), draw.between(0.15, 0.5))
    offset = torch.where(some, long, zero)
    shifted = torch.where(draw.either(0.7), zero, draw.between(-0.2, 0.2))
    offset = torch.where(parallel, shifted, offset)
    middle = joints // 2  # no arm without length
    enough = torch.where(rolls, in_turn, zero == 0.0)[:, middle] & ~parallel[:, middle]
    offset[:, middle] = torch.where(enough, draw.between(0.2, 0.5)[:, middle], offset[:, middle])
    # The sense of an axis is a convention: an arm may continue against it.
    offset = offset * draw.sign()
    offset[:, 1] = 0.0
    return _Links(length, offset, twist)


def _parallel(draw: _Draw, rolls: Tensor, elbow: Tensor) -> Tensor:
    """Draw which axes are parallel to the one before: two or three in a row, not the first two."""
    wanted, again = draw.either(0.35), draw.either(0.3)
    third = draw.either(0.5, arm=True)[:, 0]
    parallel = torch.zeros_like(wanted)
    for j in range(2, draw.joints):
        one, two = parallel[:, j - 1], parallel[:, j - 2]
        free = wanted[:, j] & ~(one & (two | ~again[:, j]))
        fixed = third if j == 3 else torch.full_like(third, j == 2)
        chosen = torch.where(elbow[:, 0], fixed, free)
        parallel[:, j] = chosen & ~rolls[:, 0]
    return parallel


def _ranges(draw: _Draw, links: _Links, prismatic: tuple[bool, ...]) -> tuple[Tensor, Tensor]:
    """Return middle and half of the joints' ranges (B, m) [rad or m]."""
    zero = draw.zero()
    kind = draw.unit(arm=True)
    chance = torch.where(kind < 0.25, zero + 1.0, torch.where(kind < 0.55, zero, zero + 0.4))
    wide = draw.unit() < chance
    half = torch.where(draw.either(0.5), draw.between(1.4, 2.4), draw.between(2.4, torch.pi))
    half = torch.where(wide, zero + torch.pi, half)

    # Joint j bends the arm between links along axes j - 1 and j + 1: straight at 0 or half a turn.
    side = torch.where(links.twist < 0.0, -torch.ones_like(zero), torch.ones_like(zero))
    onward = torch.where(links.offset < 0.0, -torch.ones_like(zero), torch.ones_like(zero))
    after = torch.ones_like(zero)
    after[:, :-2] = onward[:, 2:]
    turn = torch.ones_like(zero)
    turn[:, :-1] = side[:, 1:]
    straight = torch.where(side * turn * onward * after < 0.0, zero, zero + torch.pi)
    # An elbow that is offset to a side is seldom straight there.
    around = zero > 0.0
    length = links.length
    around[:, 1:-1] = (length[:, 1:-1] != 0.0) & (length[:, 1:-1] == -length[:, 2:])
    which = torch.where(around, draw.between(0.3, 1.0), draw.unit())
    bend = torch.where(which < 0.85, draw.sign() * torch.pi / 2.0, zero + torch.pi)
    bend = torch.where(which < 0.5, zero, bend)
    bend = bend + torch.where(draw.either(0.5), zero, draw.between(-0.3, 0.3))
    middle = torch.where(draw.either(0.8), straight + bend, draw.between(0.0, TURN))
    if any(prismatic):
        slide = torch.tensor(prismatic, device=zero.device)
        half = torch.where(slide, draw.between(0.1, 0.5), half)
        middle = torch.where(slide, draw.between(-0.1, 0.5), middle)
    return middle, half


def varied_arms(
    lines: JointLines, count: int, share: float, generator: torch.Generator
) -> JointLines:
    """Draw arms like a given one whose lengths differ by up to a share (CoRL, section 5.1).

    The way from each axis to the next is scaled, its component along the axis and the rest apart,
    so that parallel, perpendicular and intersecting axes remain so. The axes are of a batch
    (count,) of arms.
    """
    joints = lines.num_joints
    factor = torch.rand((2, count, joints, 1), generator=generator, device=generator.device)
    factor = 1.0 + share * (2.0 * factor - 1.0)
    joint_points, moved = joint_points_of(lines), [lines.points.new_zeros(count, 3)]
    for j in range(1, joints):
        axis = lines.directions[j - 1]
        way = joint_points[j] - joint_points[j - 1]
        along = (way @ axis) * axis
        moved.append(moved[-1] + factor[0, :, j] * along + factor[1, :, j] * (way - along))
    points = torch.stack(moved, dim=-2)
    last = lines.last_in_first.expand(count, 4, 4).clone()
    last[:, :3, 3] += moved[-1] - joint_points[-1]
    return replace(
        lines,
        directions=lines.directions.expand(count, joints, 3),
        points=points,
        last_in_first=last,
        middle=lines.middle.expand(count, -1),
        half=lines.half.expand(count, -1),
    )


def _denavit_hartenberg(link: Tensor, offset: Tensor, twist: Tensor) -> Tensor:
    """Return frames (B, 4, 4) at joint angle zero: along z, along x, then about x [m, rad]."""
    frame = torch.zeros((len(link), 4, 4), dtype=link.dtype, device=link.device)
    sine, cosine = torch.sin(twist), torch.cos(twist)
    frame[:, 0, 0] = frame[:, 3, 3] = 1.0
    frame[:, 1, 1] = frame[:, 2, 2] = cosine
    frame[:, 1, 2], frame[:, 2, 1] = -sine, sine
    frame[:, 0, 3], frame[:, 2, 3] = link, offset
    return frame
