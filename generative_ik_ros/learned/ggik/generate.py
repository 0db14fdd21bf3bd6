"""A model and a chain in, what turns targets and random numbers into configurations out."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.mixture import Mixture
from generative_ik_ros.learned.ggik.model import GGIK
from generative_ik_ros.learned.ggik.problems import ArmProblems, Problems
from generative_ik_ros.learned.ggik.steps import (
    FITTED,
    FREE,
    SAME,
    Goal,
    Sight,
    Stand,
    View,
    fitted,
    kinds_of,
    meant,
    place,
)
from generative_ik_ros.learned.ggik.walk import Walk
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.recover import recover

_EDGE = 1e-6
"""Uniform numbers are kept this far from 0 and 1 where they become normal ones."""


class Generator(ABC):
    """Draws configurations of one chain.

    Attributes:
        width: Uniform numbers in [0, 1) that a configuration takes.
        even: Whether numbers that are spread evenly make better configurations than random ones.
    """

    width: int
    even: bool

    @abstractmethod
    def draw(self, targets: Tensor, unit: Tensor) -> Tensor:
        """Return configurations (T, K, n) [rad or m].

        Args:
            targets: (T, 4, 4) canonical targets [m].
            unit: (K, width) uniform in [0, 1), the same for every target.
        """


def generator_for(model: GGIK | Walk, arm: ArmGraph, device: torch.device | str) -> Generator:
    """Return the generator of a model and an arm."""
    if isinstance(model, Walk):
        return WalkGenerator(model, arm, device)
    return LatentGenerator(model, arm, device)


class LatentGenerator(Generator):
    """Complete graphs from latents, and the configurations nearest to them.

    Args:
        model: The model.
        arm: One arm, in double precision.
        device: Where the model is.
    """

    even = False

    def __init__(self, model: GGIK, arm: ArmGraph, device: torch.device | str):
        """Put the arm on the device."""
        self._model, self._arm = model, arm
        dtype = next(model.parameters()).dtype
        self._maker = ArmProblems(arm.to(device, dtype), model.config)
        self._latents = model.num_latents(self._maker.num_nodes)
        self.width = self._latents * (1 + model.config.latent)

    def draw(self, targets: Tensor, unit: Tensor) -> Tensor:
        """Return configurations, see `Generator`."""
        problems = self._maker.of_targets(targets)
        unit = unit.unflatten(-1, (self._latents, -1))
        chance, normal = unit[..., 0], _normal(unit[..., 1:])
        points = decode_points(
            self._model, problems, self._model.prior_of(problems), chance, normal
        )
        return recover(self._arm, points.double().cpu())


class WalkGenerator(Generator):
    """Joint by joint from the base; the last two follow from the goal.

    Args:
        model: The model.
        arm: One arm, in double precision.
        device: Where the model is.
    """

    even = True

    def __init__(self, model: Walk, arm: ArmGraph, device: torch.device | str):
        """Tell the model of the arm."""
        self.model = model
        dtype = next(model.parameters()).dtype
        self.links = arm.to(device, dtype).links
        with torch.no_grad():
            self.left = model.arms_left(self.links)
        self.kinds = kinds_of(self.links)
        self.width = self.kinds.count(FREE)

    def draw(self, targets: Tensor, unit: Tensor) -> Tensor:
        """Return configurations, see `Generator`."""
        return self.towards(self.links.goal(targets[:, None]), unit)

    def towards(self, goal: Goal, unit: Tensor) -> Tensor:
        """Return configurations (*S, n) for goals and uniform numbers (*S, width)."""
        links, lines = self.links, self.links.lines
        stand = Stand.first(goal[0])
        values: list[Tensor] = [goal[0].new_zeros(())] * lines.num_variables
        numbers = iter(unit.unbind(-1))
        for joint, kind in enumerate(self.kinds):
            view = View.of(links, joint, stand)
            variable = lines.variable[joint]
            factor, offset = lines.multiplier[joint], lines.offset[joint]
            if kind == SAME:
                turn = factor * values[variable] + offset - links.centre[joint]
                turn = links.sense[joint] * turn
            elif kind == FITTED:
                turn = fitted(links, joint, stand, view, goal)
            else:
                sight = Sight.of(links, stand, view, goal)
                mixture = self.model(self.left[joint], sight.numbers)
                angle = mixture.sample(next(numbers))
                turn = meant(links, joint, view, sight, angle)
            if kind != SAME:
                position = links.centre[joint] + links.sense[joint] * turn
                values[variable] = (position - offset) / factor
            stand = place(links, joint, stand, view, turn)
        shape = torch.broadcast_shapes(goal[0].shape[:-1], unit.shape[:-1])
        return torch.stack([part.expand(shape) for part in values], dim=-1).double()


def decode_points(
    model: GGIK, problems: Problems, prior: Mixture, chance: Tensor, normal: Tensor
) -> Tensor:
    """Return K sampled complete graphs of each of T problems, (T, K, N, 3) [m].

    What base and target place stays where it is known to be.

    Args:
        model: The model.
        problems: (T).
        prior: Of these problems, `model.prior_of(problems)`.
        chance: (K, L) uniform in [0, 1), the same for every problem.
        normal: (K, L, D) standard normal.
    """
    count = len(problems.scale)
    latents = prior[:, None].sample(
        chance.expand(count, *chance.shape), normal.expand(count, *normal.shape)
    )
    one = problems[:, None]
    points = torch.where(one.known[..., None], one.positions, model.decode(latents, one))
    return points * problems.scale[:, None, None, None]


def _normal(unit: Tensor) -> Tensor:
    """Turn uniform numbers into standard normal ones."""
    return torch.special.ndtri(unit.clamp(_EDGE, 1.0 - _EDGE))
