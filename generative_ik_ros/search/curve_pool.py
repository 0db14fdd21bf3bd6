"""Solutions on curves as the first ones of a search that checks collisions, compiled."""

import numpy as np

from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.search.branch_pool import First, Kept
from generative_ik_ros.search.budget import looked_for_on_curves
from generative_ik_ros.search.curve_answers import CHOICE, room_for, solutions_on_curves
from generative_ik_ros.search.curve_samples import CurveCall, numbers_of_samples, samples_in
from generative_ik_ros.search.form_call import unpack_form
from generative_ik_ros.search.keeping import keep_solution
from generative_ik_ros.search.problem import box_of
from generative_ik_ros.select.order import WORK, diverse_ranks
from generative_ik_ros.select.pool import pool_of

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)
# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_PIECE = 2
"""Targets that a thread takes at a time."""
_ENOUGH = 24
"""Free solutions that are enough to be optimized."""
_ROUNDS, _MOST_MORE = 2, 4.0
"""How often solutions are looked for if too many collide, and how many times as many at most."""


def take_curves(first: First) -> None:
    """Put solutions from all over the curves into the pool; close targets that have enough.

    Of those that are optimised all are kept, of others the most diverse.
    """
    stages, request = first.stages, first.request
    assert stages.curves is not None  # noqa: S101
    form = stages.curves.packed(stages, request.space)
    optimize, looked_for = request.preferences.optimize, max(looked_for_on_curves(request), CHOICE)
    enough = max(_ENOUGH * optimize, request.num_solutions)
    first.in_pieces(
        _PIECE,
        lambda piece: _take_kernel(
            *form, *first.pool.arrays, request.targets, first.new_run(piece), first.records,
            looked_for, enough, optimize, *piece,
        ),
    )  # fmt: skip


@kernel(error_model="numpy")
def _take_kernel(
    floats, ints, flags, grid_floats, grid_ints, positions, errors, visits, counts, heads, before,
    poses, run, records, wanted, enough, all_of_them, first, last,
):  # fmt: skip
    """Do what `take_curves` does for targets `first` to before `last`.

    Args are a packed FormCall and those of `_core.search`; how many solutions are wanted at
    first, and how many free ones are enough.
    """
    pool = pool_of(grid_floats, grid_ints, positions, errors, visits, counts, heads, before)
    form, poses, records = unpack_form(floats, ints, flags), borrow(poses), borrow(records)
    kept = Kept(
        form.problem, pool, poses, borrow(run)[0], borrow(errors)[0, 0], box_of(form.box)
    )  # fmt: skip
    joints, n = form.joints, form.box.shape[1]
    call = CurveCall(form.address, form.parameters, form.box, form.circular, form.distance, n)
    most = room_for(int(_MOST_MORE) * wanted)
    size, whole = numbers_of_samples(most)
    numbers, integers = np.empty(size), np.empty(whole, np.int64)
    samples = samples_in(borrow(numbers), borrow(integers), most)
    for t in range(first, last):
        record, looked_for = records[t], wanted
        for _ in range(_ROUNDS):
            found, _, settled = solutions_on_curves(call, poses[t], samples, looked_for)
            if len(found) == 0:
                break
            ranks = np.arange(len(found))
            if not all_of_them:
                ranks = diverse_ranks(
                    found, joints.lower, joints.upper, joints.periodic, joints.units, len(found),
                    WORK,
                )  # fmt: skip
            for k in ranks:
                if record.free >= enough and not all_of_them:
                    break
                keep_solution(kept, record, t, t, found[k])
            full = settled and len(found) < looked_for
            record.closed = record.free >= enough or (full and record.usable > 0)
            if record.closed or not settled:
                break
            # The more collide, the more are looked at.
            share = max(record.free, 1) / len(found)
            looked_for = int(min(_MOST_MORE, 1.5 / share) * wanted)
    # Until here the memory must be there, which the compiler does not see.
    numbers[0], integers[0] = 0.0, 0
