"""The solvers that the paper on distal teaching compares, and the errors of their answers."""

from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import one_by_one
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.analytic import Analytic
from generative_ik_benchmarks.peers.planar import PlanarThree
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.solver import PackageSolver, Solver, if_available
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

OURS, TRAC_IK, DISTAL = "ours", "TRAC-IK", "distal teaching"


def net_name(samples: int) -> str:
    """Return how tables name a net that was trained on so many poses."""
    return f"{DISTAL} ({samples})"


def closed_form(chain: KinematicChain) -> Solver | None:
    """Return the closed form of a chain, None if there is none for it here."""
    absent: dict[str, str] = {}
    planar = if_available("planar", lambda: PlanarThree(chain), absent)
    return planar or if_available("analytic", lambda: Analytic(chain), absent)


def trac_ik(mechanism: Mechanism, timeout: float = 0.005) -> TracIK | None:
    """Return TRAC-IK from mid limits, None where it is not installed."""
    solver = if_available(TRAC_IK, lambda: TracIK(mechanism.case, "mid", timeout=timeout), {})
    if solver is not None:
        solver.name = TRAC_IK
    return solver


def untrained_solvers(mechanism: Mechanism, seed: int) -> list[Solver]:
    """Return ours, TRAC-IK and the closed form, as far as there are."""
    ours = PackageSolver(mechanism.chain, 1, None, seed=seed)
    ours.name = OURS
    solvers = (ours, trac_ik(mechanism), closed_form(mechanism.chain))
    return [solver for solver in solvers if solver is not None]


def first_solutions(solver: Solver, targets: Floats, num_joints: int) -> tuple[Floats, Floats]:
    """Ask a solver for poses (P, 4, 4) one by one.

    Returns:
        (P, n) first configuration of each pose, NaN where there is none, and (P,) times [s].
    """
    positions = np.full((len(targets), num_joints), np.nan)
    answers, seconds = one_by_one(solver.solve, targets)
    for i, found in enumerate(answers):
        if len(found):
            positions[i] = found[0]
    return positions, seconds


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation, as the paper has them."""

    mean: float = figure("Mean.")
    deviation: float = figure("Standard deviation.")

    @classmethod
    def of(cls, values: Floats) -> "Spread":
        """Sum up (N,) values; NaN if there are none."""
        if not len(values):
            return cls(np.nan, np.nan)
        return cls(float(np.mean(values)), float(np.std(values)))


@dataclass(frozen=True)
class Errors:
    """Errors of the tip, infinite where nothing was found.

    Attributes:
        position: (P,) distance [m].
        orientation: (P,) angle [rad].
    """

    position: Floats
    orientation: Floats

    @classmethod
    def of(cls, oracle: Oracle, targets: Floats, positions: Floats) -> "Errors":
        """Measure configurations (P, n), NaN for none, by independent forward kinematics."""
        distance, angle = np.full((2, len(targets)), np.inf)
        there = np.isfinite(positions).all(axis=1)
        found = pose_errors(oracle.forward, positions[there], targets[there])
        distance[there], angle[there] = found
        return cls(distance, angle)

    def within(self, position: float, orientation: float) -> float:
        """Return the share that is closer than a distance [m] and an angle [rad]."""
        close = (self.position < position) & (self.orientation < orientation)
        return float(close.mean())
