"""A seed-value table comes in, a picture goes out: solutions and coverage over time."""

from pathlib import Path

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.evaluation.protocols.seed_value import SeedValue

_COLOURS = ("#3b6fb6", "#d1495b", "#2e933c", "#e09f3e", "#6f4e7c", "#5e6472", "#00a6a6")


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

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6), constrained_layout=True)
    for i, one in enumerate(table.samplers):
        colour = _COLOURS[i % len(_COLOURS)]
        times = 1e3 * one.times
        left.plot(times, one.distinct_curve, color=colour, label=one.sampler)
        right.plot(times, 100.0 * one.coverage_curve, color=colour, label=one.sampler)
    left.set_ylabel("exact distinct solutions a pose")
    left.set_ylim(bottom=0.0)
    right.set_ylabel("coverage of the solution set [%]")
    right.set_ylim(0.0, 102.0)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("time, proposing and refining [ms]")
        axes.grid(True, which="major", color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
    right.legend(frameon=False, loc="lower right")
    figure.suptitle(f"{table.chain}, {table.dof} joints, {table.poses} poses", fontsize=10)
    path = folder / f"seed-value-{table.slug}.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path
