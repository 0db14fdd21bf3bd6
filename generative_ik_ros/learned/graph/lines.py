"""The joint axes of a kinematic chain as lines in space, and their product of exponentials."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.robot.chain import KinematicChain

HALF_TURN = torch.diag(torch.tensor([1.0, -1.0, -1.0, 1.0]))
"""About x, between the frames of an arm's ends and those of the arm from its other end."""
_TENSORS = ("directions", "points", "last_in_first", "middle", "half")


@dataclass(frozen=True, eq=False)
class JointLines:
    """The joint axes of one arm, or of a batch of arms with the same joint types.

    A line is a unit direction d and a point p. Its Plucker coordinates are (d, p x d), which is
    also the screw axis (the unit twist) of a revolute joint; that of a prismatic one is (0, d).
    All is in the canonical first joint frame with every joint at zero (robot/canonical.py), so
    mounting and tool do not matter. The position of joint j of the path is
    `multiplier[j] * q[variable[j]] + offset[j]`.

    Attributes:
        directions: (*A, m, 3) unit directions.
        points: (*A, m, 3) any point of each axis [m]; of no meaning for prismatic joints.
        last_in_first: (*A, 4, 4) the canonical last joint frame; its z is the last axis [m].
        middle: (*A, n) middle of each variable's range [rad or m].
        half: (*A, n) half its range; pi where the joint is a circle [rad or m].
        prismatic: Whether joint j is prismatic, one a joint.
        variable: Which variable drives joint j.
        multiplier: Factor of that variable.
        offset: Position of joint j at that variable's zero [rad or m].
    """

    directions: Tensor
    points: Tensor
    last_in_first: Tensor
    middle: Tensor
    half: Tensor
    prismatic: tuple[bool, ...]
    variable: tuple[int, ...]
    multiplier: tuple[float, ...]
    offset: tuple[float, ...]

    @classmethod
    def of(cls, chain: KinematicChain) -> "JointLines":
        """Return the joint axes of a chain, in double precision."""
        canonical, box = chain.canonical, JointBox.of(chain)
        return cls(
            directions=torch.tensor(canonical.axis_directions),
            points=torch.tensor(canonical.axis_points),
            last_in_first=torch.tensor(canonical.last_joint_in_first_joint),
            middle=torch.tensor(box.middle),
            half=torch.tensor(box.half),
            prismatic=tuple(map(bool, chain.joint_prismatic)),
            variable=tuple(map(int, chain.joint_variable)),
            multiplier=tuple(map(float, chain.joint_multiplier)),
            offset=tuple(map(float, chain.joint_offset)),
        )

    @property
    def num_joints(self) -> int:
        """Number m of moving joints on the path."""
        return len(self.prismatic)

    @property
    def num_variables(self) -> int:
        """Number n of variables that a configuration lists."""
        return self.middle.shape[-1]

    def each(self, change: Callable[[Tensor], Tensor]) -> "JointLines":
        """Return the same axes with every tensor changed."""
        return replace(self, **{name: change(getattr(self, name)) for name in _TENSORS})

    def from_tip(self) -> "JointLines":
        """Return the same axes from the other end: the last joint is the first one.

        The frame of its first joint is the canonical last joint frame, turned half a turn about
        its x so that every joint counts the same way seen from the other side.
        """
        base_in_last = torch.linalg.inv(self.last_in_first)
        rotation = HALF_TURN.to(base_in_last) @ base_in_last
        points = (rotation[..., None, :3, :3] @ self.points[..., None])[..., 0]
        directions = (rotation[..., None, :3, :3] @ self.directions[..., None])[..., 0]
        return replace(
            self,
            directions=-directions.flip(-2),
            points=(points + rotation[..., None, :3, 3]).flip(-2),
            last_in_first=seen_from_tip(self.last_in_first),
            prismatic=self.prismatic[::-1],
            variable=self.variable[::-1],
            multiplier=self.multiplier[::-1],
            offset=self.offset[::-1],
        )

    def to(self, device: torch.device | str, dtype: torch.dtype) -> "JointLines":
        """Return the same axes on a device, in a precision."""
        return self.each(lambda values: values.to(device, dtype))

    def uniform(self, unit: Tensor) -> Tensor:
        """Map uniform numbers (*S, n) in [0, 1) to configurations inside the limits [rad or m]."""
        return self.middle + self.half * (2.0 * unit - 1.0)

    def position(self, joint: int, q: Tensor) -> Tensor:
        """Return the position (*S) of joint j at configurations (*S, n) [rad or m]."""
        return self.multiplier[joint] * q[..., self.variable[joint]] + self.offset[joint]

    def motion(self, joint: int, position: Tensor) -> Tensor:
        """Return the exponential (*S, 4, 4) of joint j's twist, times its positions (*S).

        It moves all that comes after the joint; their product over the joints before a link is
        how that link moves (R. Brockett 1984, product of exponentials). A broadcasts with S.
        """
        axis = self.directions[..., joint, :]
        shape = torch.broadcast_shapes(position.shape, axis.shape[:-1])
        moved = torch.eye(4, dtype=axis.dtype, device=axis.device).expand(*shape, 4, 4).clone()
        if self.prismatic[joint]:
            moved[..., :3, 3] = position[..., None] * axis
            return moved
        rotation = _rotation(axis, position)
        point = self.points[..., joint, :]
        moved[..., :3, :3] = rotation
        moved[..., :3, 3] = point - (rotation @ point[..., None]).squeeze(-1)
        return moved

    def link_motions(self, q: Tensor) -> Tensor:
        """Return how each of the m + 1 links moves from its zero pose, (*S, m + 1, 4, 4)."""
        first = self.motion(0, torch.zeros_like(q[..., 0]))
        motions = [torch.eye(4, dtype=q.dtype, device=q.device).expand_as(first)]
        for joint in range(self.num_joints):
            motions.append(motions[-1] @ self.motion(joint, self.position(joint, q)))
        return torch.stack(motions, dim=-3)

    def forward(self, q: Tensor) -> Tensor:
        """Return the canonical last joint frame in the first, (*S, 4, 4) [m]."""
        return self.link_motions(q)[..., -1, :, :] @ self.last_in_first


def seen_from_tip(last_in_first: Tensor) -> Tensor:
    """Return targets (*S, 4, 4) of the same arms from the other end, see `JointLines.from_tip`."""
    half_turn = HALF_TURN.to(last_in_first)
    return half_turn @ torch.linalg.inv(last_in_first) @ half_turn


def _rotation(axis: Tensor, angle: Tensor) -> Tensor:
    """Rotate about unit axes (*A, 3) by angles (*S): Rodrigues' formula, (*S, 3, 3)."""
    x, y, z = axis.unbind(-1)
    zero = torch.zeros_like(x)
    cross = torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], dim=-1)
    cross = cross.reshape(*axis.shape[:-1], 3, 3)
    angle = angle[..., None, None]
    unit = torch.eye(3, dtype=axis.dtype, device=axis.device)
    return unit + torch.sin(angle) * cross + (1.0 - torch.cos(angle)) * (cross @ cross)
