"""What a closed form knows, as the first solutions of a search: branches, or points of curves."""

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import CurveProblem
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.budget import TO_OPTIMIZE, looked_for_on_curves
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.preferences import DIVERSE

# Arguments of the core come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false


class First(NamedTuple):
    """What a search begins with.

    Attributes:
        stages: The closed form and what verifies it.
        request: What is wanted.
        pool: The solutions.
        records: (T,) TARGET records.
        run: RUN record for all targets.
        deadline: Reading of `time.perf_counter` after which no more is begun [s].
    """

    stages: Stages
    request: SolveRequest
    pool: SolutionPool
    records: NDArray[np.void]
    run: NDArray[np.void]
    deadline: float

    def begin(self, problem: Any, *wanted: Any) -> None:  # noqa: ANN401
        """Have the core's threads put what a closed form has into the pool.

        Args:
            problem: What is asked: a BranchProblem or a CurveProblem.
            wanted: What it is asked for.
        """
        request, check = self.request, self.request.check
        problem.begin_search(
            request.targets, request.space.box, *self.pool.arrays, self.records, self.run,
            *wanted, None if check is None else check.world, self.deadline - time.perf_counter(),
        )  # fmt: skip


def take_branches(first: First) -> None:
    """Put the branches of a call's poses into the pool, and close what has no other solutions."""
    stages, request = first.stages, first.request
    branches = stages.branches
    assert branches is not None  # noqa: S101
    # The nearest of a continuous set, or the best, may still be missing.
    enough = np.iinfo(np.int64).max
    if request.preferences.order == DIVERSE:
        enough = request.num_solutions
    first.begin(branches.problem(stages, request.space), enough)


def take_curves(first: First) -> None:
    """Put solutions from all over the curves into the pool; close targets that have enough.

    Of those that are optimised all are kept, of others the most diverse.
    """
    stages, request = first.stages, first.request
    assert stages.curves is not None  # noqa: S101
    problem = stages.curves.on_curves(stages, request.space)
    assert isinstance(problem, CurveProblem)  # noqa: S101
    optimize = request.preferences.optimize
    enough = max(TO_OPTIMIZE.free_on_curves * optimize, request.num_solutions)
    first.begin(problem, looked_for_on_curves(request), enough, optimize)
