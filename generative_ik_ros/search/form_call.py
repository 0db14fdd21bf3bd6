"""What compiled code takes of a closed form in all calls, in three arrays.

Each further argument would cost a call time: those for one pose take 20 us.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.search.problem import Problem

UNDONE, DONE, LEFT = range(3)
"""States of a target: not looked at, answered, and left to the search, because it may have
solutions that the closed form does not know of."""
SIZES = 6
"""Whole numbers in front of the joints that have room for turns, and of the problem's."""


class Joints(NamedTuple):
    """See `MovingJoints`; `units` are the joint units."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    periodic: NDArray[np.bool_]
    units: NDArray[np.float64]


class FormCall(NamedTuple):
    """A closed form, and where its solutions may lie.

    Attributes:
        address: Of the family's code, see `Branches`, as the next four.
        parameters: See there.
        most: See there.
        exact: See there.
        certain: See there.
        problem: Chain and tolerances.
        box: (7, n) see `SearchSpace`, as the next.
        circular: (n,) see there.
        joints: (n,) each.
        distance: Solutions with no joint further apart are the same [rad or m].
        slack: Turns outside the limits by no more than this may be solutions on them [rad].
        wide: (2, n) limits further apart by that.
        turned: Joints that have room for several turns between these.
    """

    address: int
    parameters: NDArray[np.float64]
    most: int
    exact: float
    certain: bool
    problem: Problem
    box: NDArray[np.float64]
    circular: NDArray[np.bool_]
    joints: Joints
    distance: float
    slack: float
    wide: NDArray[np.float64]
    turned: NDArray[np.int64]


PackedForm = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]


def pack_form(
    address: int, parameters: NDArray[np.float64], most: int, exact: float, certain: bool,
    slack: float, floats: NDArray[np.float64], ints: NDArray[np.int64], box: NDArray[np.float64],
    circular: NDArray[np.bool_], lower: Any, upper: Any, periodic: Any, units: Any,  # noqa: ANN401
    distance: float,
) -> PackedForm:  # fmt: skip
    """Pack the attributes of a FormCall, of which `floats` and `ints` are the packed problem."""
    wide = np.stack([box[0] - slack, box[1] + slack])
    room = circular | (periodic & (wide[1] - wide[0] >= TURN))
    turned = np.flatnonzero(room & np.isfinite(upper - lower))
    sizes = address, most, certain, len(parameters), box.shape[1], len(turned)
    numbers = parameters, box.ravel(), lower, upper, units, wide.ravel(), (exact, distance, slack)
    return (
        np.concatenate([*numbers, floats]),
        np.concatenate([np.array(sizes, np.int64), turned, ints]),
        np.concatenate([circular, periodic]),
    )
