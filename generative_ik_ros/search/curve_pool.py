"""Solutions on curves as the first ones of a search that checks collisions, compiled."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.parallel import for_each
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branch_answers import Joints
from generative_ik_ros.search.branch_pool import Kept
from generative_ik_ros.search.curve_answers import ROOM, CurveCall, solutions_on_curves
from generative_ik_ros.search.curve_samples import numbers_of_samples, samples_in
from generative_ik_ros.search.lane import keep_solution
from generative_ik_ros.search.problem import unpack
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.order import WORK, diverse_ranks
from generative_ik_ros.select.pool import SolutionPool, pool_of
from generative_ik_ros.select.preferences import DIVERSE

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_PIECE = 4
"""Targets that a thread takes at a time."""
_FEWEST, _FEWEST_IN_REGION, _MOST = 30, 2, 1000
"""Solutions that are wanted at the least, of a pose and about a free axis, and at the most. Few of
a pose are found sooner by a search, and samples for very many take much memory."""
_TIME_FOR_ONE = 1e-5
"""Time to find a solution on curves at the most; where there is less, a search looks at the clock
more often [s]."""
_ROUNDS, _MOST_MORE = 2, 4.0
"""How often solutions are looked for if too many collide, and how many times as many at most."""


def curves_help(request: SolveRequest) -> bool:
    """Return whether the solutions of a call are best found on their curves."""
    fewest = _FEWEST if request.regions is None else _FEWEST_IN_REGION
    return (
        request.preferences.order == DIVERSE
        and not request.preferences.optimize
        and not request.alternatives
        and fewest <= request.num_solutions <= _MOST
        and request.timeout >= _TIME_FOR_ONE * request.num_solutions
    )


def take_curves(
    stages: Stages,
    request: SolveRequest,
    pool: SolutionPool,
    records: NDArray[np.void],
    new_run: Callable[[tuple[int, int]], NDArray[np.void]],
    deadline: float,
) -> None:
    """Put solutions from all over the curves into the pool; close targets that have enough.

    Args are those of `take_branches`.
    """
    curves, space = stages.curves, request.space
    assert curves is not None  # noqa: S101

    def take(piece: tuple[int, int]) -> None:
        _take_kernel(
            curves.address, curves.parameters, *stages.problem, space.box, space.circular,
            *stages.joints, stages.distinct_distance, *pool.arrays, request.targets,
            new_run(piece), records, request.num_solutions, *piece,
        )  # fmt: skip

    count = len(records)
    for_each(take, [(i, min(i + _PIECE, count)) for i in range(0, count, _PIECE)], deadline)


@kernel(error_model="numpy")
def _take_kernel(
    address, parameters, floats, ints, box, circular, lower, upper, periodic, units, distance,
    grid_floats, grid_ints, positions, errors, visits, counts, heads, before, poses, run, records,
    wanted, first, last,
):  # fmt: skip
    """Do what `take_curves` does for targets `first` to before `last`.

    Args are those of `answer_kernel` and `search_kernel`.
    """
    pool = pool_of(grid_floats, grid_ints, positions, errors, visits, counts, heads, before)
    problem, poses, records = unpack(borrow(floats), borrow(ints)), borrow(poses), borrow(records)
    kept = Kept(problem, pool, poses, borrow(run)[0], borrow(errors)[0, 0])
    joints = Joints(borrow(lower), borrow(upper), borrow(periodic), borrow(units))
    call = CurveCall(
        address, borrow(parameters), 0.0, problem, borrow(box), borrow(circular), joints,
        distance, False,
    )  # fmt: skip
    most = ROOM + int(_MOST_MORE) * wanted
    size, whole = numbers_of_samples(most)
    numbers, integers = np.empty(size), np.empty(whole, np.int64)
    samples = samples_in(borrow(numbers), borrow(integers), most)
    for t in range(first, last):
        record, looked_for = records[t], wanted
        for _ in range(_ROUNDS):
            found, _, settled = solutions_on_curves(call, poses[t], samples, looked_for)
            if len(found) == 0:
                break
            ranks = diverse_ranks(
                found, joints.lower, joints.upper, joints.periodic, joints.units, len(found), WORK
            )
            for k in ranks:
                if record.free >= wanted:
                    break
                keep_solution(kept, record, t, t, found[k])
            full = settled and len(found) < looked_for
            record.closed = record.free >= wanted or (full and record.usable > 0)
            if record.closed or not settled:
                break
            # The more collide, the more are looked at.
            share = max(record.free, 1) / len(found)
            looked_for = int(min(_MOST_MORE, 1.5 / share) * wanted)
    # Until here the memory must be there, which the compiler does not see.
    numbers[0], integers[0] = 0.0, 0
