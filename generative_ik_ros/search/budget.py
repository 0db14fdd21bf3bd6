"""How much a search does for a call: solutions to look for, restarts, and room for solutions."""

from typing import NamedTuple

from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.policy import ALL_OF_THEM, FAR
from generative_ik_ros.search.stages import Stages

_EXTRA, _EXTRA_UP_TO = 16, 128
"""Most solutions that are looked for beyond those asked for, so that the most diverse can be
chosen; fewer and fewer up to that many solutions, as the last ones of a set take long to find."""
_IN_REGION, _MOST_IN_REGION = (2.0, 1.5, 1.0), 512
"""Solutions of a region that are looked for beyond those asked for, for each of these, where they
form curves, where they form more, and if single poses leave the arm redundant, too; and the most.
Found at random, they are thick in some places, and the most diverse are chosen. Of curves mostly
fewer are found, see `core/src/search/trace.hpp`."""
_POSE = 6
"""Coordinates of a pose."""
_OPTIMIZED = 100
"""Solutions that are looked for at least if they are optimized, so that hardly a part of the
solution set is missed."""
_COLLIDING, _ROOM = (256, 4096), 1 << 19
"""Bounds of how many solutions of a target are kept although they collide, and how many numbers
they take for all targets between these: memory that is used first costs time."""
_ON_CURVES_TO_OPTIMIZE, _ROOM_ON_CURVES = 80, 1024
"""Solutions on curves that are looked for at the least to be optimized; and the most that are
kept: where curves are long, or many, there are more."""


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


def budget_of(stages: Stages, request: SolveRequest, first_batch: int) -> Budget:
    """Return the budget of a call's search.

    Args:
        stages: What it consists of.
        request: The call.
        first_batch: Seeds that each target gets first.
    """
    # Around a seed state all of the first seeds are tried, to find the nearest solutions.
    least_restarts = 0 if request.seed_state is None else first_batch
    looked_for = request.num_solutions + _extra_solutions(stages, request)
    # Where few are missing, or none of those asked for, the search is as thorough as without.
    enough = request.num_solutions if stages.region_dimensions else looked_for
    thorough = request.space.narrowed and not stages.hurried
    most_colliding = 0
    if request.check is not None:
        room = _ROOM // (max(request.num_targets, 1) * stages.chain.num_joints)
        most_colliding = min(max(room, looked_for, _COLLIDING[0]), _COLLIDING[1])
    capacity = looked_for + most_colliding
    if least_restarts:
        capacity += max(least_restarts, FAR)
    persistence = ALL_OF_THEM if thorough else stages.persistence
    return Budget(looked_for, enough, least_restarts, persistence, most_colliding, capacity)


def looked_for_on_curves(request: SolveRequest) -> int:
    """Return how many solutions of a target are looked for on curves."""
    wanted = request.num_solutions
    return max(_ON_CURVES_TO_OPTIMIZE, 2 * wanted) if request.preferences.optimize else wanted


def room_on_curves(request: SolveRequest) -> int:
    """Return how many solutions of a target on curves may be kept."""
    return max(looked_for_on_curves(request), _ROOM_ON_CURVES * request.preferences.optimize)


def _extra_solutions(stages: Stages, request: SolveRequest) -> int:
    """Return how many more solutions than asked for are looked for, to choose among."""
    wanted = request.num_solutions
    if request.preferences.optimize and stages.redundant:
        return max(_EXTRA, request.breadth * _OPTIMIZED - wanted)
    if request.preferences.scored:
        return _EXTRA
    if wanted == 1 or request.seed_state is not None:
        return 0
    in_region = 0
    if stages.region_dimensions:
        redundant = stages.chain.num_joints > _POSE * len(stages.chain.tip_links)
        kind = 0 if stages.region_dimensions == 1 else 1 + redundant
        in_region = min(int(_IN_REGION[kind] * wanted), _MOST_IN_REGION)
    return max(in_region, min(wanted, max(0, _EXTRA - wanted * _EXTRA // _EXTRA_UP_TO)))
