"""Training data of GGIK: endless batches of arms, given or random, with configurations."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.autoregressive.ends import from_better_end
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.layout import Layout
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.learned.training.random_arms import random_arms, varied_arms
from generative_ik_ros.robot.chain import KinematicChain

Drawn = tuple[ArmGraph, Tensor]
"""Arms (A) and configurations: A empty and (K, n), or A (B, 1) and (B, K, n) [rad or m]."""
ArmSource = Callable[[int, torch.Generator, int], list[Drawn]]
"""Draws configurations, uniform inside the limits: how many, by what, about how many an arm."""


def arm_source(
    chains: Mapping[str, KinematicChain],
    device: torch.device,
    *,
    joints: Sequence[int] = (),
    sliding: float = 0.0,
    vary: float = 0.0,
    either_end: bool = False,
) -> ArmSource:
    """Return the source of a training: equal shares of all its arms.

    Args:
        chains: Arms to train on, or to vary, by name.
        device: Where arms and configurations are drawn.
        joints: Numbers of joints of random arms; empty for none.
        sliding: Share of the draws of random arms with a prismatic joint.
        vary: Largest relative change of the chains' lengths; 0 for none.
        either_end: Whether arms that do not vary may be taken from their tips.
    """
    sources = [random_source(number, sliding) for number in joints]
    for chain in chains.values():
        fixed = fixed_source(chain, device, either_end)
        sources.append(varied_source(chain, vary, device) if vary else fixed)

    def draw(count: int, generator: torch.Generator, each: int) -> list[Drawn]:
        # The first sources take the remainder.
        share, left = divmod(count, len(sources))
        shares = [share + (i < left) for i in range(len(sources))]
        pairs = zip(sources, shares, strict=True)
        return [drawn for source, some in pairs if some for drawn in source(some, generator, each)]

    return draw


def fixed_source(
    chain: KinematicChain, device: torch.device, either_end: bool = False
) -> ArmSource:
    """Return a source of one chain, from its better end if either may be the first."""
    arm = ArmGraph.of(chain)
    arm = (from_better_end(arm) if either_end else arm).to(device, torch.float32)
    return lambda count, generator, _: [(arm, _configurations(arm, (count,), generator))]


def random_source(joints: int, sliding: float = 0.0) -> ArmSource:
    """Return a source of random arms.

    Args:
        joints: Number of joints.
        sliding: Share of the draws in which one joint, the same one of all arms, is prismatic.
    """

    def draw(count: int, generator: torch.Generator, each: int) -> list[Drawn]:
        chance = torch.rand(2, generator=generator, device=generator.device).tolist()
        chosen = int(chance[1] * joints) if chance[0] < sliding else -1
        prismatic = tuple(joint == chosen for joint in range(joints))
        lines = random_arms(joints, -(-count // each), generator, prismatic)
        return [_several(lines, Layout.of(prismatic), each, generator)]

    return draw


def varied_source(chain: KinematicChain, share: float, device: torch.device) -> ArmSource:
    """Return a source of variations of a chain.

    Args:
        chain: The chain; no two neighbouring joints are coaxial.
        share: Largest relative change of a length.
        device: Where they are drawn.
    """
    layout, lines = ArmGraph.of(chain).layout, JointLines.of(chain).to(device, torch.float32)

    def draw(count: int, generator: torch.Generator, each: int) -> list[Drawn]:
        varied = varied_arms(lines, -(-count // each), share, generator)
        return [_several(varied, layout, each, generator)]

    return draw


def _several(lines: JointLines, layout: Layout, each: int, generator: torch.Generator) -> Drawn:
    arm = ArmGraph(lines.each(lambda values: values[:, None]), layout)
    return arm, _configurations(arm, (len(lines.half), each), generator)


def _configurations(arm: ArmGraph, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    size = (*shape, arm.lines.num_variables)
    return arm.lines.uniform(torch.rand(size, generator=generator, device=generator.device))
