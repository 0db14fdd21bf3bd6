"""Which configurations are solutions of their poses, by the search's own verification."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.search.local import unpacked, verified
from generative_ik_ros.search.stages import Stages

# ruff: noqa: ANN001, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what compiled code takes.
# pyright: reportCallIssue=false


def solved(
    stages: Stages,
    positions: NDArray[np.float64],
    targets: NDArray[np.float64],
    target_of_row: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Say which configurations (S, n) are on their targets, or exactly inside their regions.

    Args:
        stages: Tolerances and regions.
        positions: (S, n) configurations [rad or m].
        targets: (T, 4, 4) tip in base [m]; (T, 1, 4, 4) with regions.
        target_of_row: (S,) which target each configuration is meant for.
    """
    found = np.empty(len(positions), np.bool_)
    memory = np.empty(stages.buffer_size)
    positions = np.ascontiguousarray(positions)
    _write_solved(*stages.tracking, targets, positions, target_of_row, memory, found)
    return found


@kernel(error_model="numpy")
def _write_solved(floats, ints, poses, positions, target_of_row, memory, found):
    problem = unpacked(poses, borrow(floats), borrow(ints))
    targets, positions, memory = borrow(poses), borrow(positions), borrow(memory)
    for s in range(positions.shape[0]):
        _, _, found[s] = verified(targets, problem, positions[s], target_of_row[s], memory)
