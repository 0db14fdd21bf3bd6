"""The command `generative-ik train curve`: what trainings reached over the samples seen."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.options import MaybeText, MaybeTexts
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.plots.style import DASHES, SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COUNTERS = ("step", "samples", "seconds")
_NAMES = {
    "position_error_mm": "mean raw error [mm]",
    "position_error_median_mm": "median raw error [mm]",
    "orientation_error_deg": "mean raw error [deg]",
    "converged_in_10": "share exact within 10 iterations",
    "mmd": "discrepancy (MMD)",
    "held_out_loss": "loss of unseen poses [nats]",
}
_LOGARITHMIC = ("_mm", "_deg")


@styled
def training_curves(
    trainings: Mapping[str, Sequence[Mapping[str, float]]],
    *,
    figures: Sequence[str] = (),
    levels: Mapping[str, float] | None = None,
    title: str | None = None,
) -> "Figure":
    """Draw what trainings reached over the samples seen.

    Args:
        trainings: By name, their evaluations in order: samples seen and figures of each.
        figures: Which to draw, one panel each; if empty, all that every training has.
        levels: Values to draw as broken lines, by figure.
        title: Headline.

    Raises:
        InvalidArgumentError: There is nothing to draw, or a training lacks a figure.
        MissingDependencyError: matplotlib is not installed.
    """
    if not trainings or not all(trainings.values()):
        raise InvalidArgumentError("there is no evaluation to draw")
    rows = [row for one in trainings.values() for row in one]
    common = [name for name in rows[0] if all(name in row for row in rows)]
    names = list(figures) or [name for name in common if name not in _COUNTERS]
    absent = [name for name in names if name not in common]
    if absent or not names:
        raise InvalidArgumentError(
            f"no figure {', '.join(absent)} in every evaluation; there are: {', '.join(common)}"
        )
    figure = new_figure(3.2 * len(names), 2.9)
    for name, axes in zip(names, figure.subplots(1, len(names), squeeze=False)[0], strict=True):
        for i, (label, evaluations) in enumerate(trainings.items()):
            axes.plot(
                [row["samples"] / 1e6 for row in evaluations],
                [row[name] for row in evaluations],
                color=SERIES[i % len(SERIES)],
                linestyle=DASHES[i % len(DASHES)],
                marker="." if len(evaluations) < 30 else None,
                label=label,
            )
        if levels and name in levels:
            axes.axhline(levels[name], color="0.4", linestyle="--", linewidth=0.9)
        axes.set(xscale="log", xlabel="samples seen [million]", ylabel=_NAMES.get(name, name))
        if name.endswith(_LOGARITHMIC):
            axes.set_yscale("log")
        plain(axes)
    if len(trainings) > 1:
        figure.axes[0].legend(frameon=False)
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


def curve(
    logs: Annotated[
        list[Path], typer.Argument(metavar="LOG...", help="WEIGHTS.training.jsonl of trainings.")
    ],
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="Picture to write; its ending is the format.")
    ],
    figure: Annotated[
        MaybeTexts, typer.Option(help="Only this figure of the log; may be repeated.")
    ] = None,
    level: Annotated[
        MaybeTexts,
        typer.Option(metavar="FIGURE=VALUE", help="Draw a dashed line there; may be repeated."),
    ] = None,
    title: Annotated[MaybeText, typer.Option(help="Headline.")] = None,
) -> None:
    """Plot the logs of trainings: figures over the number of samples seen."""
    from generative_ik_ros.cli.plot import check_plot_path
    from generative_ik_ros.learned.training.log import read_log

    check_plot_path(output)
    names = [log.name.partition(".")[0] for log in logs]
    if len(set(names)) < len(names):
        names = [str(log) for log in logs]
    picture = training_curves(
        {name: read_log(log) for name, log in zip(names, logs, strict=True)},
        figures=figure or (),
        levels=dict(_level(text) for text in level or ()),
        title=title,
    )
    picture.savefig(output, dpi=150)
    typer.echo(f"wrote {output}")


def _level(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise InvalidArgumentError(f"--level must be FIGURE=VALUE, not '{text}'") from None
