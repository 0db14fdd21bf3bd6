"""Newton steps on a six-joint chain of lines: a branch that is nearly right made exact."""

import math

from generative_ik_ros.closed_form.header import AXES, OWN, write
from generative_ik_ros.closed_form.subproblems import cross, dot, minus, plus, times, turn, vector
from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

MAX_BRANCHES = 16
_REGULAR = 1e-6
"""Where the Jacobian has a smaller pivot the arm is as good as singular."""
_SAME = 1e-6
"""Branches no further apart than this are one [rad]."""
_STEPS = 8
_RIGHT = 1e-11
"""A branch is right if its error is below this [rad and shares of the arm's length]."""
_SINGULAR = 1e-13
_FAR = 0.3
"""A branch that has to move further than this was none [rad]."""


@inlined
def kept(parameters, rotation, shift, angles, system, out, count):
    """Write a branch that is nearly right, made exact, unless there are sixteen or it is known.

    Args are those of `polished` and `write`.

    Returns:
        How many branches are written, and whether it is a regular and new one.
    """
    least, mirrored = polished(parameters, rotation, shift, angles, system), parameters[0] != 0.0
    if least < 0.0 or _known(out, count, mirrored, angles):
        return count, False
    if count < MAX_BRANCHES:
        write(out, count, mirrored, angles)
        count += 1
    return count, least >= _REGULAR


@inlined
def _known(out, count, mirrored, angles):
    """Return whether a branch is among those written."""
    for i in range(count):
        apart = 0.0
        for j in range(6):
            gap = out[i, 5 - j if mirrored else j] - angles[j]
            apart = max(apart, abs(gap - 2.0 * math.pi * math.floor(gap / (2.0 * math.pi) + 0.5)))
        if apart < _SAME:
            return True
    return False


@inlined
def polished(parameters, rotation, shift, angles, system):
    """Correct six angles in place.

    Args:
        parameters: A `header.header` followed by a point on each axis (6, 3).
        rotation: Rows of the rotation that the joints shall make together.
        shift: The translation.
        angles: (6,) angles [rad].
        system: (6, 7) memory.

    Returns:
        The least pivot of the Jacobian; -1 if the angles have not become right.
    """
    moved = 0.0
    for _ in range(_STEPS):
        error = _linearized(parameters, rotation, shift, angles, system)
        least = _solved(system)
        if error < _RIGHT:
            return least
        if least < _SINGULAR:
            return -1.0
        for j in range(6):
            angles[j] += system[j, 6]
            moved = max(moved, abs(system[j, 6]))
        if moved > _FAR:
            return -1.0
    return -1.0


@inlined
def _linearized(parameters, rotation, shift, angles, system):
    """Write the twists of the joints and the one that is missing, and return how large it is."""
    x, y, z, at = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    for k in range(6):
        j = 5 - k
        axis, foot = vector(parameters, AXES + j), vector(parameters, OWN + j)
        angle = math.cos(angles[j]), math.sin(angles[j])
        x, y, z = turn(axis, angle, x), turn(axis, angle, y), turn(axis, angle, z)
        at = plus(turn(axis, angle, minus(at, foot)), foot)
        # Joints further out, as this one turns them with it.
        for i in range(j + 1, 6):
            line = turn(axis, angle, (system[0, i], system[1, i], system[2, i]))
            place = (system[3, i], system[4, i], system[5, i])
            place = plus(turn(axis, angle, minus(place, foot)), foot)
            _put(system, i, line, place)
        _put(system, j, axis, foot)
    for i in range(6):
        line = (system[0, i], system[1, i], system[2, i])
        place = (system[3, i], system[4, i], system[5, i])
        _put(system, i, line, cross(line, minus(at, place)))
    # x, y, z are the columns of the rotation that the joints make; the missing one is small.
    goals = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    missing = (0.0, 0.0, 0.0)
    columns = x, y, z
    most = 0.0
    for i in range(3):
        goal = times(rotation, goals[i])
        missing = plus(missing, cross(columns[i], goal))
        apart = minus(goal, columns[i])
        most = max(most, dot(apart, apart))
    gap = minus(shift, at)
    half = missing[0] / 2.0, missing[1] / 2.0, missing[2] / 2.0
    _put(system, 6, half, gap)
    return math.sqrt(max(most, dot(gap, gap)))


@inlined
def _put(system, i, upper, lower):
    """Write a column."""
    for j in range(3):
        system[j, i], system[3 + j, i] = upper[j], lower[j]


@inlined
def _solved(system):
    """Solve six equations in place by elimination; return the least pivot."""
    least = math.inf
    for i in range(6):
        pivot = i
        for k in range(i + 1, 6):
            if abs(system[k, i]) > abs(system[pivot, i]):
                pivot = k
        least = min(least, abs(system[pivot, i]))
        if least < _SINGULAR:
            return least
        for j in range(i, 7):
            system[i, j], system[pivot, j] = system[pivot, j], system[i, j]
        for k in range(6):
            if k != i:
                factor = system[k, i] / system[i, i]
                for j in range(i, 7):
                    system[k, j] -= factor * system[i, j]
    for i in range(6):
        system[i, 6] /= system[i, i]
    return least
