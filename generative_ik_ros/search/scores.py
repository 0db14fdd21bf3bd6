"""The scores of `select/preferences.py` for compiled code, one configuration at a time."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.addresses import call_address, ints_at
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.paths.null_space import dot
from generative_ik_ros.search.ascent_records import Score

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


_PER_METRE = 1e12
"""A measurement returns picometres."""
_NEAREST = 4
"""Whole numbers with which the context of an `AddressedCheck` begins."""

WEIGHTS = 3
"""Row of a `Scale` with the joints' weights."""


class Scale(NamedTuple):
    """What scores are measured by: the rows of a (6, n) array.

    Attributes:
        lower: (n,) joint limits [rad or m].
        upper: (n,) likewise.
        per_span: (n,) one by the range between them; 0 for joints without limits.
        weight: (n,) what a rad or m of a joint's distance from the seed state counts.
        one: (n,) ones.
        per_unit: (n,) one by each joint's unit.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    per_span: NDArray[np.float64]
    weight: NDArray[np.float64]
    one: NDArray[np.float64]
    per_unit: NDArray[np.float64]


@inlined
def score_of(climb, scale, reference, q, near):
    """Return a score of a configuration other than its manipulability, the better the greater.

    Args:
        climb: CLIMB record.
        scale: Scale.
        reference: (n,) seed state [rad or m].
        q: (n,) configuration [rad or m].
        near: (4,) what was nearest to a configuration like it; becomes what is nearest to it.
    """
    if climb.score == Score.LIMIT_MARGIN.value:
        return _limit_margin(scale, q)
    if climb.score == Score.NEAREST.value:
        return -_distance(scale, reference, q)
    if climb.score == Score.CLEARANCE.value:
        nearest = ints_at(climb.check_context, _NEAREST)
        for k in range(_NEAREST):
            nearest[k] = near[k]
        whole = call_address(climb.clearance, climb.check_context, q.ctypes.data, q.shape[0])
        for k in range(_NEAREST):
            near[k] = nearest[k]
        return whole / _PER_METRE
    return 0.0


@inlined
def _limit_margin(scale, q):
    margin = 0.5
    for v in range(q.shape[0]):
        if scale.per_span[v] > 0.0:
            gap = min(q[v] - scale.lower[v], scale.upper[v] - q[v])
            margin = min(margin, gap * scale.per_span[v])
    return margin


@inlined
def _distance(scale, reference, q):
    total = 0.0
    for v in range(q.shape[0]):
        total += (scale.weight[v] * (q[v] - reference[v])) ** 2
    return math.sqrt(total)


@inlined
def volume(rows):
    """Return the volume that the rows of a matrix (a, b), a <= b, span; changes the matrix.

    It is the product of the singular values, and of what each row sticks out of those before it.
    """
    volume = 1.0
    for r in range(rows.shape[0]):
        # Twice, because near a singularity one pass leaves a share of the other rows.
        for _ in range(2):
            for s in range(r):
                share = dot(rows[r], rows[s])
                for v in range(rows.shape[1]):
                    rows[r, v] -= share * rows[s, v]
        length = math.sqrt(dot(rows[r], rows[r]))
        volume *= length
        scale = 1.0 / length if length > 0.0 else 0.0
        for v in range(rows.shape[1]):
            rows[r, v] *= scale
    return volume
