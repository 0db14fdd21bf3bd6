"""`generative-ik reproduce ikflow`: IKFlow's table II and figure 4."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from generative_ik_benchmarks.cli.arguments import paper_command
from generative_ik_benchmarks.cli.common import finish, over_chains, show

if TYPE_CHECKING:
    from generative_ik_benchmarks.chains import ChainCase
    from generative_ik_benchmarks.reproduce.ikflow import IKFlowReport, Options


def command() -> Callable[..., None]:
    """Return the function of the command."""
    from generative_ik_benchmarks.reproduce.ikflow import Options

    return paper_command(Options, "ikflow", _run)


def _run(options: "Options", cases: "list[ChainCase]", json_file: str | None) -> None:
    """Measure chain after chain, print the tables, draw, and write the JSON."""
    from generative_ik_benchmarks.reproduce.ikflow import (
        flow_class,
        reproduce_ikflow,
        steps,
        with_weights,
    )
    from generative_ik_benchmarks.reproduce.ikflow_tables import listings

    flow_class(options.sampler)
    reports, refused = over_chains(
        cases,
        steps(options),
        lambda case, on_step: reproduce_ikflow(case, options, on_step),
        lambda several: with_weights(several, options.sampler),
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
