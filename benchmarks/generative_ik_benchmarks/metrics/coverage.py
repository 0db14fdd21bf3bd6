"""Coverage: the share of a solution set that returned solutions reach."""

from collections.abc import Sequence

import numpy as np

from generative_ik_benchmarks.metrics.space import EUCLIDEAN, JointSpace
from generative_ik_ros.array_types import Floats


def coverage(
    space: JointSpace,
    found: Floats,
    reference: Floats,
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
        space: How distances are measured; prismatic joints are scaled, circles go round.
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


def mean_coverage(
    space: JointSpace, found: Sequence[Floats], references: Sequence[Floats], distance: float = 0.5
) -> float:
    """Return the mean `coverage` of the targets that have a reference; NaN without any."""
    each = [
        coverage(space, one, reference, distance)
        for one, reference in zip(found, references, strict=True)
        if len(reference)
    ]
    return float(np.mean(each)) if each else float("nan")
