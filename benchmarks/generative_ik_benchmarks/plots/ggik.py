"""Figures 4 to 8 of GGIK's papers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_benchmarks.reproduce.ggik import Report
from generative_ik_benchmarks.reproduce.ggik_published import FIGURE_8
from generative_ik_benchmarks.reproduce.ggik_samples import (
    COUNTS,
    RADII,
    Accuracy,
    Modes,
    SamplingTime,
)
from generative_ik_ros.plots.style import MAP, SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TOP, _ROW = 3.4, 2.2
"""Heights of the upper figures, and of a row of joint pairs [inch]."""


@styled
def figures_4_to_8(report: Report) -> "Figure":
    """Draw accuracy over samples, cluster counts, time over samples, and joint pairs."""
    pairs_height = _ROW * len(report.modes)
    figure = new_figure(12.6, _TOP + pairs_height)
    grid = figure.add_gridspec(2, 1, height_ratios=(_TOP, max(pairs_height, 0.1)))
    top, bottom = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    best, clusters, times = top.subplots(1, 3)
    _best(best, report.accuracy)
    _clusters(clusters, report.modes)
    _times(times, report.times)
    for axes in (best, clusters, times):
        plain(axes)
        axes.legend(frameon=False, fontsize=6)
    if report.modes:
        for line, one in zip(
            bottom.subplots(len(report.modes), 6, squeeze=False), report.modes, strict=True
        ):
            _pairs(line, one)
    return figure


def _best(axes: "Axes", rows: Sequence[Accuracy]) -> None:
    """Draw the distance of the best of so many samples, as figure 4 does."""
    shown = [one for one in rows if one.purpose in ("many", "unseen") and one.model != "varied"]
    for one, colour in zip(shown or rows, SERIES * 9, strict=False):
        style = "--" if one.purpose == "unseen" else "-"
        name = f"{one.robot.partition(': ')[0]}, {one.purpose}"
        axes.plot(COUNTS, 1e3 * one.best[:, 0], style, color=colour, label=name)
    axes.set(xscale="log", yscale="log", xlabel="samples", ylabel="best distance [mm]")
    axes.set_title("figure 4", fontsize=8)


def _clusters(axes: "Axes", modes: Sequence[Modes]) -> None:
    """Draw the cluster counts of the UR10, as figure 7 does, or of the first robot."""
    chosen = [one for one in modes if one.robot.startswith("ur10")] or list(modes[:1])
    for one in chosen[:1]:
        for radius, counts, colour in zip(RADII, one.clusters, SERIES, strict=False):
            shares = np.bincount(counts, minlength=33)[1:33] / len(counts)
            axes.step(range(1, 33), 100 * shares, where="mid", color=colour, label=f"{radius:g}")
        axes.set_title(f"figure 7: {one.robot.partition(': ')[0]}", fontsize=8)
    axes.set(xlabel="clusters of 32 samples", ylabel="problems [%]")


def _times(axes: "Axes", times: Sequence[SamplingTime]) -> None:
    """Draw time over number of samples of the first robot, as figure 8 does."""
    for way, colour in zip(dict.fromkeys(one.way for one in times), SERIES, strict=False):
        runs = [one for one in times if one.way == way and one.robot == times[0].robot]
        axes.errorbar(
            [one.samples for one in runs],
            [one.mean for one in runs],
            yerr=[one.deviation for one in runs],
            color=colour,
            label=way,
        )
    axes.plot(list(FIGURE_8), list(FIGURE_8.values()), "x", color="0.4", label="published, GPU")
    axes.set(xscale="log", yscale="log", xlabel="samples of one problem", ylabel="time [ms]")
    axes.set_title("figure 8", fontsize=8)


def _pairs(line: "Sequence[Axes]", one: Modes) -> None:
    """Draw the samples of neighbouring joints; the worse a sample, the darker (figures 5, 6)."""
    shade = np.argsort(np.argsort(-one.position_error)) / max(len(one.position_error) - 1, 1)
    for i, axes in enumerate(line):
        axes.set(xticks=(-np.pi, 0, np.pi), yticks=(-np.pi, 0, np.pi))
        axes.tick_params(labelbottom=False, labelleft=False)
        if i + 1 < one.positions.shape[1]:
            # On the torus, as in the paper.
            x, y = ((one.positions[:, j] + np.pi) % (2 * np.pi) - np.pi for j in (i, i + 1))
            axes.scatter(x, y, c=shade, s=2, cmap=MAP, linewidths=0)
        axes.set(xlim=(-np.pi, np.pi), ylim=(-np.pi, np.pi))
        axes.set_xlabel(f"joints {i + 1}, {i + 2}", fontsize=6)
    line[0].set_ylabel(one.robot.partition(": ")[0], fontsize=8)
