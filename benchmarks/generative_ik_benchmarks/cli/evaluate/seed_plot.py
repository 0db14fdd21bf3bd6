"""A seed-value table comes in, a picture goes out: solutions and coverage over time."""

from pathlib import Path

import numpy as np

from generative_ik_benchmarks.protocols.seed_value import SeedValue
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.samplers.registry import sampler_names

_STYLES = (
    ("#0072b2", "-"),
    ("#e69f00", "--"),
    ("#009e73", "-."),
    ("#cc79a7", "-"),
    ("#000000", ":"),
    ("#d55e00", "--"),
    ("#56b4e9", "-."),
)
"""Colours that people with any colour vision tell apart (M. Okabe and K. Ito, 2008), and strokes
for those who print."""
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def check_folder(folder: Path) -> None:
    """Make a folder before any work goes into it.

    Raises:
        InvalidArgumentError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgumentError(f"--plot-dir {folder}: {error.strerror}") from error


def plot(table: SeedValue, folder: Path) -> Path:
    """Draw a chain's curves, one a sampler; return the file.

    Args:
        table: What was measured.
        folder: Where the picture goes.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 3.6))
    figure.subplots_adjust(left=0.07, right=0.82, bottom=0.15, top=0.9, wspace=0.22)
    times, names = np.empty(1), sampler_names()
    for one in table.samplers:
        # A sampler looks the same in all pictures, whoever else takes part.
        colour, stroke = _STYLES[names.index(one.sampler) % len(_STYLES)]
        times = 1e3 * one.times
        for axes, curve in ((left, one.distinct_curve), (right, 100.0 * one.coverage_curve)):
            axes.plot(times, curve, stroke, color=colour, linewidth=1.8, label=one.sampler)
    left.set_ylabel("exact distinct solutions a pose")
    left.set_ylim(bottom=0.0)
    right.set_ylabel("coverage of the reference set [%]")
    right.set_ylim(0.0, 102.0)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("time, proposing and refining [ms]")
        axes.grid(True, which="major", color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
        ticks = [one for one in _TICKS if times[0] <= one <= times[-1] * (1.0 + 1e-9)]
        axes.set_xticks(ticks, [f"{one:g}" for one in ticks])
        axes.minorticks_off()
    lines, labels = left.get_legend_handles_labels()
    figure.legend(lines, labels, frameon=False, loc="center left", bbox_to_anchor=(0.825, 0.5))
    figure.suptitle(f"{table.chain}, {table.dof} joints, {table.poses} poses", fontsize=10)
    path = folder / f"{table.slug}.png"
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path
