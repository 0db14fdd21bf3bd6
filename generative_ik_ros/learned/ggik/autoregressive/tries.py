"""Seeds that miss their goal are drawn again.

A model knows by its own graph how far from the goal an arm ends that it completed: beyond reach
after an unlucky joint, or with the last joints beyond their limits. No configuration is changed;
another one is drawn, and the best one is kept.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from generative_ik_ros.learned.ggik.autoregressive.kinematics import SAMPLED
from generative_ik_ros.learned.graph.links import Frame


@dataclass(frozen=True)
class DrawingAgain:
    """When a seed is drawn again."""

    tries: int = 4
    """Most draws of a seed."""
    missed: float = 0.01
    """A seed that misses by more is drawn again, see `missed`."""
    left: int = 1
    """Conditions that a network may have to meet alone, where drawing again pays."""


DRAWING = DrawingAgain()

_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def tries_of(kinds: Sequence[int], conditions: Sequence[int], variables: int) -> int:
    """Return the most draws of a seed: 1 for arms whose samples all miss, if only by little.

    Args:
        kinds: (m,) what decides each joint, see `decided_by`.
        conditions: (m,) how many conditions known distances set on it.
        variables: Number n of variables.
    """
    pairs = zip(kinds, conditions, strict=True)
    free = sum(kind == SAMPLED and not count for kind, count in pairs)
    return DRAWING.tries if free - max(variables - 6, 0) <= DRAWING.left else 1


def shifts(tries: int, width: int) -> NDArray[np.float32]:
    """Return what each try adds to the uniform numbers, modulo 1: (tries, width).

    Evenly spread numbers stay evenly spread.
    """
    steps = np.arange(tries)[:, None] * np.arange(1, width + 1)
    return np.modf(_GOLDEN * steps)[0].astype(np.float32)


def missed(frame: Frame, goal: Frame, scale: Tensor) -> Tensor:
    """Return by how much frames (*S) miss goals.

    The distance of the origins as a share of the arm's length, and those of z and of x.
    """
    parts = ((frame.origin - goal.origin) / scale, frame.z - goal.z, frame.x - goal.x)
    return sum((part.norm(dim=-1) for part in parts), torch.zeros_like(frame.x[..., 0]))
