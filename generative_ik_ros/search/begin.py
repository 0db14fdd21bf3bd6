"""What a closed form knows, as the first solutions of a search: branches, or points of curves."""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from generative_ik_ros._core import CurveProblem, Run
from generative_ik_ros.array_types import Floats
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.budget import TO_OPTIMIZE, looked_for_on_curves
from generative_ik_ros.search.closed_form import ask
from generative_ik_ros.search.near import seed_states
from generative_ik_ros.search.outcome import DONE
from generative_ik_ros.search.plan import FirstInPool
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.preferences import DIVERSE, NEAREST

if TYPE_CHECKING:
    from generative_ik_ros.search.limbs import Limbs


class First(NamedTuple):
    """What a search begins with.

    Attributes:
        stages: The closed form and what verifies it.
        request: What is wanted.
        pool: The solutions, and what is known of targets.
        run: Of the search, for all targets.
        looked_for: Solutions of a target that the search looks for.
        check: Puts what is a solution among rows (T, K, n) into the pools of some targets.
        deadline: Reading of `time.perf_counter` after which no more is begun [s].
    """

    stages: Stages
    request: SolveRequest
    pool: SolutionPool
    run: Run
    looked_for: int
    check: Callable[[Floats, list[int]], None]
    deadline: float

    def begin(self, problem: Any, *wanted: Any) -> None:  # noqa: ANN401 (of either form)
        """Have the core's threads put what a closed form has, so much is wanted, into the pool."""
        request = self.request
        problem.begin_search(
            request.targets, request.space.box, self.pool.memory, self.run,
            *wanted, request.world, self.deadline - time.perf_counter(),
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


def take_limbs(first: First) -> None:
    """Have combinations of the limbs' solutions checked, and close targets that have enough.

    Where these are all that there are, full turns aside, the search for a target is over.
    """
    stages, request, records = first.stages, first.request, first.pool.records
    limbs, targets = cast("Limbs", stages.branches), request.targets
    left = first.deadline - time.perf_counter()
    if left <= 0.0:
        return
    nearest, count = request.preferences.order == NEAREST, limbs.number_to_begin(first.looked_for)
    notes = np.zeros((len(targets), 5), np.int64)
    rows = np.full((len(targets), count, stages.chain.num_joints), np.nan)
    limbs.problem(stages, request.space).answer_all(
        targets, request.joint_weights, nearest, left,
        (notes, rows, np.empty((len(targets), count, 2))), None,
        seed_states(request) if nearest else None, begins=True,
    )  # fmt: skip
    counts, complete = notes[:, 0], (notes[:, 1] == DONE) & (notes[:, 2] != 0)
    counts[notes[:, 1] != DONE] = 0
    some = np.flatnonzero(counts).tolist()
    first.check(rows[:, : max(counts.max(initial=0), 1)], some)
    # Others have enough already, or there was no time.
    complete &= records["needs_seeds"]
    records["needs_seeds"] = False
    records["complete"] |= complete
    records["closed"] |= complete | (records["free"] >= request.num_solutions)


def take_nearest(first: First) -> None:
    """Have the combination of the limbs' solutions that is nearest to a seed state checked."""
    stages, request = first.stages, first.request
    limbs, count = cast("Limbs", stages.branches), len(request.targets)
    left = first.deadline - time.perf_counter()
    if left <= 0.0:
        return
    notes, rows = np.zeros((count, 5), np.int64), np.empty((count, 1, stages.chain.num_joints))
    limbs.problem(stages, request.space).answer_all(
        request.targets, request.joint_weights, True, left, (notes, rows, np.empty((count, 1, 2))),
        None, seed_states(request),
    )  # fmt: skip
    first.check(rows, np.flatnonzero((notes[:, 0] > 0) & (notes[:, 1] == DONE)).tolist())
    first.pool.records["needs_seeds"] = False


def take_rows(first: First) -> None:
    """Have solutions about a free axis checked: for collisions, and other full turns.

    They are from all over the curves, more than are wanted, for some may collide. Targets that
    have enough are closed.
    """
    stages, request, records = first.stages, first.request, first.pool.records
    count, deadline = first.looked_for, first.deadline
    curves, start = stages.curves, time.perf_counter()
    assert curves is not None  # noqa: S101
    left = math.inf if deadline == math.inf else deadline - start
    some = request._replace(num_solutions=count, check=None, timeout=left)
    found = ask(curves, stages, some, start)
    rows, counts = found.positions, found.notes[:, 0].copy()
    counts[found.left] = 0
    rows[np.arange(rows.shape[1]) >= counts[:, None]] = np.nan
    first.check(rows, np.flatnonzero(counts).tolist())
    records["needs_seeds"] = False
    listed = (counts > 0) & (counts < count)
    enough = records["free"] >= request.num_solutions
    records["closed"] |= enough | (listed & (records["usable"] > 0))


TAKE = {
    FirstInPool.BRANCHES: take_branches,
    FirstInPool.CURVES: take_curves,
    FirstInPool.LIMBS: take_limbs,
    FirstInPool.NEAREST: take_nearest,
    FirstInPool.ROWS: take_rows,
}
"""How a search takes what its pool begins with."""
