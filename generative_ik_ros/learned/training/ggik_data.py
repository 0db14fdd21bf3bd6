"""Training data of GGIK: endless batches of arms, given or random, with configurations."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

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
    prepared: Callable[[ArmGraph], ArmGraph] = lambda arm: arm,
) -> ArmSource:
    """Return the source of a training: equal shares of all its arms.

    Args:
        chains: Arms to train on, or to vary, by name.
        device: Where arms and configurations are drawn.
        joints: Numbers of joints of random arms; empty for none.
        sliding: Share of the draws of random arms with a prismatic joint.
        vary: Largest relative change of the chains' lengths; 0 for none.
        prepared: What a model makes of the chains' graphs, see `models.arm_for`.
    """
    sources = [random_source(number, sliding) for number in joints]
    for chain in chains.values():
        arm = prepared(ArmGraph.of(chain)).to(device, torch.float32)
        sources.append(varied_source(arm, vary) if vary else fixed_source(arm))

    def draw(count: int, generator: torch.Generator, each: int) -> list[Drawn]:
        # The first sources take the remainder.
        share, left = divmod(count, len(sources))
        shares = [share + (i < left) for i in range(len(sources))]
        pairs = zip(sources, shares, strict=True)
        return [drawn for source, some in pairs if some for drawn in source(some, generator, each)]

    return draw


def fixed_source(arm: ArmGraph) -> ArmSource:
    """Return a source of one arm."""
    return lambda count, generator, _: [(arm, _configurations(arm, (count,), generator))]


def random_source(joints: int, sliding: float = 0.0) -> ArmSource:
    """Return a source of random arms with so many joints.

    In a share of the draws one joint, the same one of all arms, is prismatic.
    """

    def draw(count: int, generator: torch.Generator, each: int) -> list[Drawn]:
        chance = torch.rand(2, generator=generator, device=generator.device).tolist()
        chosen = int(chance[1] * joints) if chance[0] < sliding else -1
        prismatic = tuple(joint == chosen for joint in range(joints))
        lines = random_arms(joints, -(-count // each), generator, prismatic)
        return [_several(lines, Layout.of(prismatic), each, generator)]

    return draw


def varied_source(arm: ArmGraph, share: float) -> ArmSource:
    """Return a source of variations of an arm, in single precision, see `varied_arms`."""

    def draw(count: int, generator: torch.Generator, each: int) -> list[Drawn]:
        varied = varied_arms(arm.lines, -(-count // each), share, generator)
        return [_several(varied, arm.layout, each, generator)]

    return draw


def _several(lines: JointLines, layout: Layout, each: int, generator: torch.Generator) -> Drawn:
    arm = ArmGraph(lines.each(lambda values: values[:, None]), layout)
    return arm, _configurations(arm, (len(lines.half), each), generator)


def _configurations(arm: ArmGraph, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    size = (*shape, arm.lines.num_variables)
    return arm.lines.uniform(torch.rand(size, generator=generator, device=generator.device))
