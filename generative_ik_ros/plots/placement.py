"""A figure of base placements: a top view of what was tried, with tasks and the best bases."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.plots.style import MAP, SERIES, new_figure, plain, styled
from generative_ik_ros.reach.placement import BasePlacements

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def placement_figure(found: BasePlacements, tasks: NDArray[np.float64], *, title: str) -> "Figure":
    """Draw the share of tasks that bases reach, seen from above, and the best bases by number.

    Args:
        found: The bases.
        tasks: (T, 4, 4) the tasks in the world [m].
        title: Title.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    # Of several heights, the best.
    places, column = np.unique(np.round(found.cells[:, :2], 9), axis=0, return_inverse=True)
    shares = np.zeros(len(places))
    np.maximum.at(shares, column.ravel(), found.cell_shares)
    figure = new_figure(6.6, 5.6)
    axes = figure.subplots()
    plain(axes)
    span = max(float(np.ptp(places, axis=0).max()), 1e-6)
    gap = np.linalg.norm(places - places[0], axis=1)
    step = gap[gap > 0.0].min(initial=span)
    # A square for each position, as wide as the grid is fine.
    size = (figure.get_size_inches()[1] * 55.0 * step / (span + step)) ** 2
    drawn = axes.scatter(
        *places.T, c=shares, s=size, marker="s", cmap=MAP, vmin=0.0, vmax=1.0, linewidths=0
    )
    figure.colorbar(drawn, ax=axes, label="share of the tasks, estimated")
    axes.plot(*tasks[:, :2, 3].T, "x", color=SERIES[1], markersize=7, label="tasks")
    length = 0.6 * step
    for number, base in enumerate(found.bases, start=1):
        x, y = base[:2, 3]
        axes.annotate(
            "", (x + length * base[0, 0], y + length * base[1, 0]), (x, y),
            arrowprops={"arrowstyle": "->", "color": "black"},
        )  # fmt: skip
        axes.annotate(str(number), (x, y), (4, 4), textcoords="offset points", fontsize=9)
    axes.plot(*found.bases[:, :2, 3].T, "o", color="black", markersize=4, label="best bases")
    axes.set(xlabel="x [m]", ylabel="y [m]", title=title)
    axes.set_aspect("equal")
    axes.legend(loc="upper right")
    return figure
