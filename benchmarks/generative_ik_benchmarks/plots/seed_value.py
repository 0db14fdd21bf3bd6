"""Distinct solutions and coverage over time, a curve a sampler."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_benchmarks.protocols.seed_budgets import SamplerBudgets
from generative_ik_ros.plots.style import DASHES, SERIES, new_figure, plain, styled
from generative_ik_ros.samplers.registry import sampler_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@styled
def seed_value_figure(samplers: Sequence[SamplerBudgets], title: str) -> "Figure":
    """Draw the curves of a chain's samplers.

    Args:
        samplers: What was measured.
        title: The line above.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    figure = new_figure(10.4, 3.6)
    left, right = figure.subplots(1, 2)
    times, names = np.empty(1), sampler_names()
    for one in samplers:
        # A sampler looks the same in all pictures, whichever others take part.
        which = names.index(one.sampler)
        look = {"color": SERIES[which % len(SERIES)], "linestyle": DASHES[which % len(DASHES)]}
        times = 1e3 * one.times
        for axes, curve in ((left, one.distinct_curve), (right, 100.0 * one.coverage_curve)):
            axes.plot(times, curve, label=one.sampler, **look)
    left.set(ylabel="exact distinct solutions a pose")
    left.set_ylim(bottom=0.0)
    right.set(ylabel="coverage of the reference set [%]", ylim=(0.0, 102.0))
    for axes in (left, right):
        axes.set(xscale="log", xlabel="time, proposing and refining [ms]")
        ticks = [one for one in _TICKS if times[0] <= one <= times[-1] * (1.0 + 1e-9)]
        axes.set_xticks(ticks, [f"{one:g}" for one in ticks])
        axes.minorticks_off()
        plain(axes)
    lines, labels = left.get_legend_handles_labels()
    figure.legend(lines, labels, frameon=False, loc="outside right center")
    figure.suptitle(title, fontsize=10)
    return figure
