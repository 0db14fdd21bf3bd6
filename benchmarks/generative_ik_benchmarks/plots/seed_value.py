"""What seeds are worth: solutions and coverage over time, and gains on each chain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generative_ik_benchmarks.protocols.seed_budgets import SamplerBudgets
from generative_ik_benchmarks.text import Quartiles
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.plots.style import DASHES, SERIES, new_figure, plain, styled
from generative_ik_ros.samplers.registry import sampler_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKS = "osD^vPX"
_GOALS = ((1.0, "-"), (2.0, "--"))


@dataclass(frozen=True)
class Gain:
    """How many times better a method is than what it is compared with."""

    chain: str
    method: str
    times: Quartiles


@styled
def gains_figure(gains: Sequence[Gain]) -> "Figure":
    """Draw a line a chain, in their order, and a mark a method, quartiles as bars.

    Raises:
        InvalidArgumentError: There is none.
        MissingDependencyError: matplotlib is not installed.
    """
    if not gains:
        raise InvalidArgumentError("there is no gain to draw")
    chains = list(dict.fromkeys(gain.chain for gain in gains))
    methods = list(dict.fromkeys(gain.method for gain in gains))
    figure = new_figure(9.0, 1.3 + 0.22 * len(chains))
    axes = figure.subplots()
    for value, stroke in _GOALS:
        axes.axvline(value, color="0.6", linestyle=stroke, linewidth=0.9)
    for i, method in enumerate(methods):
        mine = [gain for gain in gains if gain.method == method]
        # A little above or below the line, so that marks do not hide each other.
        aside = 0.5 * ((i + 0.5) / len(methods) - 0.5)
        axes.errorbar(
            [gain.times.median for gain in mine],
            [chains.index(gain.chain) + aside for gain in mine],
            xerr=[
                [gain.times.median - gain.times.low for gain in mine],
                [gain.times.high - gain.times.median for gain in mine],
            ],
            fmt=_MARKS[i % len(_MARKS)],
            color=SERIES[i % len(SERIES)],
            markersize=3.5,
            linewidth=0.9,
            label=method,
        )
    axes.set(xscale="log", xlabel="times the distinct solutions a millisecond")
    _label_decades(axes)
    axes.set_yticks(range(len(chains)), chains)
    axes.set_ylim(len(chains) - 0.4, -0.6)
    plain(axes)
    figure.legend(frameon=False, loc="outside upper center", ncols=len(methods))
    return figure


def _label_decades(axes: "Axes") -> None:
    """Label 1, 2 and 5 of each decade of a logarithmic axis."""
    from matplotlib.ticker import LogLocator

    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()


@styled
def seed_value_figure(samplers: Sequence[SamplerBudgets], title: str) -> "Figure":
    """Draw the curves of a chain's samplers.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    figure = new_figure(10.4, 3.6)
    left, right = figure.subplots(1, 2)
    names = sampler_names()
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
        _label_decades(axes)
        plain(axes)
    lines, labels = left.get_legend_handles_labels()
    figure.legend(lines, labels, frameon=False, loc="outside right center")
    figure.suptitle(title, fontsize=10)
    return figure
