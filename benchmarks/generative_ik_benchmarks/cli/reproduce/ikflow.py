"""`generative-ik reproduce ikflow`: IKFlow's table II and figure 4."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from generative_ik_benchmarks.cli.arguments import command_of
from generative_ik_benchmarks.cli.common import finish, over_chains, prepare, robots_of, show
from generative_ik_benchmarks.options import options_of
from generative_ik_ros.cli.plot import check_plot_path

if TYPE_CHECKING:
    from generative_ik_benchmarks.reproduce.ikflow import IKFlowReport


def command() -> Callable[..., None]:
    """Return the function of the command."""
    from generative_ik_benchmarks.reproduce.ikflow import Options

    return command_of(Options, _run)


def _run(
    *,
    robots_dir: Path | None,
    robot: Sequence[str] | None,
    quick: bool,
    json_file: str | None,
    **given: Any,  # noqa: ANN401 (the dataclass's options)
) -> None:
    """Measure chain after chain, print the tables, draw, and write the JSON."""
    from generative_ik_benchmarks.reproduce.ikflow import (
        Options,
        reproduce_ikflow,
        steps,
        with_weights,
    )
    from generative_ik_benchmarks.reproduce.ikflow_tables import listings

    prepare(json_file, ["ikflow"])
    options = options_of(Options, given, quick=quick)
    if options.plot is not None:
        check_plot_path(options.plot)
    reports, refused = over_chains(
        robots_of(robots_dir, robot),
        steps(options),
        lambda case, on_step: reproduce_ikflow(case, options, on_step),
        with_weights,
    )
    if json_file != "-":
        show(listings(reports), reports, refused)
    if options.plot is not None:
        _draw(reports, options.plot)
        typer.echo(f"wrote {options.plot}", err=json_file == "-")
    facts = {"paper": "IKFlow", "reports": reports, "refused": refused}
    finish(json_file, facts, sum(one.violations.total for one in reports))


def _draw(reports: "Sequence[IKFlowReport]", file: Path) -> None:
    from generative_ik_benchmarks.plots.ikflow import figure_4

    figure_4(reports).savefig(file, dpi=120)
