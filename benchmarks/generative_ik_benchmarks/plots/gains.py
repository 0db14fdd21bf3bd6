"""How many times better some methods are on each chain, in one picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.plots.style import SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKS = "osD^vPX"
_GOALS = ((1.0, "-"), (2.0, "--"))
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Gain:
    """How many times better a method is than what it is compared with.

    Attributes:
        chain: On what.
        method: Its name.
        low: Lower quartile.
        median: Median.
        high: Upper quartile.
    """

    chain: str
    method: str
    low: float
    median: float
    high: float


@styled
def gains_figure(gains: Sequence[Gain]) -> "Figure":
    """Draw a line a chain and a mark a method, quartiles as bars, on a logarithmic axis.

    Args:
        gains: In the order of the chains, from the top down.

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
            [gain.median for gain in mine],
            [chains.index(gain.chain) + aside for gain in mine],
            xerr=[
                [gain.median - gain.low for gain in mine],
                [gain.high - gain.median for gain in mine],
            ],
            fmt=_MARKS[i % len(_MARKS)],
            color=SERIES[i % len(SERIES)],
            markersize=3.5,
            linewidth=0.9,
            label=method,
        )
    axes.set(xscale="log", xlabel="times the distinct solutions a millisecond")
    low, high = axes.get_xlim()
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(chains)), chains)
    axes.set_ylim(len(chains) - 0.4, -0.6)
    plain(axes)
    figure.legend(frameon=False, loc="outside upper center", ncols=len(methods))
    return figure
