"""Returned solutions and a reference set in, how much of the solution set was reached out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.metrics.space import EUCLIDEAN, JointSpace


@dataclass(frozen=True)
class Coverage:
    """Coverage of the solution sets of T targets.

    Attributes:
        mean: Mean over the targets that have a reference; NaN without any.
        per_target: (T,) each target's; NaN where the reference is empty.
        distance: How near a returned solution has to be [rad].
    """

    mean: float
    per_target: NDArray[np.float64]
    distance: float


def coverage(
    space: JointSpace,
    found: NDArray[np.float64],
    reference: NDArray[np.float64],
    distance: float = 0.5,
    norm: float = EUCLIDEAN,
) -> float:
    """Return the share of a reference set that has a returned solution nearby.

    The solutions of a redundant arm form manifolds (J. W. Burdick, On the inverse kinematics of
    redundant manipulators: characterization of the self-motion manifolds, ICRA 1989). With a
    reference that is thinned to an even spacing, the share of it that has a solution nearby is
    the share of these manifolds that is reached, by length, area or volume; many solutions in
    one place do not count for more. It cannot fall when solutions are added.

    Args:
        space: How distances are measured; sliding joints are scaled, circles go round.
        found: (k, n) returned solutions [rad or m].
        reference: (m, n) the reference set.
        distance: How near [rad].
        norm: EUCLIDEAN over the joints, or LARGEST joint difference.

    Returns:
        From 0 to 1; NaN for an empty reference.
    """
    if not len(reference):
        return float("nan")
    return float((space.nearest(reference, found, norm, distance) <= distance).mean())


def coverages(
    space: JointSpace,
    found: Sequence[NDArray[np.float64]],
    references: Sequence[NDArray[np.float64]],
    distance: float = 0.5,
    norm: float = EUCLIDEAN,
) -> Coverage:
    """Measure the coverage of several targets, each (k, n) beside its (m, n); see `coverage`."""
    each = np.array(
        [
            coverage(space, one, reference, distance, norm)
            for one, reference in zip(found, references, strict=True)
        ]
    )
    mean = float(np.nanmean(each)) if np.isfinite(each).any() else float("nan")
    return Coverage(mean, each, distance)
