"""A mechanism and its nets in, experiment c out: what singularities do to each solver."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.reproduce.distal_accuracy import EXACT, LOOSE
from generative_ik_benchmarks.reproduce.distal_contestants import (
    OURS,
    Errors,
    Teaching,
    first_solutions,
    without_nets,
)
from generative_ik_benchmarks.reproduce.distal_lessons import Teach, sizes
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.reproduce.distal_test_sets import (
    TEST_SETS,
    least_singular_value,
    test_set,
)


@dataclass(frozen=True)
class SingularRow:
    """What one contestant did with one test set of table III.

    Attributes:
        mechanism: Which.
        test_set: Which of `TEST_SETS`.
        contestant: Its name.
        samples: Training poses; None without training.
        poses: How many.
        loose: Share solved within 10 mm and 0.03 rad.
        exact: Share solved within sqrt(3) 1e-5 m and rad.
        milliseconds: Time of a pose [ms]; None for nets, whose time does not depend on it.
    """

    mechanism: str
    test_set: str
    contestant: str
    samples: int | None
    poses: int
    loose: float
    exact: float
    milliseconds: Quartiles | None


@dataclass(frozen=True)
class Singularities:
    """Table III for one mechanism.

    Attributes:
        rows: By test set and contestant.
        least: Greatest of the Jacobians' least singular values, by test set.
        missed: Poses (4, 4) of any test set that ours did not solve at 1e-5, with the set's name.
    """

    rows: tuple[SingularRow, ...]
    least: dict[str, float]
    missed: tuple[tuple[str, NDArray[np.float64]], ...]


def singularities(mechanism: Mechanism, teach: Teach, poses: int, seed: int) -> Singularities:
    """Measure table III for one mechanism; arguments as for `accuracy`."""
    chain, oracle = mechanism.chain, Oracle.of(mechanism.case)
    nets = [Teaching(teach(lesson), lesson.samples) for lesson in sizes(mechanism)[1:]]
    rows, least, missed = [], {}, []
    for kind in TEST_SETS:
        configurations = test_set(chain, kind, poses, seed)
        least[kind] = float(least_singular_value(chain, configurations).max())
        targets = oracle.forward(configurations)
        for contestant in without_nets(mechanism, seed):
            contestant.warm_up()
            positions, seconds = np.full(configurations.shape, np.nan), np.empty(poses)
            for i, target in enumerate(targets):
                start = time.perf_counter()
                found = contestant.solve(target)
                seconds[i] = time.perf_counter() - start
                if len(found):
                    positions[i] = found[0]
            errors = Errors.of(oracle, targets, positions)
            rows.append(_row(mechanism, kind, contestant.name, None, errors, 1e3 * seconds))
            if contestant.name == OURS:
                wrong = ~_solved(mechanism, positions, errors)
                missed += [(kind, target) for target in targets[wrong]]
        for net in nets:
            positions = first_solutions(net, targets, chain.num_joints)
            errors = Errors.of(oracle, targets, positions)
            rows.append(_row(mechanism, kind, net.name, net.samples, errors, None))
    return Singularities(tuple(rows), least, tuple(missed))


def _solved(
    mechanism: Mechanism, positions: NDArray[np.float64], errors: Errors
) -> NDArray[np.bool_]:
    """Return which poses (P,) ours solved: 1e-5 m and rad, inside the limits."""
    chain = mechanism.chain
    right = (errors.position <= 1e-5 + 1e-9) & (errors.orientation <= 1e-5 + 1e-9)
    with np.errstate(invalid="ignore"):
        inside = (positions >= chain.lower - 1e-9) & (positions <= chain.upper + 1e-9)
    return right & inside.all(axis=1)


def _row(
    mechanism: Mechanism,
    kind: str,
    name: str,
    samples: int | None,
    errors: Errors,
    milliseconds: NDArray[np.float64] | None,
) -> SingularRow:
    return SingularRow(
        mechanism.name,
        kind,
        name,
        samples,
        len(errors.position),
        errors.within(*LOOSE),
        errors.within(*EXACT),
        None if milliseconds is None else Quartiles.of(milliseconds),
    )
