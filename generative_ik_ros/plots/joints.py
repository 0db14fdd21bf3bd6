"""Configurations of a chain in, how its joints depend on each other out: pairs on the torus."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.plots.style import MAP, new_figure, styled
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 1.25
_LIMIT = "#999999"


@styled
def joint_pairs(
    chain: KinematicChain,
    positions: NDArray[np.float64],
    *,
    shade: NDArray[np.float64] | None = None,
    shade_label: str = "",
    title: str | None = None,
) -> "Figure":
    """Plot every joint against every other, as GGIK's figures 5 and 6 (T-RO, section V-D).

    A pair of turning joints is a point on a torus: left and right, bottom and top of a panel are
    the same. On the diagonal each joint has a histogram. Limits inside the turn are dotted.

    Args:
        chain: The chain.
        positions: (N, n) configurations [rad or m].
        shade: (N,) what colours the points; low is dark. The first joint's position if None.
        shade_label: What that is, with its unit.
        title: Headline.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    n = chain.num_joints
    figure = new_figure(_PANEL * n + 1.2, _PANEL * n + 0.6)
    grid = figure.subplots(n, n, squeeze=False)
    shown = on_one_turn(chain, positions)
    values = shown[:, 0] if shade is None else np.asarray(shade)
    points = None
    for row in range(n):
        for column in range(n):
            axes: Axes = grid[row, column]
            if row == column:
                axes.hist(shown[:, row], bins=36, range=joint_range(chain, row), color="#777777")
                axes.set_yticks([])
                if column == 0:
                    axes.set_ylabel(_name(chain, row), fontsize=7)
            else:
                points = axes.scatter(
                    shown[:, column], shown[:, row], c=values, cmap=MAP, s=5, linewidths=0
                )
                _span(axes, chain, row, "y", row_label=column == 0)
            _span(axes, chain, column, "x", row_label=row == n - 1)
            axes.tick_params(length=2, labelsize=6)
            axes.label_outer(remove_inner_ticks=False)
    if points is not None:
        label = f"{chain.names[0]} [{unit(chain, 0)}]" if shade is None else shade_label
        figure.colorbar(points, ax=grid, label=label, shrink=0.6, aspect=40)
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


def on_one_turn(chain: KinematicChain, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring turning joints to between -pi and pi, where the axes are (N, n)."""
    turned = np.remainder(positions + np.pi, 2.0 * np.pi) - np.pi
    return np.where(chain.prismatic, positions, turned)


def joint_range(chain: KinematicChain, joint: int) -> tuple[float, float]:
    """Return what an axis for a joint spans: a turn, or its travel [rad or m]."""
    if not chain.prismatic[joint]:
        return -math.pi, math.pi
    lower, upper = float(chain.lower[joint]), float(chain.upper[joint])
    return max(lower, -1e3), min(upper, 1e3)


def unit(chain: KinematicChain, joint: int) -> str:
    """Return the unit of a joint's position."""
    return "m" if chain.prismatic[joint] else "rad"


def _name(chain: KinematicChain, joint: int) -> str:
    return f"{chain.names[joint]}\n[{unit(chain, joint)}]"


def _span(axes: "Axes", chain: KinematicChain, joint: int, side: str, *, row_label: bool) -> None:
    """Span an axis over a joint's range, mark its limits, and name it on the rim."""
    lower, upper = joint_range(chain, joint)
    axes.set(**{f"{side}lim": (lower, upper)})
    if row_label:
        axes.set(**{f"{side}label": _name(chain, joint)})
        (axes.xaxis if side == "x" else axes.yaxis).label.set_fontsize(7)
    if not chain.prismatic[joint]:
        ticks, names = (-math.pi, 0.0, math.pi), ("-π", "0", "π")
        (axes.set_xticks if side == "x" else axes.set_yticks)(ticks, names)
    line = axes.axvline if side == "x" else axes.axhline
    for limit in (float(chain.lower[joint]), float(chain.upper[joint])):
        if lower < limit < upper:
            line(limit, color=_LIMIT, linewidth=0.8, linestyle=":")
