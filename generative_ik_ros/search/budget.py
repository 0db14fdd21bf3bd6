"""How much a search does for a call: solutions to look for, restarts, and room for solutions."""

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
    """How many solutions an optimization begins with, so that hardly a part of a set is missed."""

    least: int = 100
    """Solutions that are looked for at least."""
    restarts: int = 128
    """Random restarts before null-space steps: these stay within their set of solutions, and what
    is missing are other sets."""
    on_curves: int = 80
    """Solutions on curves that are looked for at least."""
    most_on_curves: int = 1024
    """Solutions on curves that are kept at most: where these are long, or many, there are more."""
    free_on_curves: int = 24
    """Free solutions on curves that are enough."""
    free_by_clearance: int = 64
    """Free solutions that are enough where clearance is optimized: of fewer, those that are too
    close to a collision for spheres to tell are optimized, too."""


class CollidingSolutions(NamedTuple):
    """How many solutions of a target are kept although they collide."""

    least: int = 256
    """At least."""
    most: int = 4096
    """At most."""
    numbers: int = 1 << 19
    """How many numbers they take for all targets, between these bounds: memory that is used first
    costs time."""


TO_OPTIMIZE, COLLIDING = ToOptimize(), CollidingSolutions()


class Budget(NamedTuple):
    """What a search is told to do for each target.

    Attributes:
        looked_for: Solutions after which it ends: those wanted, and some to choose from.
        enough: Solutions after which it ends where more are hard to find.
        least_restarts: Random restarts before it ends.
        persistence: See `Stages.persistence`.
        most_colliding: Solutions that are kept although they collide.
        capacity: Solutions that there is room for.
    """

    looked_for: int
    enough: int
    least_restarts: int
    persistence: tuple[float, int]
    most_colliding: int
    capacity: int

    @property
    def criteria(self) -> tuple[int, int, int]:
        """What a RUN record has of it."""
        return self.looked_for, self.enough, self.least_restarts


def is_ample(timeout: object, num_solutions: int) -> bool:
    """Say whether a caller's timeout is a number of seconds, and time enough to answer at once."""
    if type(timeout) is not float and type(timeout) is not int:
        return False
    return timeout >= AMPLE_TIME.least + AMPLE_TIME.for_each * num_solutions


def budget_of(stages: Stages, request: SolveRequest, first_batch: int) -> Budget:
    """Return the budget of a call's search.

    Args:
        stages: What it consists of.
        request: The call.
        first_batch: Seeds that each target gets first.
    """
    # Around a seed state all of the first seeds are tried, to find the nearest solutions.
    least_restarts = 0 if request.seed_state is None else first_batch
    looked_for = request.num_solutions + extra_solutions(stages, request)
    # Where few are missing, or none of those asked for, the search is as thorough as without.
    enough = request.num_solutions if stages.region_dimensions else looked_for
    most_colliding = 0
    if request.check is not None:
        room = COLLIDING.numbers // (max(request.num_targets, 1) * stages.chain.num_joints)
        most_colliding = min(max(room, looked_for, COLLIDING.least), COLLIDING.most)
    if stages.preference is not None:
        looked_for = enough = max(request.num_solutions, _core.APPROXIMATIONS)
    capacity = looked_for + most_colliding
    if least_restarts:
        capacity += max(least_restarts, _core.FAR)
    persistence = stages.persistence(request.space.narrowed)
    return Budget(looked_for, enough, least_restarts, persistence, most_colliding, capacity)


def looked_for_on_curves(request: SolveRequest) -> int:
    """Return how many solutions of a target are looked for on curves."""
    wanted = request.num_solutions
    return max(TO_OPTIMIZE.on_curves, 2 * wanted) if request.preferences.optimize else wanted


def room_on_curves(request: SolveRequest) -> int:
    """Return how many solutions of a target on curves may be kept."""
    most = TO_OPTIMIZE.most_on_curves * request.preferences.optimize
    return max(looked_for_on_curves(request), most)


def null_space_steps(stages: Stages, looked_for: int, traces: bool) -> int:  # noqa: FBT001
    """Return for how many null-space steps of a target there is room."""
    return (4 if traces else 2) * looked_for if stages.redundant else 0


def extra_solutions(stages: Stages, request: SolveRequest) -> int:
    """Return how many more solutions than asked for are looked for, to choose among."""
    wanted = request.num_solutions
    if request.preferences.optimize and stages.redundant:
        return max(_core.MOST_EXTRA, request.breadth * TO_OPTIMIZE.least - wanted)
    if request.preferences.scored:
        return _core.MOST_EXTRA
    if wanted == 1 or request.seed_state is not None:
        return 0
    # A pose has six coordinates.
    redundant = stages.chain.num_joints > 6 * len(stages.chain.tip_links)
    return _core.extra_solutions(wanted, stages.region_dimensions, redundant)
