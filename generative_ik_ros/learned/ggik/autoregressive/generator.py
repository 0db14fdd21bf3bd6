"""Configurations from an autoregressive model in PyTorch, joint by joint from the base."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.ggik.autoregressive.goal_features import (
    GoalView,
    displacement_from,
)
from generative_ik_ros.learned.ggik.autoregressive.kinematics import (
    Decision,
    JointFrame,
    closed_form,
    decided_by,
    displacement_of,
    next_frame,
)
from generative_ik_ros.learned.ggik.autoregressive.known_distances import (
    KnownDistances,
    from_better_end,
)
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.ggik.generator import Generator
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.lines import seen_from_tip
from generative_ik_ros.learned.graph.links import Frame
from generative_ik_ros.samplers.quasi_random import quasi_random


@dataclass(frozen=True)
class DrawingAgain:
    """When a seed is drawn again.

    A model knows by its own graph how far from the goal an arm ends that it completed: beyond
    reach after an unlucky joint, or with the last joints beyond their limits. No configuration is
    changed; another one is drawn, and the best one is kept.
    """

    tries: int = 4
    """Most draws of a seed."""
    missed: float = 0.01
    """A seed that misses by more is drawn again, see `missed`."""
    left: int = 1
    """Conditions that a network may have to meet alone, where drawing again pays."""


DRAWING = DrawingAgain()


def tries_of(kinds: Sequence[int], conditions: Sequence[int], variables: int) -> int:
    """Return the most draws of a seed: 1 for arms whose samples all miss, if only by little.

    Args:
        kinds: (m,) what decides each joint, see `decided_by`.
        conditions: (m,) how many conditions known distances set on it.
        variables: Number n of variables.
    """
    pairs = zip(kinds, conditions, strict=True)
    free = sum(kind == Decision.SAMPLED and not count for kind, count in pairs)
    return DRAWING.tries if free - max(variables - 6, 0) <= DRAWING.left else 1


def shifts(tries: int, width: int) -> NDArray[np.float32]:
    """Return what each try adds to the uniform numbers, modulo 1: (tries, width).

    Evenly spread numbers stay evenly spread.
    """
    steps = np.arange(tries)[:, None] * np.arange(1, width + 1)
    golden = (math.sqrt(5.0) - 1.0) / 2.0
    return np.modf(golden * steps)[0].astype(np.float32)


def missed(frame: Frame, goal: Frame, scale: Tensor) -> Tensor:
    """Return by how much frames (*S) miss goals.

    The distance of the origins as a share of the arm's length, and those of z and of x.
    """
    parts = ((frame.origin - goal.origin) / scale, frame.z - goal.z, frame.x - goal.x)
    return sum((part.norm(dim=-1) for part in parts), torch.zeros_like(frame.x[..., 0]))


class AutoregressiveGenerator(Generator):
    """Samples a joint after the other; the last two follow from the target.

    Attributes:
        model: The model.
        links: The arm's, on the device.
        encodings: What the model makes of them, `AutoregressiveModel.encode`.
        from_tip: Whether they begin at the tip.
        known: The joints that known distances decide.
        shifts: (tries, width) what each try adds to the uniform numbers, modulo 1.
    """

    def __init__(self, model: AutoregressiveModel, arm: ArmGraph, device: torch.device | str):
        self.model = model
        better = from_better_end(arm)
        self.from_tip, arm = better is not arm, better
        self.known = KnownDistances.of(arm.links)
        self.links = arm.to(device, next(model.parameters()).dtype).links
        with torch.no_grad():
            self.encodings = model.encode(self.links)
        self._decided_by = decided_by(self.links)
        self.width = self._decided_by.count(Decision.SAMPLED)
        self.tries = tries_of(self._decided_by, self.known.counts, self.links.lines.num_variables)
        self.shifts = shifts(self.tries, self.width)

    def numbers(self, random_seed: int, first: int, count: int) -> Floats:
        """Return quasi-random numbers: evenly spread ones make evenly spread configurations."""
        return quasi_random(random_seed, first, count, self.width)

    def draw(self, targets: Tensor, unit: Tensor, number: int = 0) -> tuple[Tensor, Tensor]:
        """Return configurations and by how much they miss, see `Generator`."""
        shift = torch.as_tensor(self.shifts[number], device=unit.device)
        unit = torch.where(unit + shift >= 1.0, unit + shift - 1.0, unit + shift)
        links, lines = self.links, self.links.lines
        if self.from_tip:
            targets = seen_from_tip(targets)
        goal = links.end_frame(targets[:, None])
        frame = Frame.identity(goal.origin)
        q = goal.origin.new_zeros((len(targets), len(unit), lines.num_variables))
        numbers = iter(unit.unbind(-1))
        for joint, kind in enumerate(self._decided_by):
            joint_frame = JointFrame.of(links, joint, frame)
            if kind == Decision.MIMIC:
                displacement = displacement_of(links, joint, q)
            elif kind == Decision.CLOSED_FORM:
                displacement = closed_form(links, joint, frame, joint_frame, goal)
            else:
                view = GoalView.of(links, frame, joint_frame, goal)
                mixture = self.model(self.encodings[joint], view.features)
                angle = mixture.sample(next(numbers))
                angle = self.known.nearest(joint, links.half_range[joint], view.features, angle)
                displacement = displacement_from(links, joint, joint_frame, view, angle)
            if kind != Decision.MIMIC:
                position = links.mid_position[joint] + links.sense[joint] * displacement
                position = (position - lines.offset[joint]) / lines.multiplier[joint]
                q[..., lines.variable[joint]] = position
            frame = next_frame(links, joint, frame, joint_frame, displacement)
        return q.double(), missed(frame, goal, links.scale)
