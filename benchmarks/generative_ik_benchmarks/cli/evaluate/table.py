"""`generative-ik evaluate table`: JSON files of protocols come in, their joined tables go out."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer


def table_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Written by a protocol's --json.")
    ],
    plot_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw what seed-value, scale and seeds show there."),
    ] = None,
) -> None:
    """Print the tables of protocols that were measured before, those of one protocol joined."""
    from generative_ik_benchmarks.cli.common import print_footer
    from generative_ik_benchmarks.cli.evaluate import scale, seeds
    from generative_ik_benchmarks.cli.evaluate.seed_plot import check_folder, plot
    from generative_ik_benchmarks.stored import read_reports

    reports = read_reports(files)
    if plot_dir is not None:
        check_folder(plot_dir)
    for report in reports:
        module = report.protocol.replace("-", "_")
        import_module(f"generative_ik_benchmarks.cli.evaluate.{module}").show(
            report.tables, report.refused
        )
        print_footer(report.machines, report.other_work, report.false_results)
        if plot_dir is not None and report.protocol == "seed-value":
            for table in report.tables:
                typer.echo(f"wrote {plot(table, plot_dir)}")
        if plot_dir is not None and report.protocol == "scale":
            for path in scale.plot(report.tables, plot_dir):
                typer.echo(f"wrote {path}")
        if plot_dir is not None and report.protocol == "seeds":
            typer.echo(f"wrote {seeds.plot(report.tables, plot_dir)}")
    raise typer.Exit(1 if any(report.false_results for report in reports) else 0)
