"""Warm-up: calls that have kernels compiled, or loaded from numba's cache, and samplers loaded.

Without collision checks and optimization, a call needs none.
"""

from typing import Any

from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.random_poses import finite_limits
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.samplers.quasi_random import QuasiRandom

CALLS, OPTIMIZE, REGIONS = "calls", "optimize", "regions"
_LONG = 3600.0
"""Time limit of calls that may have to compile [s]."""


def asked(*, optimize: bool, regions: bool) -> set[str]:
    """Return the kinds of calls that are asked for, as by `IKSolver.warm_up`."""
    wanted = {CALLS: True, OPTIMIZE: optimize, REGIONS: regions}
    return {kind for kind, is_wanted in wanted.items() if is_wanted}


def warm_up(solver: Any, done: set[str], wanted: set[str], *, collisions: bool) -> None:  # noqa: ANN401
    """Make calls of each wanted kind that was not made before, and note them as done.

    Args:
        solver: The `IKSolver` that is called.
        done: Kinds of calls that were made.
        wanted: Kinds of calls to make: those above.
        collisions: Whether the solver checks collisions.
    """
    chain, todo = solver.chain, wanted - done
    done |= wanted
    several = isinstance(chain, KinematicTree) and not chain.is_chain
    lower, upper = finite_limits(chain)
    middle = (lower + upper) / 2.0
    target, far = chain.forward(middle), chain.forward(middle)
    far[..., :3, 3] += 1e3 * (1.0 + chain.reach)
    # The core makes quasi-random seeds itself.
    if CALLS in todo and (collisions or not isinstance(solver.sampler, QuasiRandom)):
        for one in (solver, solver.searching()) if solver.closed_form else (solver,):
            for count in (1, 3, 100):
                one.solve(target, num_solutions=count)
            # Out of reach, so that the closest approach is searched for.
            one.solve(far, num_solutions=1)
    orders = "manipulability", *(["clearance"] if collisions else [])
    if OPTIMIZE in todo:
        # Solutions on curves and those of a search begin to climb at different places.
        for one in (solver, solver.searching()) if solver.closed_form else (solver,):
            for order in orders:
                one.solve(target, num_solutions=1, order_by=order, optimize=True)
    if todo & {OPTIMIZE, REGIONS} and {OPTIMIZE, REGIONS} <= done and not several:
        # Several tips have these kernels already.
        free_axis = TaskSpaceRegion.free_axis()
        solver.solve(target, num_solutions=1, order_by=orders[0], optimize=True, region=free_axis)
