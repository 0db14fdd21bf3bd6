"""What the compiled search is told, and what it remembers between calls."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.refine.lm_step import KernelChain, KernelOptions
from generative_ik_ros.robot.rodrigues import RodriguesChain

(
    TRIED,
    SCOUT_LEFT,
    SCOUT_DONE,
    CONVERGED,
    SAMPLED,
    SAMPLED_NEW,
    ALL_KNOWN,
    WALKS,
    WALK_LEFT,
    WALK_DONE,
    WALK_QUOTA,
    WALK_NEW,
    WALKED,
    WALK_CONVERGED,
    ITERATED,
    FRONT,
    BEHIND,
    DRAWING,
    DRAWN,
    DRAW_DONE,
    NEAREST,
    UNFED,
    CLOSED,
    NUM_COUNTERS,
) = range(24)
"""Columns of a target's counters.

TRIED independent seeds handed out, SCOUT_LEFT more until walking is thought of again, SCOUT_DONE
of them over, CONVERGED of these; SAMPLED finds since the last look at what share of them was new,
SAMPLED_NEW of them new, ALL_KNOWN whether next to none was at that look. WALKS: whether a walk may
pay; WALK_LEFT seeds of the present walk to hand out, WALK_DONE of its WALK_QUOTA over, WALK_NEW
new solutions by it, WALKED seeds of all walks, WALK_CONVERGED of these. ITERATED: iterations of
all seeds that are over. FRONT and BEHIND: how many entries of the target's queue of steps were
written and read. DRAWING: whether all there is left to do is to draw the nearest solution, number
NEAREST, nearer to the seed state; DRAWN seeds for that, DRAW_DONE of them over. UNFED: there are
no more seeds at hand. CLOSED: the search for the target is over.
"""

TARGET, KIND, BASE, ITERATIONS, LOADED, BOUND, CURSOR, NUM_LANE_FIELDS = range(8)
"""Rows of the lanes' table.

TARGET of the seed in each lane or -1, its KIND, the solution that it was made from as BASE, its
ITERATIONS so far; the target whose pose is LOADED, and the one that the lane works for, is BOUND
to, or -1. CURSOR: what concerns all lanes.
"""

SCOUT, WALK, DRAW = 0, 1, 2
"""Kinds of seeds: independent ones, those beside a known solution, and those between the nearest
solution and the seed state."""
NO_SEEDS, NOTHING = -1, -2
"""No seed for a target: because more have to be given, or because all are under way."""


class Problem(NamedTuple):
    """A chain and its tolerances: everything that does not change from call to call.

    Attributes:
        chain: For the local solver.
        options: For the local solver.
        verifier: The chain for independent forward kinematics.
        position_tolerance: Largest accepted distance [m].
        orientation_tolerance: Largest accepted angle [rad].
        reach: No tip is further than this from the first joint [m]; inf if positions are free.
    """

    chain: KernelChain
    options: KernelOptions
    verifier: RodriguesChain
    position_tolerance: float
    orientation_tolerance: float
    reach: float


class Box(NamedTuple):
    """Where to search: the rows of a (6, n) array.

    Attributes:
        lower: (n,) bounds of solutions, finite [rad or m].
        upper: (n,) likewise.
        soft_lower: (n,) bounds of the local solver: infinite for continuous joints, whose ends
            are the same place.
        soft_upper: (n,) likewise.
        reference: (n,) configuration that turns are counted from.
        stride: (n,) longest step of a walk.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    soft_lower: NDArray[np.float64]
    soft_upper: NDArray[np.float64]
    reference: NDArray[np.float64]
    stride: NDArray[np.float64]


class Seeds(NamedTuple):
    """Independent seeds.

    Attributes:
        given: (A, G, n) seeds of some targets [rad or m].
        row: (T,) which of these are each target's.
        first: Number of seeds each of them had before these.
        endless: Whether seeds beyond the given ones are points of the additive recurrence.
        shift: (n,) the recurrence's random shift.
        ratios: (n,) its ratios.
    """

    given: NDArray[np.float64]
    row: NDArray[np.int64]
    first: int
    endless: bool
    shift: NDArray[np.float64]
    ratios: NDArray[np.float64]


