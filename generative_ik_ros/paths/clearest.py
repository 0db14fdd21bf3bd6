"""The path through layers whose worst pose has the greatest margin, by bisection."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.paths.layers import Layers
from generative_ik_ros.paths.objective import Objective

_BISECTIONS, _SLIGHTLY = 10, 0.02
"""Steps towards the greatest margin, and the first of them, as a share of what may be left."""


def clearest(
    layers: Layers,
    objective: Objective,
    nodes: NDArray[np.int64],
    ends: tuple[NDArray[np.float64], NDArray[np.bool_]],
    known: float,
) -> NDArray[np.int64]:
    """Return the nodes of the path with the greatest margin, or those of any path given.

    Args:
        layers: Tracks.
        objective: Measures margins.
        nodes: (B,) a path.
        ends: Where paths begin and end; see `Layers.shortest`.
        known: A margin that is not good enough.
    """
    margins = layers.margins(objective.margins)
    least = max(objective.value(layers.path(nodes)), known)
    most = margins.max(axis=0).min()
    # Most of the time nothing is better than what is known.
    middle = least + _SLIGHTLY * (most - least)
    for _ in range(_BISECTIONS):
        some = layers.shortest(*ends, usable=margins >= middle)
        if len(some) == len(nodes):
            nodes, least = some, middle
        elif most - middle > (1.0 - 2.0 * _SLIGHTLY) * (most - least):
            break
        else:
            most = middle
        middle = 0.5 * (least + most)
    return nodes
