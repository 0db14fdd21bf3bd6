"""Branches in closed form as the first solutions of a search."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import CollisionWorld
from generative_ik_ros.parallel import for_each
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.preferences import DIVERSE

# Arguments of the core come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

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

    @property
    def world(self) -> CollisionWorld | None:
        """What solutions are to be free of."""
        return None if self.request.check is None else self.request.check.world

    def in_pieces(self, size: int, take: Callable[[NDArray[np.void]], None]) -> None:
        """Have threads take so many targets at a time, those of a RUN record."""
        count = len(self.records)
        pieces = [(i, min(i + size, count)) for i in range(0, count, size)]
        for_each(lambda piece: take(self.new_run(piece)), pieces, self.deadline)

    def arguments(self, run: NDArray[np.void]) -> tuple[Any, ...]:
        """Return what the core's `begin_search` takes of the search, for the targets of a run."""
        request = self.request
        return request.targets, request.space.box, *self.pool.arrays, self.records, run


def take_branches(first: First) -> None:
    """Put the branches of a call's poses into the pool, and close what has no other solutions."""
    stages, request = first.stages, first.request
    branches = stages.branches
    assert branches is not None  # noqa: S101
    # The nearest of a continuous set, or the best, may still be missing.
    enough = np.iinfo(np.int64).max
    if request.preferences.order == DIVERSE:
        enough = request.num_solutions
    problem = branches.problem(stages, request.space)
    first.in_pieces(
        _PIECE, lambda run: problem.begin_search(*first.arguments(run), enough, first.world)
    )
