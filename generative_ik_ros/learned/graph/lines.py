"""A kinematic chain in, the lines of its joint axes as tensors out: all that a graph needs."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from generative_ik_ros.robot.chain import KinematicChain

_TURN = 2.0 * torch.pi


@dataclass(frozen=True, eq=False)
class JointLines:
    """The axes of one arm, or of a batch of arms with joints of the same kinds.

    Everything is in the canonical first joint frame with every joint at zero
    (robot/canonical.py), so mounting and tool do not matter. Joint j of the path stands at
    `multiplier[j] * q[variable[j]] + offset[j]`; it turns about, or slides along, its line.

    Attributes:
        directions: (*A, m, 3) unit axes.
        points: (*A, m, 3) any point of each axis [m]; of no meaning for sliding joints.
        last_in_first: (*A, 4, 4) the canonical last joint frame; its z is the last axis [m].
        middle: (*A, n) middle of each variable's range [rad or m].
        half: (*A, n) half its width; pi where the joint is a circle [rad or m].
        prismatic: Whether joint j slides, one a joint.
        variable: Which variable drives joint j.
        multiplier: Factor of that variable.
        offset: Joint j's position at that variable's zero [rad or m].
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
    def of(cls, chain: KinematicChain, device: torch.device | str = "cpu") -> "JointLines":
        """Return the lines of a chain, in double precision."""
        canonical = chain.canonical
        circular = torch.tensor(chain.circular)
        lower, upper = torch.tensor(chain.lower), torch.tensor(chain.upper)
        middle = torch.where(torch.tensor(chain.continuous), 0.0, (lower + upper) / 2.0)
        half = torch.where(circular, torch.pi, (upper - lower) / 2.0)
        return cls(
            directions=torch.tensor(canonical.axis_directions, device=device),
            points=torch.tensor(canonical.axis_points, device=device),
            last_in_first=torch.tensor(canonical.last_joint_in_first_joint, device=device),
            middle=middle.to(device),
            half=half.to(device),
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

    def to(self, device: torch.device | str, dtype: torch.dtype) -> "JointLines":
        """Return the same lines elsewhere, in another precision."""
        parts = ("directions", "points", "last_in_first", "middle", "half")
        return replace(self, **{name: getattr(self, name).to(device, dtype) for name in parts})

    def position(self, joint: int, q: Tensor) -> Tensor:
        """Return where joint j stands, (*S), at configurations (*S, n) [rad or m]."""
        return self.multiplier[joint] * q[..., self.variable[joint]] + self.offset[joint]

    def motion(self, joint: int, position: Tensor) -> Tensor:
        """Return how joint j at positions (*S) moves what comes after it, (*S, 4, 4).

        A product of these, each in the first joint frame, is the product of exponentials
        (R. Brockett 1984); A broadcasts with S.
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
        """Return how each of the m + 1 links moved from where it is at zero, (*S, m + 1, 4, 4)."""
        first = self.motion(0, torch.zeros_like(q[..., 0]))
        motions = [torch.eye(4, dtype=q.dtype, device=q.device).expand_as(first)]
        for joint in range(self.num_joints):
            motions.append(motions[-1] @ self.motion(joint, self.position(joint, q)))
        return torch.stack(motions, dim=-3)

    def forward(self, q: Tensor) -> Tensor:
        """Return the canonical last joint frame in the first, (*S, 4, 4) [m]."""
        return self.link_motions(q)[..., -1, :, :] @ self.last_in_first

    def nearest_turn(self, q: Tensor, joint: int) -> Tensor:
        """Bring the variable of turning joint j, (*S), to the turn nearest its middle [rad]."""
        period = _TURN / abs(self.multiplier[joint])
        middle = self.middle[..., self.variable[joint]]
        return q - period * torch.round((q - middle) / period)


def _rotation(axis: Tensor, angle: Tensor) -> Tensor:
    """Rotate about unit axes (*A, 3) by angles (*S): Rodrigues' formula, (*S, 3, 3)."""
    x, y, z = axis.unbind(-1)
    zero = torch.zeros_like(x)
    cross = torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], dim=-1)
    cross = cross.reshape(*axis.shape[:-1], 3, 3)
    angle = angle[..., None, None]
    unit = torch.eye(3, dtype=axis.dtype, device=axis.device)
    return unit + torch.sin(angle) * cross + (1.0 - torch.cos(angle)) * (cross @ cross)
