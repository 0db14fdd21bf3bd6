"""Experiments a to d: how close answers come, by training set, limits, singularities and reach.

Beyond the paper: unreachable poses that are rejected.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, one_by_one
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.distal_mechanisms import (
    TEST_SETS,
    UNIFORM,
    Mechanism,
    far_poses,
    least_singular_value,
    poses_at,
    test_set,
)
from generative_ik_benchmarks.reproduce.distal_solvers import (
    OURS,
    Errors,
    Spread,
    first_solutions,
    net_name,
    untrained_solvers,
)
from generative_ik_benchmarks.reproduce.distal_training import (
    NetFolder,
    TrainingConfig,
    by_penalty,
    by_reachability,
    by_size,
)
from generative_ik_benchmarks.text import Quartiles
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import SolveStatus

LOOSE, TIGHT, EXACT = (0.01, 0.03), (0.001, 0.01), (1e-5 * 3**0.5, 1e-5 * 3**0.5)
"""Distances [m] and angles [rad] of tables I a and I b; and what TRAC-IK's 1e-5 an axis is."""
_ROUNDING = 1e-6
_LEAST_EXCESS, _MOST_EXCESS = 1e-4, 3.0
"""Unreachable poses lie beyond the sum of the links by these shares of it, log-uniform."""
_TOGETHER = 256
"""Poses of a call."""


@dataclass(frozen=True)
class AccuracyRow:
    """The answers of one solver to one set of poses: a row of tables I to IV."""

    mechanism: str = figure("Name of the mechanism.")
    solver: str = figure("Name of the solver.")
    test_set: str = figure("Kind of the poses, one of `TEST_SETS`.")
    poses: int = figure("Number of poses.")
    distance: float = figure("Mean distance of the poses from the base [m].")
    loose: float = figure("Share solved within 10 mm and 0.03 rad.")
    tight: float = figure("Within 1 mm and 0.01 rad.")
    exact: float = figure("Within sqrt(3) 1e-5 m and rad.")
    infeasible: float = figure("Share of the poses whose answer has a joint beyond its limits.")
    position: Spread = figure("Error of what was found [m].")
    orientation: Spread = figure("Likewise [rad].")
    milliseconds: Quartiles | None = figure(
        "Time of a pose [ms]; None where it was not measured.", default=None
    )
    samples: int | None = figure("Training poses; None without training.", default=None)
    penalty: float = figure("Lambda of the training.", default=0.0)
    swapped: int = figure("Training poses that were unreachable.", default=0)


class _PoseSet:
    """Poses (P, 4, 4) for a mechanism, and the rows of what solvers answer to them."""

    def __init__(self, mechanism: Mechanism, targets: Floats, kind: str = UNIFORM):
        self._mechanism, self.targets, self._kind = mechanism, targets, kind
        self._oracle = Oracle.of(mechanism.case)

    def errors(self, positions: Floats) -> Errors:
        return Errors.of(self._oracle, self.targets, positions)

    def row(
        self,
        solver: str,
        positions: Floats,
        *,
        config: TrainingConfig | None = None,
        seconds: Floats | None = None,
    ) -> AccuracyRow:
        """Sum up answers (P, n), NaN for none, and their times (P,) [s]."""
        errors = self.errors(positions)
        found = np.isfinite(errors.position)
        chain = config.chain if config else self._mechanism.chain
        outside = (positions < chain.lower - _ROUNDING) | (positions > chain.upper + _ROUNDING)
        return AccuracyRow(
            mechanism=self._mechanism.name,
            solver=solver,
            test_set=self._kind,
            poses=len(self.targets),
            distance=float(np.linalg.norm(self.targets[:, :3, 3], axis=1).mean()),
            loose=errors.within(*LOOSE),
            tight=errors.within(*TIGHT),
            exact=errors.within(*EXACT),
            infeasible=float(outside.any(axis=1).mean()),
            position=Spread.of(errors.position[found]),
            orientation=Spread.of(errors.orientation[found]),
            milliseconds=None if seconds is None else Quartiles.of(1e3 * seconds),
            samples=config.samples if config else None,
            penalty=config.penalty if config else 0.0,
            swapped=config.swapped if config else 0,
        )

    def net_rows(self, nets: NetFolder, configs: list[TrainingConfig]) -> list[AccuracyRow]:
        """Return a row for the net of each training configuration."""
        rows = []
        for config in configs:
            positions = nets.net(config).configurations(self.targets)[:, 0]
            rows.append(self.row(net_name(config.samples), positions, config=config))
        return rows


def sample_efficiency(
    mechanism: Mechanism, nets: NetFolder, poses: int, seed: int
) -> list[AccuracyRow]:
    """Measure table I: ours, TRAC-IK, the closed form, and nets by their training poses."""
    chain, oracle = mechanism.chain, Oracle.of(mechanism.case)
    asked = _PoseSet(mechanism, random_reachable_poses(chain, poses, seed, oracle.forward))
    rows = []
    for solver in untrained_solvers(mechanism, seed):
        positions, _ = first_solutions(solver, asked.targets, chain.num_joints)
        rows.append(asked.row(solver.name, positions))
    return rows + asked.net_rows(nets, by_size(mechanism))


