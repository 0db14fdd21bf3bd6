"""Branches in closed form as the first solutions of a search, compiled."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.parallel import for_each
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.keeping import keep_solution
from generative_ik_ros.search.local import box_of, unpack
from generative_ik_ros.search.problem import Box, Problem
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.pool import PoolArrays, SolutionPool
from generative_ik_ros.select.pool_kernel import pool_of
from generative_ik_ros.select.preferences import DIVERSE

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

_PIECE = 64
"""Targets that a thread takes at a time."""


class First(NamedTuple):
    """What a search begins with.

    Attributes:
        stages: The closed form and what verifies it.
        request: What is wanted.
        pool: The solutions.
        records: (T,) TARGET records.
        new_run: Makes a RUN record for the targets from one to before another.
        deadline: Reading of `time.perf_counter` after which no more is begun [s].
    """

    stages: Stages
    request: SolveRequest
    pool: SolutionPool
    records: NDArray[np.void]
    new_run: Callable[[tuple[int, int]], NDArray[np.void]]
    deadline: float

    def in_pieces(self, size: int, take: Callable[[tuple[int, int]], None]) -> None:
        """Have threads take so many targets at a time, from one to before another."""
        count = len(self.records)
        for_each(take, [(i, min(i + size, count)) for i in range(0, count, size)], self.deadline)


def take_branches(first: First) -> None:
    """Put the branches of a call's poses into the pool, and close what has no other solutions."""
    stages, request, count = first.stages, first.request, len(first.records)
    branches = stages.branches
    assert branches is not None  # noqa: S101
    rows = np.empty((count, branches.most, stages.chain.num_joints))
    notes = np.zeros((count, 2), np.int64)
    problem = branches.problem(stages, request.space)
    first.in_pieces(_PIECE, lambda piece: problem.gather(request.targets, *piece, rows, notes))

    # The nearest of a continuous set, or the best, may still be missing.
    enough = np.iinfo(np.int64).max
    if request.preferences.order == DIVERSE:
        enough = request.num_solutions
    first.in_pieces(
        _PIECE,
        lambda piece: _keep_kernel(
            *stages.problem, request.space.box, *first.pool.arrays, request.targets,
            first.new_run(piece), first.records, rows, notes, enough, *piece,
        ),
    )  # fmt: skip


class Kept(NamedTuple):
    """What `keep_solution` needs of a search."""

    problem: Problem
    pool: PoolArrays
    poses: NDArray[np.float64]
    run: np.void
    memory: NDArray[np.float64]
    box: Box


@kernel(error_model="numpy")
def _keep_kernel(
    floats, ints, box, grid_floats, grid_ints, positions, errors, visits, counts, heads, before,
    poses, run, records, rows, notes, enough, first, last,
):  # fmt: skip
    """Put branches into the pool, and close targets that have no other solutions, or enough.

    Args are those of `_core.search`, and rows and notes of `BranchProblem.gather`.
    """
    pool = pool_of(grid_floats, grid_ints, positions, errors, visits, counts, heads, before)
    problem, poses, records = unpack(borrow(floats), borrow(ints)), borrow(poses), borrow(records)
    kept = Kept(
        problem, pool, poses, borrow(run)[0], borrow(errors)[0, 0], box_of(borrow(box))
    )  # fmt: skip
    rows = borrow(rows)
    for t in range(first, last):
        record = records[t]
        for k in range(notes[t, 0]):
            keep_solution(kept, record, t, t, rows[t, k])
        record.complete = notes[t, 1] != 0
        record.closed = record.complete or record.free >= enough
