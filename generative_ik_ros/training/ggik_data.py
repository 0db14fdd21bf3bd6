"""Arms in, endless batches of partial graphs and the complete ones that solve them out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from generative_ik_ros.graph.arm_graph import ArmGraph
from generative_ik_ros.graph.layout import Layout
from generative_ik_ros.graph.lines import JointLines
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.ggik.config import GGIKConfig
from generative_ik_ros.samplers.ggik.problems import ArmProblems, Problems
from generative_ik_ros.training.random_arms import random_arms, varied_arms


class ArmSource(ABC):
    """Draws problems of some kind of arm."""

    @abstractmethod
    def draw(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return `count` problems and their complete points (B, N, 3), shares of the length."""


class FixedArm(ArmSource):
    """One chain, its configurations uniform inside the limits.

    Args:
        chain: The chain.
        config: What problems look like.
        device: Where they are made.
    """

    def __init__(self, chain: KinematicChain, config: GGIKConfig, device: torch.device):
        """Put the chain's graph on the device."""
        self._arm = ArmGraph.of(chain).to(device, torch.float32)
        self._maker = ArmProblems(self._arm, config)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return problems and points, see `ArmSource`."""
        return _solved(self._arm, self._maker, count, generator)


class RandomArms(ArmSource):
    """A new random arm for every problem, with that many turning joints.

    Args:
        joints: Number of joints.
        config: What problems look like.
    """

    def __init__(self, joints: int, config: GGIKConfig):
        """Lay out the nodes, the same for all of them."""
        self._joints, self._config = joints, config
        self._layout = Layout.of((False,) * joints, (False,) * joints)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return problems and points, see `ArmSource`."""
        arm = ArmGraph(random_arms(self._joints, count, generator), self._layout)
        return _solved(arm, ArmProblems(arm, self._config), count, generator)


class VariedArm(ArmSource):
    """A new variation of one chain for every problem.

    Args:
        chain: The chain; it has no two neighbouring joints on one line.
        share: Largest relative change of a length.
        config: What problems look like.
        device: Where they are made.
    """

    def __init__(
        self, chain: KinematicChain, share: float, config: GGIKConfig, device: torch.device
    ):
        """Put the chain's lines on the device."""
        self._lines = JointLines.of(chain).to(device, torch.float32)
        self._layout = ArmGraph.of(chain).layout
        self._share, self._config = share, config

    def draw(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return problems and points, see `ArmSource`."""
        arm = ArmGraph(varied_arms(self._lines, count, self._share, generator), self._layout)
        return _solved(arm, ArmProblems(arm, self._config), count, generator)


class Mixed(ArmSource):
    """Equal shares of several kinds of arms.

    Args:
        sources: The kinds.
    """

    def __init__(self, sources: Sequence[ArmSource]):
        """Remember the kinds."""
        self._sources = list(sources)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Problems, Tensor]:
        """Return problems and points, see `ArmSource`; the first kinds take what is left over."""
        share, left = divmod(count, len(self._sources))
        problems, points = [], []
        for i, source in enumerate(self._sources):
            if share + (i < left):
                some, solved = source.draw(share + (i < left), generator)
                problems.append(some)
                points.append(solved)
        most = max(part.shape[-2] for part in points)
        points = [functional.pad(part, (0, 0, 0, most - part.shape[-2])) for part in points]
        return Problems.joined(problems), torch.cat(points)


def _solved(
    arm: ArmGraph, maker: ArmProblems, count: int, generator: torch.Generator
) -> tuple[Problems, Tensor]:
    lines = arm.lines
    shape = (count, lines.num_variables)
    unit = torch.rand(shape, generator=generator, device=generator.device)
    q = lines.middle + lines.half * (2.0 * unit - 1.0)
    points = arm.points(q)
    return maker.of_targets(lines.forward(q)), points / maker.scale.expand(count)[:, None, None]
