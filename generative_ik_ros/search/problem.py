"""What the compiled search is given: chain and tolerances, the box to search, and seeds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import shaped
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.refine.kernel_chain import pack_chain
from generative_ik_ros.refine.lm_step import KernelChain, KernelOptions
from generative_ik_ros.robot.rodrigues import RodriguesChain

# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


class Problem(NamedTuple):
    """A chain and its tolerances: everything that is the same in all calls.

    Attributes:
        chain: For the local solver.
        options: For the local solver.
        verifier: The chain for independent forward kinematics.
        position_tolerance: Largest accepted distance [m].
        orientation_tolerance: Largest accepted angle [rad].
        reach: No tip is further than this from the first joint [m]; inf if positions are free.
        redundant: Whether the chain has more joints than the tolerances constrain.
    """

    chain: KernelChain
    options: KernelOptions
    verifier: RodriguesChain
    position_tolerance: float
    orientation_tolerance: float
    reach: float
    redundant: bool


class Box(NamedTuple):
    """Where to search: the rows of a (7, n) array.

    Attributes:
        lower: (n,) bounds of solutions, finite [rad or m].
        upper: (n,) likewise.
        soft_lower: (n,) bounds of the local solver: infinite for continuous joints, whose ends
            are the same position.
        soft_upper: (n,) likewise.
        reference: (n,) configuration from which turns are counted: the seed state, if any.
        stride: (n,) longest random null-space step.
        weights: (n,) what a rad or m counts in the distance from a seed state; 0 without one.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    soft_lower: NDArray[np.float64]
    soft_upper: NDArray[np.float64]
    reference: NDArray[np.float64]
    stride: NDArray[np.float64]
    weights: NDArray[np.float64]


@inlined
def box_of(rows):  # noqa: ANN001, ANN201
    """Return the Box whose rows these are."""
    return Box(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6])


def pack(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Put all numbers of a problem into two arrays; each further array would cost call time."""
    verifier, (chain_floats, ints) = problem.verifier, pack_chain(problem.chain)
    floats = [
        chain_floats,
        *(verifier.rotations, verifier.sine_part, verifier.versine_part),
        *(verifier.shifts, verifier.axes, verifier.tip),
        np.array([*problem.options, *problem[3:]]),
    ]
    return np.concatenate([values.ravel() for values in floats]), ints


@inlined
def unpack(floats, ints):  # noqa: ANN001, ANN201
    """Return the problem that was packed, as views into the two arrays."""
    m, n = ints[0], ints[1]
    prismatic, variable = ints[2 : 2 + m], ints[2 + m : 2 + 2 * m]
    a = 7 * m
    multiplier, offset = floats[a : a + m], floats[a + m : a + 2 * m]
    a += 2 * m
    chain = KernelChain(
        shaped(floats[: 7 * m], (m, 7)), prismatic, variable, multiplier, offset,
        floats[a : a + 7], floats[a + 7 : a + 7 + n],
    )  # fmt: skip
    a += 7 + n
    verifier = RodriguesChain(
        shaped(floats[a : a + 9 * m], (m, 3, 3)),
        shaped(floats[a + 9 * m : a + 18 * m], (m, 3, 3)),
        shaped(floats[a + 18 * m : a + 27 * m], (m, 3, 3)),
        shaped(floats[a + 27 * m : a + 30 * m], (m, 3)),
        shaped(floats[a + 30 * m : a + 33 * m], (m, 3)),
        prismatic, variable, multiplier, offset,
        shaped(floats[a + 33 * m : a + 33 * m + 16], (4, 4)),
    )  # fmt: skip
    o = floats[a + 33 * m + 16 :]
    options = KernelOptions(o[0], o[1], o[2], o[3], int(o[4]), o[5], o[6], int(o[7]), o[8])
    return Problem(chain, options, verifier, o[9], o[10], o[11], o[12] != 0.0)