def joint_limits(
    mechanism: Mechanism, nets: NetFolder, poses: int, seed: int
) -> list[AccuracyRow]:
    """Measure table II, nets by lambda."""
    forward = Oracle.of(mechanism.case).forward
    targets = random_reachable_poses(mechanism.limited, poses, seed, forward)
    return _PoseSet(mechanism, targets).net_rows(nets, by_penalty(mechanism))


def unreachable(mechanism: Mechanism, nets: NetFolder, poses: int, seed: int) -> list[AccuracyRow]:
    """Measure table IV, the closest answers to poses out of reach."""
    asked = _PoseSet(mechanism, far_poses(mechanism, poses, seed))
    ours = IKSolver(mechanism.chain).solve(asked.targets, 1, random_seed=seed)
    return [
        asked.row(OURS, ours.best_effort),
        *asked.net_rows(nets, by_reachability(mechanism)),
    ]


@dataclass(frozen=True)
class Singularities:
    """Table III for one mechanism."""

    mechanism: str = figure("Name of the mechanism.")
    rows: tuple[AccuracyRow, ...] = figure("By test set and solver.")
    least: dict[str, float] = figure(
        "Greatest of the Jacobians' least singular values, by test set."
    )
    missed: tuple[tuple[str, Floats], ...] = figure(
        "Poses (4, 4) of any test set that ours did not solve at 1e-5, with the set's name."
    )


def singularities(mechanism: Mechanism, nets: NetFolder, poses: int, seed: int) -> Singularities:
    """Measure table III on so many poses of each test set."""
    chain, oracle = mechanism.chain, Oracle.of(mechanism.case)
    rows, least, missed = [], {}, []
    for kind in TEST_SETS:
        configurations = test_set(chain, kind, poses, seed)
        least[kind] = float(least_singular_value(chain, configurations).max())
        asked = _PoseSet(mechanism, oracle.forward(configurations), kind)
        for solver in untrained_solvers(mechanism, seed):
            positions, seconds = first_solutions(solver, asked.targets, chain.num_joints)
            rows.append(asked.row(solver.name, positions, seconds=seconds))
            if solver.name == OURS:
                checker, errors = (
                    checker_of(solver, mechanism.case, oracle),
                    asked.errors(positions),
                )
                solved = checker.within_tolerances(errors.position, errors.orientation)
                solved &= checker.within_limits(positions)
                missed += [(kind, target) for target in asked.targets[~solved]]
        rows += asked.net_rows(nets, by_size(mechanism)[1:])
    return Singularities(mechanism.name, tuple(rows), least, tuple(missed))


@dataclass(frozen=True)
class Rejections:
    """Our answers to many poses that are provably unreachable."""

    mechanism: str = figure("Name of the mechanism.")
    poses: int = figure("Number of poses.")
    false_successes: int = figure("Poses for which a solution is claimed.")
    undecided: int = figure("Poses with another answer than NO_SOLUTION.")
    milliseconds: Quartiles = figure("Time of an answer, poses asked one by one [ms].")
    p99: float = figure("Its 99th percentile [ms].")


def rejections(mechanism: Mechanism, poses: int, timed: int, seed: int) -> Rejections:
    """Ask our solver for poses beyond the sum of the links, in batches.

    The first `timed` of them are asked for alone, too, with a clock.
    """
    solver = IKSolver(mechanism.chain)
    targets = beyond_reach(mechanism, poses, seed)
    ask = partial(solver.solve, num_solutions=1, random_seed=seed)
    seconds = one_by_one(ask, targets[:timed])[1]
    false = undecided = 0
    for i in range(0, poses, _TOGETHER):
        found = solver.solve(targets[i : i + _TOGETHER], 1, random_seed=seed)
        false += int((found.counts > 0).sum())
        undecided += sum(status is not SolveStatus.NO_SOLUTION for status in found.status)
    milliseconds = 1e3 * np.array(seconds)
    return Rejections(
        mechanism.name,
        poses,
        false,
        undecided,
        Quartiles.of(milliseconds),
        float(np.percentile(milliseconds, 99)),
    )


def beyond_reach(mechanism: Mechanism, count: int, seed: int) -> Floats:
    """Return poses (count, 4, 4) outside the ball about the first joint that the links can reach.

    They lie from just outside the ball to four times its radius. No search is needed to know that
    there is no solution.
    """
    rng, chain = np.random.default_rng((seed, 6)), mechanism.chain
    excess = np.exp(rng.uniform(np.log(_LEAST_EXCESS), np.log(_MOST_EXCESS), count))
    targets = poses_at(mechanism, (1.0 + excess) * chain.reach, rng)
    targets[:, :3, 3] += chain.joint_origins[0, :3, 3]
    return targets
