"""Branches made exact where a description rounds its angles: steps of the local solver, compiled.

A closed form takes lines for parallel or intersecting that nearly are, so its branches are off by
as much, some 1e-5 rad at the most. From there two or three steps on the chain as it is are enough.
"""

import numpy as np

from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import called
from generative_ik_ros.compiled.lanes import lanes_below, load, store, where_less
from generative_ik_ros.refine.lm_step import clear, errors, rows_of, step
from generative_ik_ros.refine.local import load_target

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

_STEPS = 10
"""Most of them: near a singularity, or where a joint is held at a limit, three are too few."""


@called
def make_exact(problem, lower, upper, exact, targets, rows, count):
    """Take steps towards the targets in place, eight rows side by side, within the bounds.

    Args:
        problem: Chain and tolerances.
        lower: (n,) bounds of the local solver, see `Box`.
        upper: (n,) likewise.
        exact: Rows with smaller errors stay [m and rad].
        targets: (1, 4, 4) or (count, 4, 4) where the tip is to be, of all or of each [m].
        rows: (K, n or more) in and out: configurations [rad or m].
        count: How many there are.
    """
    chain, options, n = problem.chain, problem.options, lower.shape[0]
    layout, each = rows_of(chain), targets.shape[0] > 1
    memory = np.empty(layout.end * WIDTH)
    buffer = borrow(memory)
    clear(buffer, layout, options)
    for first in range(0, count, WIDTH):
        some = min(WIDTH, count - first)
        for lane in range(WIDTH):
            k = first + min(lane, some - 1)
            for v in range(n):
                buffer[v * WIDTH + lane] = rows[k, v]
            load_target(targets, targets, buffer, layout, lane, k if each else 0)
        for _ in range(_STEPS):
            tip, gap, turn = errors(chain, buffer, layout)
            far = where_less(exact, load(buffer, layout.orientation_error), 1.0, 0.0)
            far = where_less(exact, load(buffer, layout.position_error), 1.0, far)
            if lanes_below(0.5, far) == 0:
                break
            store(buffer, layout.alive, far)
            step(chain, options, buffer, layout, lower, upper, tip, gap, turn)
        for lane in range(some):
            for v in range(n):
                rows[first + lane, v] = buffer[v * WIDTH + lane]
    # Until here the memory must be there, which the compiler does not see.
    memory[0] = 0.0
