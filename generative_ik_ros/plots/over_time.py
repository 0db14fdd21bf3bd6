"""Solutions and coverage at some times in, curves over time out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.plots.style import DASHES, SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Curve:
    """What a method had found at some times.

    Attributes:
        name: The method.
        seconds: (K,) times, rising [s].
        solutions: (K,) distinct solutions of a pose by then.
        coverage: (K,) share of the solution set by then, from 0 to 1; None where unknown.
    """

    name: str
    seconds: NDArray[np.float64]
    solutions: NDArray[np.float64]
    coverage: NDArray[np.float64] | None = None


@styled
def over_time(curves: Sequence[Curve], *, title: str | None = None) -> "Figure":
    """Draw solutions, and where it is known coverage, over time on a logarithmic axis.

    Args:
        curves: One for each method.
        title: Headline.

    Raises:
        InvalidArgumentError: There is no curve.
        MissingDependencyError: matplotlib is not installed.
    """
    if not curves:
        raise InvalidArgumentError("there is no curve to draw")
    covered = any(curve.coverage is not None for curve in curves)
    figure = new_figure(4.6 * (1 + covered), 3.4)
    panels = figure.subplots(1, 1 + covered, squeeze=False)[0]
    for i, curve in enumerate(curves):
        look = {"color": SERIES[i % len(SERIES)], "linestyle": DASHES[i % len(DASHES)]}
        milliseconds = 1e3 * np.asarray(curve.seconds)
        panels[0].plot(milliseconds, curve.solutions, label=curve.name, **look)
        if curve.coverage is not None:
            shares = 100.0 * np.asarray(curve.coverage)
            panels[1].plot(milliseconds, shares, label=curve.name, **look)
    panels[0].set_ylabel("distinct solutions of a pose")
    panels[0].set_ylim(bottom=0.0)
    if covered:
        panels[1].set_ylabel("coverage of the solution set [%]")
        panels[1].set_ylim(0.0, 102.0)
    for axes in panels:
        axes.set(xscale="log", xlabel="time [ms]")
        plain(axes)
    panels[0].legend(frameon=False)
    if title:
        figure.suptitle(title, fontsize=11)
    return figure
