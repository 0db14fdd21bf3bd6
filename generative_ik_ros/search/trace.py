"""Tracing of the curves that a region's solutions form, from each end that restarts find.

A restart that ends away from all that is known begins a trace: a random step beside it shows the
direction of the curve, and steps in that direction, both ways, follow it until they come to what
is known. While steps wait no restart is begun, so that restarts tell what the traces leave out:
when hardly any of them ends away from what is known, the curves are all found.
"""

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.null_space import queue_steps
from generative_ik_ros.search.records import SeedKind
from generative_ik_ros.select.grid import Grid
from generative_ik_ros.select.pool import PoolArrays, find_known

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

_NEAR = 3.5
"""A solution is away from what is known if a joint is so many distinct distances off."""
_WINDOW, _FEW = 40, 2
"""The curves are all found when of so many restarts no more than that ended away."""
_PROBES = 4
"""A solution found so often is not stepped from again if its direction is still unknown."""


@inlined
def leads_away(search, poses, target, t, kind, q):
    """Say whether a solution is away from all that target t has, and count it if from a restart.

    Of poses, whose solutions are not traced, nothing is known to be near.
    """
    if poses.ndim == 3:
        return True
    if not search.criteria.traced:
        return True
    pool, grid = search.pool, search.pool.grid
    wide = Grid(_NEAR * grid.distance, grid.per_unit, grid.joints, grid.cells, grid.circular)
    near = find_known(
        PoolArrays(
            wide, pool.positions, pool.errors, pool.visits, pool.counts, pool.heads, pool.before
        ),
        t, q,
    )  # fmt: skip
    if near >= 0:
        # Random steps start from what is found least often: where solutions lie thin.
        pool.visits[t, near] += 1
    if kind == SeedKind.RESTART:
        target.window += 1
        target.window_away += near < 0
        if target.window == _WINDOW:
            target.traced_all = target.window_away <= _FEW
            target.window = target.window_away = 0
    return near < 0


@inlined
def queue_trace(search, poses, target, t, kind, base, place, away):
    """Queue the steps that follow from a seed which led to the new solution `place`, or to none.

    Args:
        search: SearchState.
        poses: Its targets.
        target: TARGET record of target t.
        t: Its index.
        kind: SeedKind of the seed.
        base: Where it started from, as `null_space.next_step` says.
        place: Index of the solution; -1 if it is not new.
        away: What `leads_away` said.
    """
    queue = search.queue
    if poses.ndim == 3:
        traced = False
    else:
        traced = search.criteria.traced
    step = kind == SeedKind.NULL_SPACE
    if place >= 0 and step and (away or base < 0):
        queue_steps(target, queue, t, place, base)
    if not traced or target.queue_end == queue.shape[1]:
        return
    probe = -1
    if place >= 0 and away and not step:
        probe = place
    elif place < 0 and step and base < 0 and search.pool.visits[t, -1 - base] < _PROBES:
        probe = -1 - base
    if probe >= 0:
        queue[t, target.queue_end, 0], queue[t, target.queue_end, 1] = probe, -1
        target.queue_end += 1
