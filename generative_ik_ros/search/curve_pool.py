"""Solutions on curves as the first ones of a search that checks collisions."""

from generative_ik_ros._core import CurveProblem
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.branch_pool import First
from generative_ik_ros.search.branches import Curves
from generative_ik_ros.select.preferences import DIVERSE, NEAREST

# Arguments of the core come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_PIECE = 2
"""Targets that a thread takes at a time."""
_FEWEST, _FEWEST_TOGETHER, _FEW_TARGETS = 2, 4, 8
"""Solutions wanted at the least, and of each of more than so many poses: fewer are found sooner by
a search, which has a pose in each vector lane."""
TIME_FOR_ONE = 1e-5
"""Time to find a solution on curves at the most; where there is less, a search looks at the clock
more often [s]."""
_TO_OPTIMIZE, _ENOUGH, _ROOM_TO_OPTIMIZE = 80, 24, 1024
"""Solutions that are looked for at the least to be optimised; the free ones among them that are
enough; and the most that are kept: where curves are long, or many, there are more."""


def curves_help(request: SolveRequest, curves: Curves) -> bool:
    """Return whether the solutions of a call are best found on their curves."""
    looked_for = _looked_for(request)
    together = request.regions is None and len(request.targets) > _FEW_TARGETS
    fewest = _FEWEST_TOGETHER if together else _FEWEST
    return (
        fewest <= looked_for <= curves.most_wanted
        and _can(request)
        and not request.alternatives
        and request.timeout >= TIME_FOR_ONE * looked_for
    )


def curves_begin(request: SolveRequest, curves: Curves) -> bool:
    """Return whether a search begins with the curves.

    What is neither checked nor optimised and left to the search is not on them, but for other full
    turns of solutions about a free axis, or it is more than what is on them.
    """
    left = request.check is not None or request.preferences.optimize or bool(curves.turns)
    left |= request.regions is None and request.num_solutions > CurveProblem.MANY
    return left and curves_help(request, curves)


def _can(request: SolveRequest) -> bool:
    """Return whether solutions on curves are what is wanted, or where an ascent may begin."""
    preferences = request.preferences
    if not preferences.optimize:
        return preferences.order == DIVERSE
    narrowed = request.space.narrowed
    return preferences.order != NEAREST and request.regions is None and not narrowed


def room_on_curves(request: SolveRequest) -> int:
    """Return how many solutions of a target may be kept."""
    return max(_looked_for(request), _ROOM_TO_OPTIMIZE * request.preferences.optimize)


def _looked_for(request: SolveRequest) -> int:
    wanted = request.num_solutions
    return max(_TO_OPTIMIZE, 2 * wanted) if request.preferences.optimize else wanted


def take_curves(first: First) -> None:
    """Put solutions from all over the curves into the pool; close targets that have enough.

    Of those that are optimised all are kept, of others the most diverse.
    """
    stages, request = first.stages, first.request
    assert stages.curves is not None  # noqa: S101
    problem = stages.curves.on_curves(stages, request.space)
    optimize = request.preferences.optimize
    enough = max(_ENOUGH * optimize, request.num_solutions)
    wanted = _looked_for(request), enough, optimize
    first.in_pieces(_PIECE, lambda run: problem.begin_search(*first.arguments(run), *wanted))
