"""A mechanism and an experiment in, the poses that its net learns from out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.reproduce.distal_mechanisms import (
    Mechanism,
    far_poses,
    training_poses,
)
from generative_ik_ros.learned.distal.predictor import DistalPredictor
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class Lesson:
    """What one net learns.

    Attributes:
        mechanism: On which chain.
        samples: Training poses.
        penalty: Lambda in equation 3 [1/rad].
        limited: Whether on the chain with limits of table II.
        swapped: Training poses that unreachable ones take the place of.
    """

    mechanism: Mechanism
    samples: int
    penalty: float = 0.0
    limited: bool = False
    swapped: int = 0

    @property
    def chain(self) -> KinematicChain:
        """The chain."""
        return self.mechanism.limited if self.limited else self.mechanism.chain

    @property
    def label(self) -> str:
        """How progress names the lesson."""
        parts = [self.mechanism.name, f"{self.samples} poses"]
        if self.limited or self.penalty:
            parts.append(f"lambda {self.penalty:g}")
        if self.swapped:
            parts.append(f"{self.swapped} of them unreachable")
        return ", ".join(parts)

    def poses(self, seed: int) -> NDArray[np.float64]:
        """Return the training poses (samples, 4, 4), tip in base [m]."""
        poses = training_poses(self.chain, self.samples, seed)
        if self.swapped:
            poses[: self.swapped] = far_poses(self.mechanism, self.swapped, seed + 1)
        return poses


Teach = Callable[[Lesson], DistalPredictor]
"""Returns the net that has learned a lesson."""


def sizes(mechanism: Mechanism) -> list[Lesson]:
    """Return the lessons of table I, smallest first."""
    return [Lesson(mechanism, samples) for samples in mechanism.samples]


def with_limits(mechanism: Mechanism) -> list[Lesson]:
    """Return the lessons of table II, one a lambda."""
    limited = mechanism.stand_in_range is not None
    return [
        Lesson(mechanism, mechanism.middle_size, penalty, limited)
        for penalty in mechanism.penalties
    ]


def with_far_poses(mechanism: Mechanism) -> list[Lesson]:
    """Return the lessons of table IV: without and with unreachable poses."""
    size = mechanism.middle_size
    return [Lesson(mechanism, size), Lesson(mechanism, size, swapped=mechanism.swapped)]
