"""How many more solutions than are asked for a search looks for, to choose among them."""

from generative_ik_ros.request import SolveRequest
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
"""Solutions that are looked for at least if they are optimised, so that hardly a part of the
solution set is missed."""


def extra_solutions(stages: Stages, request: SolveRequest) -> int:
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
