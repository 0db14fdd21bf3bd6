"""What the core's search is given of a chain: itself and its tolerances."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.kernel_chain import KernelChain, KernelOptions, pack_chain
from generative_ik_ros.robot.rodrigues import RodriguesChain


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
