"""Reports on chains with weights come in, a picture goes out: figure 4 and the temperature."""

from collections.abc import Sequence
from pathlib import Path

from generative_ik_ros.evaluation.reproduce.ikflow import FIGURE_4, IKFlowReport

_COLOURS = ("#d1495b", "#3b6fb6", "#2e933c", "#e09f3e", "#6f4e7c", "#5e6472", "#00a6a6")


def draw(reports: Sequence[IKFlowReport], path: Path) -> None:
    """Draw times of the first chain, and errors and coverage over temperature of all.

    Args:
        reports: What was measured.
        path: File to write; its ending says the format.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(12.6, 3.8), constrained_layout=True
    )
    if reports:
        _times(left, reports[0])
    for i, one in enumerate(reports):
        colour = _COLOURS[i % len(_COLOURS)]
        style = ("-", "--", ":")[i // len(_COLOURS) % 3]
        scales = [at.temperature for at in one.temperatures]
        middle.plot(scales, [at.position_mm for at in one.temperatures], style, color=colour)
        right.plot(
            scales, [100 * at.coverage for at in one.temperatures], style, color=colour,
            label=one.chain.partition(": ")[0] + f" ({one.dof})",
        )  # fmt: skip
    middle.set(xlabel="temperature", ylabel="mean raw error [mm]")
    middle.set_yscale("log")
    right.set(xlabel="temperature", ylabel="coverage after refinement [%]", ylim=(0, 102))
    right.legend(frameon=False, fontsize=7, loc="lower right")
    for axes in (left, middle, right):
        axes.grid(True, which="major", color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _times(axes, report: IKFlowReport) -> None:  # noqa: ANN001
    """Draw time over number of samples, deviations as a shade, as figure 4 does."""
    names = dict.fromkeys(run.contestant for run in report.run_times)
    for name, colour in zip(names, _COLOURS, strict=False):
        runs = [run for run in report.run_times if run.contestant == name]
        counts = [run.found for run in runs]
        axes.plot(counts, [run.mean for run in runs], color=colour, label=name)
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
    axes.set_title(report.chain, fontsize=8)
    axes.legend(frameon=False, fontsize=7)
