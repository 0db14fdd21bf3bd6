"""Full turns: configurations that differ by 2 pi in joints with room for it."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import called, inlined, kernel
from generative_ik_ros.robot.rigid import TURN

MOST_COMBINED = 200_000
"""Most combinations of turns that are tried."""
_FEW = 16
"""Up to so many, the least are picked out one by one; more are sorted."""


@inlined
def turn_towards(q, reference, lower, upper):  # noqa: ANN001, ANN201
    """Turn a joint by full turns to come as near to a reference as its limits allow [rad]."""
    q = q + TURN * np.rint((reference - q) / TURN)
    if q > upper:
        q = q - TURN if q - TURN >= lower else upper
    elif q < lower:
        q = q + TURN if q + TURN <= upper else lower
    return q


@kernel()
def nearest_turn(positions, reference, lower, upper, circular):  # noqa: ANN001, ANN201
    """Turn circular joints by full turns to come as near to a reference as the limits allow.

    Returns (S, n) configurations, inside the limits where they were and on every circular joint.
    """
    turned = positions.copy()
    for v in range(positions.shape[1]):
        if circular[v]:
            for s in range(len(positions)):
                turned[s, v] = turn_towards(positions[s, v], reference[v], lower[v], upper[v])
    return turned


def other_turns(
    positions: NDArray[np.float64],
    reference: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    circular: NDArray[np.bool_],
    count: int,
) -> NDArray[np.float64]:
    """List the configurations that are full turns away from given ones, nearest first.

    Joints with a range of more than a turn reach the same point of the circle several times.
    Continuous joints do not count: all their turns are one position.

    Args:
        positions: (M, n) configurations, each at its turn nearest to the reference [rad or m].
        reference: (n,) configuration.
        lower: (n,) limits.
        upper: (n,) likewise.
        circular: (n,) joints on which a full turn is possible.
        count: Most configurations to return.

    Returns:
        (at most count, n) configurations, none of them among `positions`.
    """
    limited = np.flatnonzero(circular & np.isfinite(lower) & np.isfinite(upper))
    if not len(limited) or not len(positions) or count <= 0:
        return np.empty((0, positions.shape[1]))
    # With many such joints there would be far more combinations than anyone asks for.
    while len(limited) > 1 and combinations(positions, lower, upper, limited) > MOST_COMBINED:
        limited = limited[:-1]
    return further_turns(np.ascontiguousarray(positions), reference, lower, upper, limited, count)


def with_turns(
    positions: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    circular: NDArray[np.bool_],
) -> float:
    """Return how many configurations (M, n) are with those of `other_turns`; see there."""
    limited = np.flatnonzero(circular & np.isfinite(lower) & np.isfinite(upper))
    return combinations(np.ascontiguousarray(positions), lower, upper, limited)


@kernel()
def combinations(positions, lower, upper, limited):  # noqa: ANN001, ANN201
    """Count the combinations of turns of all rows, the rows themselves included."""
    total = 0.0
    for s in range(len(positions)):
        product = 1.0
        for v in limited:
            product *= (
                1.0
                + np.floor((upper[v] - positions[s, v]) / TURN)
                - np.ceil((lower[v] - positions[s, v]) / TURN)
            )
        total += product
    return total


@kernel()
def further_turns(positions, reference, lower, upper, limited, count):  # noqa: ANN001, ANN201
    """Do what `other_turns` does, given the indices of the joints that have room for turns."""
    size, dimensions = int(combinations(positions, lower, upper, limited)), positions.shape[1]
    distance, rows, codes = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
    most = 1
    for v in limited:
        most = max(most, int((upper[v] - lower[v]) / TURN) + 2)
    # Of each joint and turn the squared distance, infinite outside the limits.
    squares, numbers = np.empty((dimensions, most)), np.ones(dimensions, np.int64)
    turns, k = np.zeros(dimensions, np.int64), 0
    for s in range(len(positions)):
        itself, combined = 0, 1
        for v in range(dimensions):
            squares[v, 0] = (positions[s, v] - reference[v]) ** 2
        for v in limited:
            first = np.ceil((lower[v] - positions[s, v]) / TURN)
            number = np.floor((upper[v] - positions[s, v]) / TURN) - first + 1.0
            numbers[v] = max(int(number), 1)
            for i in range(numbers[v]):
                q = positions[s, v] + TURN * (first + i)
                inside = lower[v] <= q <= upper[v]
                squares[v, i] = (q - reference[v]) ** 2 if inside else np.inf
            itself += int(-first) * combined
            combined *= numbers[v]
        for code in range(combined):
            total = 0.0
            for v in range(dimensions):
                total += squares[v, turns[v]]
            if code != itself and total < np.inf:
                distance[k], rows[k], codes[k] = total, s, code
                k += 1
            # Count up as an odometer does.
            for v in limited:
                turns[v] += 1
                if turns[v] < numbers[v]:
                    break
                turns[v] = 0
    order = least(distance[:k], count)
    others = np.empty((len(order), dimensions))
    for i in range(len(order)):
        s, code = rows[order[i]], codes[order[i]]
        for v in range(dimensions):
            others[i, v] = positions[s, v]
        for v in limited:
            fewest = np.ceil((lower[v] - positions[s, v]) / TURN)
            number = int(max(np.floor((upper[v] - positions[s, v]) / TURN) - fewest + 1.0, 1.0))
            others[i, v] += TURN * (fewest + code % number)
            code //= number
    return others


@called
def least(distances, count):  # noqa: ANN001, ANN201
    """Return the indices of the least of some distances, in their order."""
    if not 0 < count <= _FEW:
        return np.argsort(distances, kind="mergesort")[:count]
    order, size = np.empty(count, np.int64), 0
    for k in range(len(distances)):
        if size == count and distances[k] >= distances[order[size - 1]]:
            continue
        size = min(size + 1, count)
        i = size - 1
        while i > 0 and distances[k] < distances[order[i - 1]]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = k
    return order[:size]
