"""How much a search does for a call, and which calls have time enough to be answered at once."""

from typing import NamedTuple

from generative_ik_ros import _core
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.stages import Stages


class AmpleTime(NamedTuple):
    """Timeouts of calls that are answered at once, by what does not look at the clock [s]."""

    least: float = 1e-3
    for_each: float = 1e-5
    """And for each solution."""


AMPLE_TIME = AmpleTime()


class ToOptimize(NamedTuple):
    """How many solutions on curves an optimization begins with, and how many free ones."""

    on_curves: int = 80
    """Solutions on curves that are looked for at least."""
    most_on_curves: int = 1024
    """Solutions on curves that are kept at most: where these are long, or many, there are more."""
    free_on_curves: int = 24
    """Free solutions on curves that are enough."""
    free_by_clearance: int = 64
    """Free solutions that are enough where clearance is optimized: of fewer, those that are too
    close to a collision for spheres to tell are optimized, too."""


TO_OPTIMIZE = ToOptimize()


def is_ample(timeout: object, num_solutions: int) -> bool:
    """Say whether a caller's timeout is a number of seconds, and time enough to answer at once."""
    if type(timeout) is not float and type(timeout) is not int:
        return False
    return timeout >= AMPLE_TIME.least + AMPLE_TIME.for_each * num_solutions


def budget_of(stages: Stages, request: SolveRequest, *, alone: bool = False) -> _core.Budget:
    """Return the budget of a call's search.

    Args:
        stages: What it consists of.
        request: The call.
        alone: Whether it is a search for one target in memory of its own.
    """
    chain, sampler, preferences = stages.chain, stages.sampler, request.preferences
    first = sampler.first_seeds
    return _core.Budget(
        request.num_solutions, request.num_targets, chain.num_joints, len(chain.tip_links),
        stages.region_dimensions, request.breadth, stages.redundant,
        request.seed_state is not None, request.space.narrowed or stages.goals,
        stages.deficient, stages.preference is not None, preferences.scored, preferences.optimize,
        request.check is not None, alone, sampler.seeds_per_solution, first[0] if first else 0,
    )  # fmt: skip


def looked_for_on_curves(request: SolveRequest) -> int:
    """Return how many solutions of a target are looked for on curves."""
    wanted = request.num_solutions
    return max(TO_OPTIMIZE.on_curves, 2 * wanted) if request.preferences.optimize else wanted


def room_on_curves(request: SolveRequest) -> int:
    """Return how many solutions of a target on curves may be kept."""
    most = TO_OPTIMIZE.most_on_curves * request.preferences.optimize
    return max(looked_for_on_curves(request), most)
