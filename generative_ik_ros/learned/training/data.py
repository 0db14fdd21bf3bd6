"""Training data for one chain: random configurations and their poses, made on the device."""

import torch
from torch import Tensor

from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.torch_kinematics import canonical_kinematics
from generative_ik_ros.robot.chain import KinematicChain


class PoseData:
    """Random configurations and their poses, as many as wanted; no file, no loader.

    Configurations are uniform inside the limits, on the circle for a joint with room for a full
    turn. Poses are those of the canonical chain, without mounting and tool. Both are made on the
    device.
    """

    def __init__(self, chain: KinematicChain, device: torch.device):
        box, self.chain, self.device = JointBox.of(chain), chain, device
        self._middle, self._half = (
            torch.tensor(part, dtype=torch.float32, device=device)
            for part in (box.middle, box.half)
        )

    def boxed(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw points (B, n) of the joint box [-1, 1]^n."""
        shape = (count, self.chain.num_joints)
        return 2.0 * torch.rand(shape, generator=generator, device=self.device) - 1.0

    def poses(self, boxed: Tensor) -> Tensor:
        """Compute the canonical poses (..., 4, 4) of points (..., n) of the joint box [m].

        Differentiable; points outside [-1, 1] are configurations outside the limits.
        """
        return canonical_kinematics(self.chain, self._middle + self._half * boxed)


class DemonstrationData(PoseData):
    """Configurations like those that a robot has been seen in, and their poses.

    One of the given points, moved at random: a kernel density estimate. A share of them are
    uniform in the limits instead, so that no pose is without samples.

    Args:
        chain: The chain.
        device: See `PoseData`.
        points: (M, n) points of the joint box that were seen.
        spread: Standard deviation of the motion, in half widths of the box.
        uniform_share: Share of uniform configurations.
    """

    def __init__(
        self,
        chain: KinematicChain,
        device: torch.device,
        points: Floats,
        spread: float,
        uniform_share: float,
    ):
        super().__init__(chain, device)
        self._points = torch.tensor(points, dtype=torch.float32, device=device)
        self._circular = torch.tensor(JointBox.of(chain).circular, device=device)
        self._spread, self._uniform_share = spread, uniform_share

    def boxed(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw points (B, n) of the joint box."""
        where = {"generator": generator, "device": self.device}
        anywhere = super().boxed(count, generator)
        near = self._points[torch.randint(len(self._points), (count,), **where)]
        near = near + self._spread * torch.randn(near.shape, **where)
        odd = torch.rand((count, 1), **where) < self._uniform_share
        return torch.where(odd, anywhere, folded(near, self._circular))


def folded(boxed: Tensor, circular: Tensor) -> Tensor:
    """Bring points (..., n) into the joint box: circles are wrapped, others reflected."""
    wrapped = torch.remainder(boxed + 1.0, 2.0) - 1.0
    reflected = 1.0 - (torch.remainder(boxed + 1.0, 4.0) - 2.0).abs()
    return torch.where(circular, wrapped, reflected)


def position_scale(chain: KinematicChain) -> float:
    """Return the root mean square distance of the last joint from the first [m].

    The configurations are drawn on the CPU, where random numbers are the same on every machine,
    with a fixed seed, so that it depends on nothing but the canonical chain; 1 for a chain whose
    last joint stays where the first is.
    """
    data = PoseData(chain, torch.device("cpu"))
    position = data.poses(data.boxed(4096, torch.Generator().manual_seed(0)))[:, :3, 3]
    scale = float(position.square().sum(-1).mean().sqrt())
    return round(scale, 6) if scale > 1e-6 else 1.0


def pose_errors(reached: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distances [m] and angles [rad] between poses (..., 4, 4)."""
    distance = (reached[..., :3, 3] - wanted[..., :3, 3]).norm(dim=-1)
    turn = reached[..., :3, :3].mT @ wanted[..., :3, :3]
    sine = torch.stack(
        [turn[..., i, j] - turn[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], dim=-1
    ).norm(dim=-1)
    cosine = turn.diagonal(dim1=-2, dim2=-1).sum(-1) - 1.0
    return distance, torch.atan2(sine, cosine)