class Wish(NamedTuple):
    """When a target's search is over.

    Attributes:
        enough: Solutions after which it ends.
        least: Independent seeds that are tried in any case; with a seed state more than 0.
        spare: Whether the chain has joints to spare, so that solutions form continuous sets.
    """

    enough: int
    least: int
    spare: bool


class Closest(NamedTuple):
    """One configuration for each of T targets that is better than all before.

    Without a solution it is the closest one to the target; while the nearest solution is drawn
    nearer to the seed state, it is that solution.

    Attributes:
        positions: (T, n) [rad or m].
        squared_error: (T,) its weighted squared error, or its squared distance.
    """

    positions: NDArray[np.float64]
    squared_error: NDArray[np.float64]


class LaneState(NamedTuple):
    """The seeds under way, so that a search goes on where it was left.

    Attributes:
        buffer: Rows of eight lanes, see `lm_step.Rows`; the last one is the squared error at
            each lane's last look back.
        table: (NUM_LANE_FIELDS, 8) what is in each lane; of its last row the first number is the
            next target that no lane works for yet, the second one counts steps.
    """

    buffer: NDArray[np.float64]
    table: NDArray[np.int64]


def new_lanes(num_joints: int, num_variables: int) -> LaneState:
    """Return lanes for a search that has yet to begin; the kernel fills them."""
    return LaneState(
        np.empty((7 * num_variables + 6 * num_joints + 13) * WIDTH),
        np.zeros((NUM_LANE_FIELDS, WIDTH), np.int64),
    )


def pack(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Put all numbers of a problem into two arrays; every array more costs each call its time."""
    chain, verifier = problem.chain, problem.verifier
    floats = [
        *(chain.origins, chain.multiplier, chain.offset, chain.tip, chain.scale),
        *(verifier.rotations, verifier.sine_part, verifier.versine_part),
        *(verifier.shifts, verifier.axes, verifier.tip),
        np.array([*problem.options, *problem[3:]]),
    ]
    ints = [[len(chain.origins), len(chain.scale)], chain.prismatic, chain.variable]
    return (
        np.concatenate([values.ravel() for values in floats]),
        np.concatenate(ints).astype(np.int64),
    )


@njit(forceinline=True)
def unpack(floats, ints):  # noqa: ANN001, ANN201
    """Return the problem that was packed, as views into the two arrays."""
    m, n = ints[0], ints[1]
    prismatic, variable = ints[2 : 2 + m], ints[2 + m : 2 + 2 * m]
    a = 7 * m
    multiplier, offset = floats[a : a + m], floats[a + m : a + 2 * m]
    a += 2 * m
    chain = KernelChain(
        floats[: 7 * m].reshape((m, 7)), prismatic, variable, multiplier, offset,
        floats[a : a + 7], floats[a + 7 : a + 7 + n],
    )  # fmt: skip
    a += 7 + n
    verifier = RodriguesChain(
        floats[a : a + 9 * m].reshape((m, 3, 3)),
        floats[a + 9 * m : a + 18 * m].reshape((m, 3, 3)),
        floats[a + 18 * m : a + 27 * m].reshape((m, 3, 3)),
        floats[a + 27 * m : a + 30 * m].reshape((m, 3)),
        floats[a + 30 * m : a + 33 * m].reshape((m, 3)),
        prismatic, variable, multiplier, offset,
        floats[a + 33 * m : a + 33 * m + 16].reshape((4, 4)),
    )  # fmt: skip
    o = floats[a + 33 * m + 16 :]
    options = KernelOptions(o[0], o[1], o[2], o[3], int(o[4]), o[5], o[6], int(o[7]), o[8])
    return Problem(chain, options, verifier, o[9], o[10], o[11])
