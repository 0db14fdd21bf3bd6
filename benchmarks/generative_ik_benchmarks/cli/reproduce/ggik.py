"""`generative-ik reproduce ggik`: the tables and figures of GGIK's papers."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from generative_ik_benchmarks.cli.arguments import paper_command
from generative_ik_benchmarks.cli.common import finish, progress, show

if TYPE_CHECKING:
    from generative_ik_benchmarks.chains import ChainCase
    from generative_ik_benchmarks.reproduce.ggik import Options


def command() -> Callable[..., None]:
    """Return the function of the command."""
    from generative_ik_benchmarks.reproduce.ggik import Options
    from generative_ik_benchmarks.reproduce.ggik_published import ROBOTS

    return paper_command(Options, "ggik", _run, ROBOTS)


def _run(options: "Options", cases: "list[ChainCase]", json_file: str | None) -> None:
    """Measure, print the tables, draw, and write the JSON."""
    from generative_ik_benchmarks.reproduce.ggik import reproduce_ggik
    from generative_ik_benchmarks.reproduce.ggik_models import models_at_hand
    from generative_ik_benchmarks.reproduce.ggik_tables import listings

    models = models_at_hand(options.weights)
    with progress() as bar:
        task = bar.add_task("GGIK", total=None)
        report = reproduce_ggik(
            cases,
            models,
            options,
            lambda what, done, total: bar.update(
                task, description=what, completed=done, total=total
            ),
        )
    if json_file != "-":
        show(listings(report))
        for solver, why in report.absent.items():
            typer.echo(f"absent: {solver}: {why}")
    if options.plot is not None:
        from generative_ik_benchmarks.plots.ggik import figures_4_to_8

        figures_4_to_8(report).savefig(options.plot, dpi=110)
        typer.echo(f"wrote {options.plot}", err=json_file == "-")
    finish(json_file, {"paper": "GGIK", **vars(report)}, 0)
