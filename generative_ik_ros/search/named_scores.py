"""Scores of configurations by name; of chains those that take long are compiled."""

import math

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.parallel import for_each
from generative_ik_ros.paths.null_space import weighted_jacobian
from generative_ik_ros.search.problem import unpack
from generative_ik_ros.search.scores import ONES, volume
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.preferences import SCORES, manipulability
from generative_ik_ros.select.verify_goals import GoalVerifier

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false

_PIECE = 1024
"""Configurations that a thread scores at a time."""


def named_scores(stages: Stages, name: str, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a score (N,) of configurations (N, n) [rad or m], by its name in `SCORES`."""
    score = SCORES[name]
    # The verifier of goals, as of trees, is another.
    if score is not manipulability or isinstance(stages.verifier, GoalVerifier):
        return score(stages.chain, positions)
    values = np.empty(len(positions))
    pieces = [slice(i, i + _PIECE) for i in range(0, len(positions), _PIECE)]
    for_each(
        lambda some: _volumes(*stages.problem, stages.scale[ONES], positions[some], values[some]),
        pieces,
        math.inf,
    )
    return values


@kernel(error_model="numpy")
def _volumes(floats, ints, ones, positions, values):
    """Write the manipulability of configurations (N, n), see `preferences.manipulability`."""
    chain, ones = unpack(borrow(floats), borrow(ints)).verifier, borrow(ones)
    positions, values = borrow(positions), borrow(values)
    n = positions.shape[1]
    memory = np.empty((chain.shifts.shape[0], 6)), np.empty((6, n))
    axes, jacobian = borrow(memory[0]), borrow(memory[1])
    for k in range(positions.shape[0]):
        weighted_jacobian(chain, positions[k], ones, axes, jacobian)
        values[k] = volume(jacobian) if n >= 6 else volume(jacobian.T)
    # Until here the memory must be there, which the compiler does not see.
    memory[0][0, 0] = memory[1][0, 0] = 0.0
