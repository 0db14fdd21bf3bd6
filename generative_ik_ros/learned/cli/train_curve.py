"""The command `generative-ik train curve`."""

from pathlib import Path
from typing import Annotated

import typer

from generative_ik_ros.cli.options import MaybeText, MaybeTexts
from generative_ik_ros.errors import InvalidArgumentError


def curve(
    logs: Annotated[
        list[Path], typer.Argument(metavar="LOG...", help="WEIGHTS.training.jsonl of trainings.")
    ],
    output: Annotated[Path, typer.Option(metavar="FILE", help="Picture; its ending says what.")],
    figure: Annotated[
        MaybeTexts, typer.Option(help="Only this figure of the log, may be given again.")
    ] = None,
    level: Annotated[
        MaybeTexts,
        typer.Option(metavar="FIGURE=VALUE", help="Draw a broken line there, again for more."),
    ] = None,
    title: Annotated[MaybeText, typer.Option(help="Headline.")] = None,
) -> None:
    """Draw what trainings reached over the samples seen, from the logs that they wrote."""
    from generative_ik_ros.cli.plot import check_plot_path
    from generative_ik_ros.learned.cli.curves import training_curves
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
