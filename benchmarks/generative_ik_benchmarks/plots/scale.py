"""Curves of time and memory of calls of growing size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.plots.style import DASHES, SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDE = 10.0
"""Sizes that span more than this factor go on a logarithmic axis."""


@dataclass(frozen=True)
class Growth:
    """What calls cost on one chain.

    Attributes:
        name: The chain, or what else the curve is about.
        sizes: (K,) what grows, rising.
        seconds: (K,) time of a call [s].
        each: (K,) time for each solution found [s].
        memory: (K,) most memory that a call took [bytes]; NaN where unknown, 0 where it made do
            with what the process had.
    """

    name: str
    sizes: Floats
    seconds: Floats
    each: Floats
    memory: Floats


@styled
def growth_figure(curves: Sequence[Growth], what: str) -> "Figure":
    """Draw time of a call, time of a solution, and memory over `what` grows, a curve a chain.

    Raises:
        InvalidArgumentError: There is no curve.
        MissingDependencyError: matplotlib is not installed.
    """
    if not curves:
        raise InvalidArgumentError("there is no curve to draw")
    figure = new_figure(11.4, 3.4)
    panels = figure.subplots(1, 3)
    sizes = np.concatenate([curve.sizes for curve in curves])
    wide = sizes.max() > _WIDE * sizes.min()
    for i, curve in enumerate(curves):
        look = {"color": SERIES[i % len(SERIES)], "linestyle": DASHES[i % len(DASHES)]}
        look |= {"marker": "o", "markersize": 3.0}
        for axes, values in zip(
            panels, (1e3 * curve.seconds, 1e6 * curve.each, 1e-6 * curve.memory), strict=True
        ):
            axes.plot(curve.sizes, values, label=curve.name, **look)
    labels = ("time of a call [ms]", "time of a solution [us]", "memory of a call [MB]")
    for axes, label in zip(panels, labels, strict=True):
        axes.set(xlabel=what, ylabel=label)
        if any((line.get_ydata() > 0.0).any() for line in axes.lines):
            axes.set_yscale("log")
        if wide:
            axes.set_xscale("log")
        plain(axes)
    panels[0].legend(frameon=False)
    return figure
