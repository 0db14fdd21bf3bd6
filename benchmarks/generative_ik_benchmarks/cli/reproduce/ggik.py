"""`generative-ik reproduce ggik`: the tables and figures of GGIK's papers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from generative_ik_benchmarks.cli.arguments import command_of
from generative_ik_benchmarks.cli.common import finish, prepare, progress, robots_of, show
from generative_ik_benchmarks.options import options_of
from generative_ik_ros.cli.plot import check_plot_path


def command() -> Callable[..., None]:
    """Return the function of the command."""
    from generative_ik_benchmarks.reproduce.ggik import Options

    return command_of(Options, _run)


def _run(
    *,
    robots_dir: Path | None,
    robot: Sequence[str] | None,
    quick: bool,
    json_file: str | None,
    **given: Any,  # noqa: ANN401 (the dataclass's options)
) -> None:
    """Measure, print the tables, draw, and write the JSON."""
    from generative_ik_benchmarks.reproduce.ggik import Options, reproduce_ggik
    from generative_ik_benchmarks.reproduce.ggik_models import models_at_hand
    from generative_ik_benchmarks.reproduce.ggik_published import ROBOTS
    from generative_ik_benchmarks.reproduce.ggik_tables import listings

    prepare(json_file, ["ggik"])
    options = options_of(Options, given, quick=quick)
    if options.plot is not None:
        check_plot_path(options.plot)
    cases, models = robots_of(robots_dir, robot, ROBOTS), models_at_hand(options.weights)
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
