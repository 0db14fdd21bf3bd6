"""A mechanism and its nets in, everything that its tables compare out, behind one contract."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.analytic import Analytic
from generative_ik_benchmarks.peers.planar import PlanarThree
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.solver import (
    PackageSolver,
    Solver,
    UnsupportedChainError,
)
from generative_ik_benchmarks.verification import rotation_angle
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.learned.distal.predictor import DistalPredictor
from generative_ik_ros.robot.chain import KinematicChain

OURS, TRAC_IK, CLOSED_FORM, TEACHING = "ours", "TRAC-IK", "closed form", "distal teaching"


class Teaching(Solver):
    """A distal net's answer as it is: one configuration, never none.

    Args:
        predictor: The net.
        samples: Poses that it learned from.
    """

    position_tolerance, orientation_tolerance = 0.01, 0.03

    def __init__(self, predictor: DistalPredictor, samples: int):
        """Name it by its training."""
        self.name = f"{TEACHING} ({samples})"
        self.predictor, self.samples = predictor, samples

    def solve(self, tip_in_base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the one configuration (1, n), see `Solver`."""
        return self.predictor.configurations(tip_in_base[None])[0]


class Ours(PackageSolver):
    """This package's solver, one solution a pose.

    Args:
        chain: The chain.
        seed: Root of its random seeds.
    """

    def __init__(self, chain: KinematicChain, seed: int = 0):
        """Make the solver."""
        super().__init__(chain, 1, None, seed=seed)
        self.name = OURS


def closed_form(chain: KinematicChain) -> Solver | None:
    """Return the closed form of a chain that has one here."""
    for make in (PlanarThree, Analytic):
        try:
            return make(chain)
        except UnsupportedChainError:
            continue
    return None


def trac_ik(mechanism: Mechanism, timeout: float = 0.005) -> TracIK | None:
    """Return TRAC-IK from mid limits, None where it is not installed."""
    try:
        contestant = TracIK(mechanism.case, "mid", timeout=timeout)
    except (MissingDependencyError, UnsupportedChainError):
        return None
    contestant.name = TRAC_IK
    return contestant


def without_nets(mechanism: Mechanism, seed: int) -> list[Solver]:
    """Return ours, TRAC-IK and the closed form, as far as there are."""
    every = (Ours(mechanism.chain, seed), trac_ik(mechanism), closed_form(mechanism.chain))
    return [contestant for contestant in every if contestant is not None]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation, as the paper has them.

    Attributes:
        mean: Mean.
        deviation: Standard deviation.
    """

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Spread":
        """Sum up (N,) values, N > 0."""
        return cls(float(np.mean(values)), float(np.std(values)))


@dataclass(frozen=True)
class Errors:
    """How far tips are from their poses, infinite where nothing was found.

    Attributes:
        position: (P,) distance [m].
        orientation: (P,) angle [rad].
    """

    position: NDArray[np.float64]
    orientation: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        oracle: Oracle,
        targets: NDArray[np.float64],
        positions: NDArray[np.float64],
    ) -> "Errors":
        """Measure configurations (P, n), NaN for none, by independent forward kinematics."""
        distance, angle = np.full((2, len(targets)), np.inf)
        there = np.isfinite(positions).all(axis=1)
        reached = oracle.forward(positions[there])
        distance[there] = np.linalg.norm(reached[:, :3, 3] - targets[there, :3, 3], axis=1)
        angle[there] = rotation_angle(reached, targets[there])
        return cls(distance, angle)

    def within(self, position: float, orientation: float) -> float:
        """Return the share that is closer than a distance [m] and an angle [rad]."""
        close = (self.position < position) & (self.orientation < orientation)
        return float(close.mean())


def first_solutions(
    contestant: Solver, targets: NDArray[np.float64], num_joints: int
) -> NDArray[np.float64]:
    """Return the first configuration for each pose, (P, n), NaN where there is none."""
    if isinstance(contestant, Teaching):
        return contestant.predictor.configurations(targets)[:, 0]
    positions = np.full((len(targets), num_joints), np.nan)
    for row, target in zip(positions, targets, strict=True):
        found = contestant.solve(target)
        if len(found):
            row[:] = found[0]
    return positions
