"""A figure of configurations: the arm in space, and its joints against each other."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.plots.arms import draw_arms
from generative_ik_ros.plots.style import MAP, new_figure, styled
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, SubFigure

_TARGET = "#000000"
_PANEL_INCHES = 2.05


@styled
def solutions_figure(
    chain: KinematicChain,
    positions: NDArray[np.float64],
    targets: NDArray[np.float64],
    *,
    title: str,
) -> "Figure":
    """Draw the arm in all its configurations, and neighbouring joints against each other.

    Args:
        chain: The chain, or a tree with several tips.
        positions: (N, n) configurations, the first drawn with the shapes of its links [rad or m].
        targets: (B, 4, 4) poses in base, drawn as frames [m].
        title: Title.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    import matplotlib as mpl

    # A lone joint is paired with itself.
    pairs = [(i, i + 1) for i in range(chain.num_joints - 1)] or [(0, 0)]
    columns = math.ceil(math.sqrt(len(pairs))) if len(pairs) > 4 else min(2, len(pairs))
    rows = math.ceil(len(pairs) / columns)
    widths = (6.4, columns * _PANEL_INCHES + 0.5)
    size = (sum(widths), max(6.2, rows * _PANEL_INCHES + 1.0))
    figure = new_figure(*size)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=widths)[0]
    colors = mpl.colormaps[MAP]
    shades = _shades(chain, positions)
    draw_arms(left, chain, positions, targets, colors(shades))
    _draw_joints(right, chain, positions, pairs, (rows, columns), shades, colors)
    figure.suptitle(title, fontsize=13)
    return figure


def _shown(chain: KinematicChain, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring continuous joints to the turn that their axis spans."""
    return np.where(chain.continuous, wrapped(positions), positions)


def _shades(chain: KinematicChain, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a shade from 0 to 1 for each configuration, by its first joint, for all panels."""
    first = _shown(chain, positions)[:, 0]
    span = np.ptp(first)
    return (first - first.min()) / span if span > 0 else np.full(len(first), 0.5)


def _draw_joints(
    area: "SubFigure",
    chain: KinematicChain,
    positions: NDArray[np.float64],
    pairs: list[tuple[int, int]],
    shape: tuple[int, int],
    shades: NDArray[np.float64],
    colors: "Colormap",
) -> None:
    """Draw one panel for each pair of joints, inside the limits or over one turn."""
    grid = area.subplots(*shape, squeeze=False)
    shown = _shown(chain, positions)
    for axes, (i, j) in zip(grid.flat, pairs, strict=False):
        x, y = shown[:, i], shown[:, j] if i != j else np.zeros(len(shown))
        axes.scatter(x, y, c=shades, cmap=colors, vmin=0, vmax=1, s=16, alpha=0.85, linewidths=0)
        axes.scatter(x[:1], y[:1], s=60, facecolors="none", edgecolors=_TARGET, linewidths=1.2)
        axes.set_box_aspect(1)
        _joint_axis(axes, chain, i, "x")
        if i != j:
            _joint_axis(axes, chain, j, "y")
        else:
            axes.set_yticks([])
    for axes in grid.flat[len(pairs) :]:
        axes.set_visible(False)
    area.suptitle("neighbouring joints (colour: first joint; ring: first solution)", fontsize=9)


def _joint_axis(axes: "Axes", chain: KinematicChain, joint: int, side: str) -> None:
    """Set a joint's axis to its limits, with a line at each, or to one turn; and label it."""
    lower, upper, margin = -math.pi, math.pi, 0.0
    if not chain.continuous[joint]:
        lower = max(float(chain.lower[joint]), -1e3)
        upper = min(float(chain.upper[joint]), 1e3)
        margin = 0.04 * (upper - lower)
    label = f"{chain.names[joint]} [{'m' if chain.prismatic[joint] else 'rad'}]"
    axes.set(**{f"{side}lim": (lower - margin, upper + margin), f"{side}label": label})
    (axes.xaxis if side == "x" else axes.yaxis).label.set_fontsize(8)
    axes.tick_params(labelsize=7, length=2)
    if margin:
        line = axes.axvline if side == "x" else axes.axhline
        for limit in (lower, upper):
            line(limit, color="#999999", linewidth=0.8, linestyle=":")
