"""Training data of GGIK: endless batches of arms, given or random, with configurations."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.layout import Layout
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.learned.training.random_arms import random_arms, varied_arms
from generative_ik_ros.robot.chain import KinematicChain


class ArmSource(ABC):
    """Draws arms and configurations of them."""

    @abstractmethod
    def draw(self, count: int, generator: torch.Generator, each: int = 1) -> list["Drawn"]:
        """Return `count` configurations, about `each` of every random arm."""


Drawn = tuple[ArmGraph, Tensor]
"""Arms (A) and configurations: A empty and (K, n), or A (B, 1) and (B, K, n) [rad or m]."""


class FixedArm(ArmSource):
    """One chain.

    Args:
        chain: The chain.
        device: Where its configurations are drawn.
    """

    def __init__(self, chain: KinematicChain, device: torch.device):
        """Put the chain's graph on the device."""
        self._arm = ArmGraph.of(chain).to(device, torch.float32)

    def draw(self, count: int, generator: torch.Generator, each: int = 1) -> list[Drawn]:
        """Return one arm, see `ArmSource`."""
        return [(self._arm, _configurations(self._arm, (count,), generator))]


class RandomArms(ArmSource):
    """Random arms with a number of joints.

    Args:
        joints: Number of joints.
        sliding: Share of the draws in which one joint, the same one of all arms, is prismatic.
    """

    def __init__(self, joints: int, sliding: float = 0.0):
        """Store both."""
        self._joints, self._sliding = joints, sliding

    def draw(self, count: int, generator: torch.Generator, each: int = 1) -> list[Drawn]:
        """Return a batch of arms, see `ArmSource`."""
        chance = torch.rand(2, generator=generator, device=generator.device).tolist()
        chosen = int(chance[1] * self._joints) if chance[0] < self._sliding else -1
        prismatic = tuple(joint == chosen for joint in range(self._joints))
        lines = random_arms(self._joints, -(-count // each), generator, prismatic)
        return [_several(lines, Layout.of(prismatic), each, generator)]


class VariedArm(ArmSource):
    """Variations of one chain.

    Args:
        chain: The chain; no two neighbouring joints are coaxial.
        share: Largest relative change of a length.
        device: Where they are drawn.
    """

    def __init__(self, chain: KinematicChain, share: float, device: torch.device):
        """Put the chain's lines on the device."""
        self._lines = JointLines.of(chain).to(device, torch.float32)
        self._layout = ArmGraph.of(chain).layout
        self._share = share

    def draw(self, count: int, generator: torch.Generator, each: int = 1) -> list[Drawn]:
        """Return a batch of arms, see `ArmSource`."""
        lines = varied_arms(self._lines, -(-count // each), self._share, generator)
        return [_several(lines, self._layout, each, generator)]


class Mixed(ArmSource):
    """Equal shares of several kinds of arms.

    Args:
        sources: The kinds.
    """

    def __init__(self, sources: Sequence[ArmSource]):
        """Store the kinds."""
        self._sources = list(sources)

    def draw(self, count: int, generator: torch.Generator, each: int = 1) -> list[Drawn]:
        """Return arms of all kinds; the first kinds take the remainder."""
        share, left = divmod(count, len(self._sources))
        drawn = []
        for i, source in enumerate(self._sources):
            if share + (i < left):
                drawn += source.draw(share + (i < left), generator, each)
        return drawn


def sources_for(
    chains: Mapping[str, KinematicChain],
    device: torch.device,
    *,
    joints: Sequence[int] = (),
    sliding: float = 0.0,
    vary: float = 0.0,
) -> list[ArmSource]:
    """Return the sources of a training.

    Args:
        chains: Arms to train on, or to vary, by name.
        device: Where they are drawn.
        joints: Numbers of joints of random arms; empty for none.
        sliding: Share of the draws of random arms with a prismatic joint.
        vary: Largest relative change of the chains' lengths; 0 for none.
    """
    sources: list[ArmSource] = [RandomArms(number, sliding) for number in joints]
    for chain in chains.values():
        fixed = vary == 0.0
        sources.append(FixedArm(chain, device) if fixed else VariedArm(chain, vary, device))
    return sources


def _several(
    lines: JointLines, layout: Layout, each: int, generator: torch.Generator
) -> tuple[ArmGraph, Tensor]:
    arm = ArmGraph(lines.each(lambda values: values[:, None]), layout)
    return arm, _configurations(arm, (len(lines.half), each), generator)


def _configurations(arm: ArmGraph, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Draw configurations (*S, n), uniform inside the limits [rad or m]."""
    size = (*shape, arm.lines.num_variables)
    return arm.lines.uniform(torch.rand(size, generator=generator, device=generator.device))
