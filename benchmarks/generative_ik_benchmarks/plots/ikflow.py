"""IKFlow's figure 4, and the effect of the temperature."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from generative_ik_benchmarks.published import FIGURE_4
from generative_ik_benchmarks.reproduce.ikflow import IKFlowReport
from generative_ik_ros.plots.style import DASHES, SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_THEIRS = "atlas"
"""The robot of the paper's figure 4."""


@styled
def figure_4(reports: Sequence[IKFlowReport]) -> "Figure":
    """Draw times of one chain, and errors and coverage over temperature of all.

    Args:
        reports: What was measured; the times are those of the longest chain of the paper's robot,
            of the first chain where it is not among them.
    """
    figure = new_figure(12.6, 3.8)
    left, middle, right = figure.subplots(1, 3)
    if reports:
        theirs = [one for one in reports if one.chain.startswith(_THEIRS)]
        _times(left, max(theirs, key=lambda one: one.dof) if theirs else reports[0])
    for i, one in enumerate(reports):
        look = {
            "color": SERIES[i % len(SERIES)],
            "linestyle": DASHES[i // len(SERIES) % len(DASHES)],
        }
        scales = [at.temperature for at in one.temperatures]
        middle.plot(scales, [at.position_mm for at in one.temperatures], **look)
        name = one.chain.partition(": ")[0] + f" ({one.dof})"
        right.plot(scales, [100 * at.coverage for at in one.temperatures], label=name, **look)
    middle.set(xlabel="temperature", ylabel="mean raw error [mm]", yscale="log")
    right.set(xlabel="temperature", ylabel="coverage after refinement [%]", ylim=(0, 102))
    right.legend(frameon=False, fontsize=7, loc="lower right")
    for axes in (left, middle, right):
        plain(axes)
    return figure


def _times(axes: "Axes", report: IKFlowReport) -> None:
    """Draw time over number of samples, deviations as a shade, as figure 4 does."""
    names = dict.fromkeys(run.solver for run in report.run_times)
    for name, colour, dash in zip(names, SERIES, DASHES, strict=False):
        runs = [run for run in report.run_times if run.solver == name]
        counts = [run.found for run in runs]
        axes.plot(counts, [run.mean for run in runs], dash, color=colour, label=name)
        axes.fill_between(
            counts,
            [max(run.mean - run.deviation, run.mean / 10) for run in runs],
            [run.mean + run.deviation for run in runs],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
    for (name, (samples, ms)), mark in zip(FIGURE_4.items(), "ox", strict=False):
        axes.plot([samples], [ms], mark, color="0.4", label=f"{name}, published (ATLAS)")
    axes.set(xscale="log", yscale="log", xlabel="samples of one pose", ylabel="time [ms]")
    axes.set_title(report.chain)
    axes.legend(frameon=False, fontsize=7)
