"""What was measured of GGIK comes in, a picture goes out: figures 4 to 8."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from generative_ik_benchmarks.reproduce.ggik import (
    COUNTS,
    RADII,
    Accuracy,
    Modes,
)
from generative_ik_benchmarks.reproduce.ggik_published import FIGURE_8
from generative_ik_benchmarks.reproduce.ggik_times import SamplingTime

_COLOURS = ("#d1495b", "#3b6fb6", "#2e933c", "#e09f3e", "#6f4e7c", "#5e6472", "#00a6a6")


def draw(
    rows: Sequence[Accuracy],
    modes: Sequence[Modes],
    times: Sequence[SamplingTime],
    path: Path,
) -> None:
    """Draw accuracy over samples, joint pairs, cluster counts, and time over samples.

    Args:
        rows: Of figure 4.
        modes: Of figures 5 to 7: a row of joint pairs for each robot.
        times: Of figure 8.
        path: File to write; its ending says the format.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    height = 3.4 + 2.2 * len(modes)
    figure = plt.figure(figsize=(12.6, height), constrained_layout=True)
    ratios = (3.4, max(height - 3.4, 0.1))
    grid = figure.add_gridspec(2, 1, height_ratios=ratios)
    top, bottom = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    best, clusters, took = top.subplots(1, 3)
    shown = [one for one in rows if one.purpose in ("many", "unseen") and one.model != "varied"]
    for one, colour in zip(shown or rows, _COLOURS * 9, strict=False):
        style = "--" if one.purpose == "unseen" else "-"
        name = f"{one.robot.partition(': ')[0]}, {one.purpose}"
        best.plot(COUNTS, 1e3 * one.best[:, 0], style, color=colour, label=name)
    best.set(xscale="log", yscale="log", xlabel="samples", ylabel="best distance [mm]")
    best.set_title("figure 4", fontsize=8)
    _clusters(clusters, modes)
    _times(took, times)
    for axes in (best, clusters, took):
        axes.grid(True, which="major", color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=6)
    if modes:
        pairs = bottom.subplots(len(modes), 6, squeeze=False)
        for line, one in zip(pairs, modes, strict=True):
            _pairs(line, one)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _pairs(line, one: Modes) -> None:  # noqa: ANN001
    """Draw the samples of neighbouring joints; the worse a sample, the darker (figures 5, 6)."""
    shade = np.argsort(np.argsort(-one.position_error)) / max(len(one.position_error) - 1, 1)
    for i, axes in enumerate(line):
        axes.set(xticks=(-np.pi, 0, np.pi), yticks=(-np.pi, 0, np.pi))
        axes.tick_params(labelbottom=False, labelleft=False)
        if i + 1 < one.positions.shape[1]:
            # On the torus, as in the paper.
            x, y = ((one.positions[:, j] + np.pi) % (2 * np.pi) - np.pi for j in (i, i + 1))
            axes.scatter(x, y, c=shade, s=2, cmap="viridis", linewidths=0)
        axes.set(xlim=(-np.pi, np.pi), ylim=(-np.pi, np.pi), xlabel=f"joints {i + 1}, {i + 2}")
        axes.xaxis.label.set_size(6)
    line[0].set_ylabel(one.robot.partition(": ")[0], fontsize=8)


def _clusters(axes, modes: Sequence[Modes]) -> None:  # noqa: ANN001
    """Draw the cluster counts of the UR10, as figure 7 does, or of the first robot."""
    chosen = [one for one in modes if one.robot.startswith("ur10")] or list(modes[:1])
    for one in chosen[:1]:
        for radius, counts, colour in zip(RADII, one.clusters, _COLOURS, strict=False):
            shares = np.bincount(counts, minlength=33)[1:33] / len(counts)
            axes.step(range(1, 33), 100 * shares, where="mid", color=colour, label=f"{radius:g}")
        axes.set_title(f"figure 7: {one.robot.partition(': ')[0]}", fontsize=8)
    axes.set(xlabel="clusters of 32 samples", ylabel="problems [%]")


def _times(axes, times: Sequence[SamplingTime]) -> None:  # noqa: ANN001
    """Draw time over number of samples of the first robot, as figure 8 does."""
    ways = dict.fromkeys(one.way for one in times)
    for way, colour in zip(ways, _COLOURS, strict=False):
        runs = [one for one in times if one.way == way and one.robot == times[0].robot]
        axes.errorbar(
            [one.samples for one in runs], [one.mean for one in runs],
            yerr=[one.deviation for one in runs], color=colour, label=way,
        )  # fmt: skip
    axes.plot(list(FIGURE_8), list(FIGURE_8.values()), "x", color="0.4", label="published, GPU")
    axes.set(xscale="log", yscale="log", xlabel="samples of one problem", ylabel="time [ms]")
    axes.set_title("figure 8", fontsize=8)
