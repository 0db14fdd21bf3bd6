"""Solutions on curves as the first ones of a search that checks collisions."""

from generative_ik_ros._core import CurveProblem
from generative_ik_ros.search.branch_pool import First
from generative_ik_ros.search.budget import looked_for_on_curves

# Arguments of the core come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_PIECE = 2
"""Targets that a thread takes at a time."""
_ENOUGH = 24
"""Free solutions that are enough to be optimized."""


def take_curves(first: First) -> None:
    """Put solutions from all over the curves into the pool; close targets that have enough.

    Of those that are optimised all are kept, of others the most diverse.
    """
    stages, request = first.stages, first.request
    assert stages.curves is not None  # noqa: S101
    problem = stages.curves.on_curves(stages, request.space)
    assert isinstance(problem, CurveProblem)  # noqa: S101
    optimize = request.preferences.optimize
    enough = max(_ENOUGH * optimize, request.num_solutions)
    wanted = looked_for_on_curves(request), enough, optimize
    first.in_pieces(
        _PIECE, lambda run: problem.begin_search(*first.arguments(run), *wanted, first.world)
    )
