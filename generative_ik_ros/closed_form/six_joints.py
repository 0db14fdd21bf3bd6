"""The families of six-joint arms, and how a chain is recognised as one of them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import ClosedForm, closed_forms
from generative_ik_ros.closed_form import (
    equations,
    offset_wrist,
    prismatic_wrist,
    spherical_wrist,
    three_parallel,
)
from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.choice import best_elimination
from generative_ik_ros.closed_form.header import ROUNDING, header

_FORMS = {form.name: form for form in closed_forms()}
"""The code of all families."""
_SAME = 1e-12
"""Lines that were moved by less are where they were."""


class Form(NamedTuple):
    """A family that an arm is of; by how much its lines were moved, see `AxesAtZero`."""

    name: str
    kernel: ClosedForm
    parameters: NDArray[np.float64]
    moved: float


def find_form(lines: AxesAtZero) -> Form | None:
    """Return the family whose lines have to be moved least, None if the arm is of none."""
    form = special_form(lines)
    if form is None and not lines.prismatic.any():
        form = _offset_wrist(lines) or _general(lines)
    return form


def special_form(lines: AxesAtZero, first: int = 0) -> Form | None:
    """Return the same unless it is of no special kind.

    Args:
        lines: The six axes.
        first: How many joints come before them, which only names tell.
    """
    forms = [*_forms(lines, False, first), *_forms(lines.mirrored, True, first)]
    return min(forms, key=lambda form: round(form.moved / _SAME)) if forms else None


def _forms(lines: AxesAtZero, mirrored: bool, first: int) -> Iterator[Form]:
    if lines.prismatic.any():
        ways = (prismatic_wrist.prismatic_form,)
    else:
        ways = _spherical_wrist, _three_parallel
    for found in (way(lines) for way in ways):
        if found is None:
            continue
        name, family, lines, own = found
        parameters = np.vstack([header(lines, ROUNDING + lines.moved, mirrored), own])
        numbers = range(first + 1, first + 7)
        shown = name.format(*(reversed(numbers) if mirrored else numbers))
        yield Form(shown, _FORMS[family], parameters.ravel(), lines.moved)


def _spherical_wrist(lines: AxesAtZero):  # noqa: ANN202 (what `_forms` takes apart)
    """Recognise a spherical wrist after three joints that can place it."""
    if lines.parallel(3, 4) or lines.parallel(4, 5) or not lines.meet(3, 4, 5):
        return None
    if lines.meet(0, 1, 2) or (lines.parallel(0, 1) and lines.parallel(1, 2)):
        return None
    lines, which = lines.met(3, 4, 5), -1
    name = "spherical wrist of joints {3}, {4} and {5}, "
    if lines.parallel(1, 2):
        lines, which = lines.aligned(1, 2), spherical_wrist.HEIGHT_OF_1
        name += "{1} and {2} parallel"
    elif lines.meet(0, 1):
        lines, which = lines.met(0, 1), spherical_wrist.DISTANCE_OF_3
        name += "{0} and {1} intersect"
    elif lines.meet(1, 2):
        lines, which = lines.met(1, 2), spherical_wrist.DISTANCE_OF_1
        name += "{1} and {2} intersect"
    elif lines.parallel(0, 1):
        lines, which = lines.aligned(0, 1), spherical_wrist.HEIGHT_OF_3
        name += "{0} and {1} parallel"
    else:
        name += "{0}, {1} and {2} skew"
    points = lines.points / lines.length
    own = spherical_wrist.own_vectors(lines.axes, points[:3], points[5], which)
    family = "spherical_wrist" if which >= 0 else "spherical_wrist_coupled"
    return name, family, lines, own


def _three_parallel(lines: AxesAtZero):  # noqa: ANN202
    """Recognise three parallel axes between others that are not parallel to them."""
    if not (lines.parallel(1, 2) and lines.parallel(2, 3)):
        return None
    if lines.parallel(0, 1) or lines.parallel(3, 4) or lines.parallel(4, 5):
        return None
    lines = lines.aligned(1, 2, 3)
    name, family = "joints {1}, {2} and {3} parallel, ", "three_parallel"
    if lines.meet(4, 5):
        lines = lines.met(4, 5)
        name += "{4} and {5} intersect"
    else:
        name, family = name + "{4} and {5} skew", "three_parallel_coupled"
    return name, family, lines, three_parallel.own_vectors(lines.axes, lines.points / lines.length)


def _offset_wrist(lines: AxesAtZero) -> Form | None:
    """Recognise a wrist of two axes that intersect after an arm in a plane."""
    for mirrored in (False, True):
        seen = lines.mirrored if mirrored else lines
        if (found := offset_wrist.own_vectors(seen)) is not None:
            own, moved = found
            first = header(seen, ROUNDING + moved, mirrored)
            which = (7 - k if mirrored else k for k in (2, 3, 1, 2, 3, 4, 4, 5))
            name = "joints {} and {} parallel, {} and {}, {} and {}, {} and {} intersect"
            parameters = np.vstack([first, own]).ravel()
            return Form(name.format(*which), _FORMS["offset_wrist"], parameters, moved)
    return None


def _general(lines: AxesAtZero) -> Form | None:
    """Prepare the polynomial of an arm of no special kind."""
    best = best_elimination(lines)
    if best is None:
        return None
    mirrored, elimination = best
    if mirrored:
        lines = lines.mirrored
    first = np.vstack([header(lines, ROUNDING, mirrored), lines.points / lines.length])
    parameters = np.concatenate([first.ravel(), equations.own_numbers(elimination)])
    return Form("six axes of no special kind", _FORMS["general_arm"], parameters, 0.0)
