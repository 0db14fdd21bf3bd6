"""`generative-ik evaluate`: a command for each registered protocol, and `table` for files."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_benchmarks.cli.common import (
    PlotDir,
    check_folder,
    finish,
    over_chains,
    prepare,
    print_footer,
    robots_of,
    show,
)
from generative_ik_benchmarks.cli.lazy import LazyGroup
from generative_ik_benchmarks.protocols.registry import PROTOCOLS, load_protocol

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocol import Protocol


class _ProtocolGroup(LazyGroup):
    """A command for each registered protocol."""

    purposes = PROTOCOLS

    @staticmethod
    def make(name: str) -> Callable[..., None]:
        """Return the function of a protocol's command."""
        from generative_ik_benchmarks.cli.arguments import command_of

        protocol = load_protocol(name)
        return command_of(
            protocol.options,
            lambda **given: _run(name, protocol, **given),
            plot_dir=protocol.plot is not None,
        )


app = typer.Typer(
    cls=_ProtocolGroup, help="Measure the solver beside others; results are checked by pinocchio."
)


def _run(
    name: str,
    protocol: "Protocol[Any, Any]",
    *,
    robots_dir: Path | None,
    robot: list[str] | None,
    quick: bool,
    json_file: str | None,
    plot_dir: Path | None = None,
    **given: Any,  # noqa: ANN401 (the protocol's own options)
) -> None:
    """Measure chain after chain, print the tables, write the JSON."""
    from generative_ik_benchmarks.options import options_of

    prepare(json_file)
    options = options_of(protocol.options, given, quick=quick)
    if plot_dir is not None:
        check_folder(plot_dir)
    tables, refused = over_chains(
        robots_of(robots_dir, robot, protocol.robots),
        protocol.steps(options),
        lambda item, on_step: protocol.measure(item, options, on_step),
        lambda cases: protocol.items(cases, options),
    )
    if json_file != "-":
        show(protocol.listings(tables) if tables else (), tables, refused)
    if plot_dir is not None and tables:
        _plot(protocol, tables, plot_dir, to_stderr=json_file == "-")
    violations = sum(table.violations.total for table in tables)
    finish(json_file, {"protocol": name, "tables": tables, "refused": refused}, violations)


def _plot(
    protocol: "Protocol[Any, Any]", tables: Sequence[Any], folder: Path, *, to_stderr: bool = False
) -> None:
    files: Iterable[Path] = protocol.plot(tables, folder) if protocol.plot else ()
    for file in files:
        typer.echo(f"wrote {file}", err=to_stderr)


@app.command("table")
def table_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Written by a protocol's --json.")
    ],
    plot_dir: PlotDir = None,
) -> None:
    """Print the tables of protocols that were measured before, those of one protocol joined.

    By this version: what another one measured may lack figures, and is refused then.
    """
    from generative_ik_benchmarks.stored import read_reports

    reports = read_reports(files)
    if plot_dir is not None:
        check_folder(plot_dir)
    for report in reports:
        protocol = load_protocol(report.protocol)
        show(protocol.listings(report.tables), report.tables, report.refused)
        print_footer(report.machines, report.other_work, report.false_results)
        if plot_dir is not None:
            _plot(protocol, report.tables, plot_dir)
    raise typer.Exit(1 if any(report.false_results for report in reports) else 0)
