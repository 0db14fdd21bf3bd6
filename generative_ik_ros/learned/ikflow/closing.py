"""The outer joints that a flow leaves out, in closed form from the others and the pose; torch.

What the joints between the first and the last have to do does not depend on either (see
samplers/ends.py), so a flow need not learn these two. The first is fitted to the azimuth of the
position, the last to the rotation that is left: two of the six errors of a sample vanish.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.torch_kinematics import canonical_kinematics
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.ends import End, Ends


@dataclass(frozen=True)
class ClosingTuning:
    """Which chains the first and the last joint are closed for."""

    least_joints: int = 4
    """With fewer, a flow would have less than two joints of its own."""
    on_axis: float = 1e-3
    """Share of the reach: closer to the first axis a position does not determine its angle."""


TUNING = ClosingTuning()


def closable(chain: KinematicChain) -> tuple[int, ...]:
    """Return the joints that follow in closed form: the first, the last, both or none.

    Not the first if it is prismatic (a short lift cannot compensate for the others' errors) or if
    the last joint always stays on its axis; neither if it mimics or drives other joints; none of a
    chain with fewer than four joints.
    """
    ends = Ends.of(chain)
    if chain.num_joints < TUNING.least_joints:
        return ()
    closed = []
    if ends.first == End.REVOLUTE and _leaves_the_axis(chain):
        closed.append(ends.first_variable)
    if ends.last == End.REVOLUTE:
        closed.append(ends.last_variable)
    return tuple(sorted(closed))


def _leaves_the_axis(chain: KinematicChain) -> bool:
    box = JointBox.of(chain)
    unit = np.random.default_rng(0).uniform(-1.0, 1.0, (256, chain.num_joints))
    poses = chain.canonical_target(chain.forward(box.middle + box.half * unit))
    squares = np.square(poses[:, :3, 3]).mean(axis=0)
    return bool(squares[:2].sum() > TUNING.on_axis**2 * squares.sum())


class Closing:
    """Completes configurations of one chain, whose joints `closed` follow, see `closable`."""

    def __init__(
        self,
        chain: KinematicChain,
        closed: tuple[int, ...],
        device: torch.device | str,
        dtype: torch.dtype,
    ):
        ends, box = Ends.of(chain), JointBox.of(chain)
        self._chain = chain
        self._modelled = [j for j in range(chain.num_joints) if j not in closed]
        self._first = ends.first_variable if ends.first_variable in closed else None
        self._last = ends.last_variable if ends.last_variable in closed else None
        self._signs = ends.first_sign, ends.last_sign

        def constant(values: np.ndarray) -> Tensor:
            return torch.tensor(values, dtype=dtype, device=device)

        at_zero = np.zeros(chain.num_joints)
        for variable, joint in ((self._first, 0), (self._last, -1)):
            if variable is not None:
                at_zero[variable] = -chain.joint_offset[joint] / chain.joint_multiplier[joint]
        self._at_zero = constant(at_zero)
        self._middle, self._half = constant(box.middle), constant(box.half)
        self._circular = torch.tensor(box.circular[self._modelled], device=device)

    def positions(self, boxed: Tensor, poses: Tensor) -> Tensor:
        """Return configurations.

        Args:
            boxed: (*S, k) points of the joint box, of the joints that the flow models; brought
                to the nearest limit where they are beyond it.
            poses: (*P, 4, 4) last joint frame in the first joint frame [m]; P broadcasts with S.

        Returns:
            (*S, n) positions [rad or m]; outer joints may be full turns from their limits, or
            beyond them.
        """
        inner = self._modelled
        boxed = torch.where(self._circular, boxed, boxed.clamp(-1.0, 1.0))
        columns = list(self._at_zero.expand(*boxed.shape[:-1], -1).unbind(-1))
        moved = self._middle[inner] + self._half[inner] * boxed
        for j, column in zip(inner, moved.unbind(-1), strict=True):
            columns[j] = column
        if self._first is None and self._last is None:
            return torch.stack(columns, dim=-1)
        reached = canonical_kinematics(self._chain, torch.stack(columns, dim=-1))
        rotation, wanted = reached[..., :3, :3], poses[..., :3, :3]
        if self._first is not None:
            x, y = reached[..., 0, 3], reached[..., 1, 3]
            to_x, to_y = poses[..., 0, 3], poses[..., 1, 3]
            turn = torch.atan2(x * to_y - y * to_x, x * to_x + y * to_y)
            columns[self._first] = columns[self._first] + self._signs[0] * turn
            rotation = _about_z(turn) @ rotation
        if self._last is not None:
            x, y = rotation[..., 0], rotation[..., 1]
            to_x, to_y = wanted[..., 0], wanted[..., 1]
            across = (y * to_x - x * to_y).sum(-1)
            spin = torch.atan2(across, (x * to_x + y * to_y).sum(-1))
            columns[self._last] = columns[self._last] + self._signs[1] * spin
        return torch.stack(columns, dim=-1)


def _about_z(angle: Tensor) -> Tensor:
    cosine, sine = angle.cos(), angle.sin()
    zero, one = torch.zeros_like(angle), torch.ones_like(angle)
    rows = [cosine, -sine, zero, sine, cosine, zero, zero, zero, one]
    return torch.stack(rows, dim=-1).unflatten(-1, (3, 3))
