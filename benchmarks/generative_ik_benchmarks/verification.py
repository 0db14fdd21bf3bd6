"""Independent checks of configurations that a solver claims to be solutions of a pose."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.robot.kinematic_tree import Kinematics


@dataclass(frozen=True)
class Violations:
    """How many returned configurations violate what their solver promises."""

    wrong: int = figure("The tip is not at the pose within the tolerances.", default=0)
    outside: int = figure("A joint is beyond its limits.", default=0)
    duplicates: int = figure("Equal to a configuration before it, but for rounding.", default=0)

    def __add__(self, other: "Violations") -> "Violations":
        """Add up each kind."""
        return Violations(
            self.wrong + other.wrong,
            self.outside + other.outside,
            self.duplicates + other.duplicates,
        )

    @property
    def total(self) -> int:
        """Violations of all kinds."""
        return self.wrong + self.outside + self.duplicates

    @property
    def text(self) -> str:
        """What tables show: wrong/outside/duplicates."""
        return f"{self.wrong}/{self.outside}/{self.duplicates}"


def violations_of(figures: Callable[[Any], Iterable[Any]]) -> Any:  # noqa: ANN401 (a property)
    """Return the property of a table that adds up everything untrue in some of its figures."""
    return property(lambda table: sum((one.violations for one in figures(table)), Violations()))


class ForwardKinematics(Protocol):
    """Independent forward kinematics, such as those of `oracle.py`."""

    def forward(self, positions: Floats) -> Floats:
        """Return the tip (N, 4, 4), or the tips (N, K, 4, 4), for configurations (N, n)."""
        ...


@dataclass(frozen=True)
class Checker:
    """Checks whether configurations are solutions, by independent forward kinematics.

    Attributes:
        oracle: The forward kinematics.
        chain: The chain or tree, for its limits and continuous joints.
        position_tolerance: Largest distance of the tip from the pose [m].
        orientation_tolerance: Largest angle between them [rad].
        duplicate_distance: Two configurations no farther apart than this in every joint are
            duplicates [rad or m].
        limit_slack: How far beyond a limit counts as on it [rad or m].
    """

    oracle: ForwardKinematics
    chain: Kinematics
    position_tolerance: float
    orientation_tolerance: float
    duplicate_distance: float = 1e-3
    limit_slack: float = 1e-9

    def reached(self, tip_in_base: Floats, positions: Floats) -> Bools:
        """Return which configurations (N, n) reach the pose (4, 4), or (K, 4, 4) of tips, (N,)."""
        return self.within_tolerances(*self.errors(tip_in_base, positions))

    def errors(self, tip_in_base: Floats, positions: Floats) -> tuple[Floats, Floats]:
        """Measure how far the tip is from its pose, the worst of them where there are several.

        Args:
            tip_in_base: The pose (4, 4), or (K, 4, 4) of tips [m].
            positions: (N, n) configurations [rad or m].

        Returns:
            (N,) distances [m] and (N,) angles [rad].
        """
        reached = self.oracle.forward(positions)
        distance = np.linalg.norm(reached[..., :3, 3] - tip_in_base[..., :3, 3], axis=-1)
        angle, count = rotation_angle(reached, tip_in_base), len(positions)
        return (
            distance.reshape(count, -1).max(axis=1, initial=0.0),
            angle.reshape(count, -1).max(axis=1, initial=0.0),
        )

    def within_tolerances(self, distance: Floats, angle: Floats) -> Bools:
        """Return which distances [m] and angles [rad], (N,) each, are within the tolerances, (N,).

        One part in a million and 1e-9 are allowed for rounding in two different evaluations.
        """
        limits = (self.position_tolerance, self.orientation_tolerance)
        allowed = np.array(limits) * (1 + 1e-6) + 1e-9
        return np.logical_and.reduce(np.column_stack((distance, angle)) <= allowed, axis=1)

    def within_limits(self, positions: Floats) -> Bools:
        """Return which configurations (N, n) are within the joint limits, (N,)."""
        above = positions >= self.chain.lower - self.limit_slack
        below = positions <= self.chain.upper + self.limit_slack
        return np.logical_and.reduce(above & below, axis=1)

    def distinct(self, positions: Floats, distance: float, *, whole_turns: bool = True) -> Bools:
        """Return which configurations are farther than a distance from all kept before.

        Args:
            positions: (N, n) configurations [rad or m].
            distance: Largest joint difference that still is the same [rad or m].
            whole_turns: Whether configurations that differ by full turns of a joint with such a
                range are distinct.

        Returns:
            (N,).
        """
        circular = self.chain.continuous if whole_turns else self.chain.periodic
        space = JointSpace(circular, np.ones(len(circular)))
        keep = np.zeros(len(positions), dtype=bool)
        keep[space.thin(positions, distance, LARGEST)] = True
        return keep

    def wrong_or_outside(self, tip_in_base: Floats, positions: Floats) -> Violations:
        """Count configurations (N, n) off the pose (4, 4) or outside the limits."""
        if not len(positions):
            return Violations()
        return Violations(
            int((~self.reached(tip_in_base, positions)).sum()),
            int((~self.within_limits(positions)).sum()),
        )

    def violations(self, tip_in_base: Floats, positions: Floats) -> Violations:
        """Count all violations, duplicates included, among configurations (N, n) of a pose."""
        if not len(positions):
            return Violations()
        duplicates = int((~self.distinct(positions, self.duplicate_distance)).sum())
        return self.wrong_or_outside(tip_in_base, positions) + Violations(duplicates=duplicates)


def rotation_angle(a: Floats, b: Floats) -> Floats:
    """Return the angle [rad] between the rotations of transforms (..., 4, 4), exact when small."""
    chord = np.linalg.norm(a[..., :3, :3] - b[..., :3, :3], axis=(-2, -1)) / (2 * np.sqrt(2))
    return 2 * np.arcsin(np.minimum(chord, 1.0))
