"""Mechanisms and nets in, experiments a and b out: accuracy by training poses, joint limits."""

from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.reproduce.distal_contestants import (
    Errors,
    Spread,
    Teaching,
    first_solutions,
    without_nets,
)
from generative_ik_benchmarks.reproduce.distal_lessons import Teach, sizes, with_limits
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_ros.robot.random_poses import random_reachable_poses

LOOSE, TIGHT, EXACT = (0.01, 0.03), (0.001, 0.01), (1e-5 * 3**0.5, 1e-5 * 3**0.5)
"""Distances [m] and angles [rad] of tables I a and I b; and what TRAC-IK's 1e-5 an axis is."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class AccuracyRow:
    """One row of table I.

    Attributes:
        mechanism: Which.
        contestant: Its name.
        samples: Training poses; None without training.
        loose: Share solved within 10 mm and 0.03 rad.
        tight: Within 1 mm and 0.01 rad.
        exact: Within sqrt(3) 1e-5 m and rad.
        position: Error of what was found [m], for figure 2.
        orientation: Likewise [rad].
    """

    mechanism: str
    contestant: str
    samples: int | None
    loose: float
    tight: float
    exact: float
    position: Spread
    orientation: Spread


def accuracy(mechanism: Mechanism, teach: Teach, poses: int, seed: int) -> list[AccuracyRow]:
    """Measure table I for one mechanism: ours, TRAC-IK, the closed form, nets by training poses.

    Args:
        mechanism: Which.
        teach: Returns nets.
        poses: Random reachable test poses.
        seed: Of poses and solvers.
    """
    chain, oracle = mechanism.chain, Oracle.of(mechanism.case)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    contestants = [(one, None) for one in without_nets(mechanism, seed)]
    contestants += [
        (Teaching(teach(lesson), lesson.samples), lesson.samples) for lesson in sizes(mechanism)
    ]
    rows = []
    for contestant, samples in contestants:
        contestant.warm_up()
        positions = first_solutions(contestant, targets, chain.num_joints)
        errors = Errors.of(oracle, targets, positions)
        found = np.isfinite(errors.position)
        rows.append(
            AccuracyRow(
                mechanism.name,
                contestant.name,
                samples,
                errors.within(*LOOSE),
                errors.within(*TIGHT),
                errors.within(*EXACT),
                Spread.of(errors.position[found]),
                Spread.of(errors.orientation[found]),
            )
        )
    return rows


@dataclass(frozen=True)
class LimitRow:
    """One row of table II.

    Attributes:
        mechanism: Which.
        penalty: Lambda in equation 3 [1/rad].
        samples: Training poses.
        infeasible: Share of configurations with a joint beyond its limits.
        position: Error [m].
        orientation: Error [rad].
    """

    mechanism: str
    penalty: float
    samples: int
    infeasible: float
    position: Spread
    orientation: Spread


def joint_limits(mechanism: Mechanism, teach: Teach, poses: int, seed: int) -> list[LimitRow]:
    """Measure table II for one mechanism; arguments as for `accuracy`."""
    chain, oracle = mechanism.limited, Oracle.of(mechanism.case)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    rows = []
    for lesson in with_limits(mechanism):
        positions = teach(lesson).configurations(targets)[:, 0]
        errors = Errors.of(oracle, targets, positions)
        outside = (positions < chain.lower - _ROUNDING) | (positions > chain.upper + _ROUNDING)
        rows.append(
            LimitRow(
                mechanism.name,
                lesson.penalty,
                lesson.samples,
                float(outside.any(axis=1).mean()),
                Spread.of(errors.position),
                Spread.of(errors.orientation),
            )
        )
    return rows
