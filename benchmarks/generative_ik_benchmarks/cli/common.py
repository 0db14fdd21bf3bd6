"""What the commands share: common options, progress, tables, JSON, the exit code."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from generative_ik_ros.cli.options import MaybePath, MaybeText, MaybeTexts

if TYPE_CHECKING:
    from rich.progress import Progress

    from generative_ik_benchmarks.chains import ChainCase
    from generative_ik_benchmarks.machine import OtherWork
    from generative_ik_benchmarks.protocol import Listing
    from generative_ik_benchmarks.protocols.references import Reference

Table = TypeVar("Table")
_other_work: "OtherWork | None" = None

RobotsDir = Annotated[
    MaybePath,
    typer.Option(
        metavar="DIR", help="Folder of URDF files with a SOURCES.md; else the known robots."
    ),
]
Robot = Annotated[
    MaybeTexts,
    typer.Option(
        help="Only this one, may be given again, or all; of a folder also FILE:BASE:TIP."
    ),
]
Json = Annotated[
    MaybeText, typer.Option("--json", metavar="FILE", help="Write the figures too; - is stdout.")
]
PlotDir = Annotated[MaybePath, typer.Option(metavar="DIR", help="Draw pictures there.")]
Quick = Annotated[bool, typer.Option("--quick", help="Sizes for a first look, not for a table.")]


def robots_of(
    robots_dir: Path | None, robots: Sequence[str] | None, default: Sequence[str]
) -> "list[ChainCase]":
    """Return the chains that the options mean, see `chosen_cases`."""
    from generative_ik_benchmarks.chains import chosen_cases
    from generative_ik_benchmarks.robots import example_robots_folder

    if robots_dir is None and not robots and example_robots_folder() is None:
        typer.echo(
            "Only the robots that ship with the package, for more: pip install example-robot-data",
            err=True,
        )
    return chosen_cases(robots_dir, robots or (), default)


def prepare(json_file: str | None, samplers: Sequence[str] = ()) -> None:
    """Refuse what would only fail after minutes of measuring.

    Raises:
        MissingDependencyError: pinocchio is not installed.
        UnknownNameError: There is no such sampler.
        InvalidArgumentError: The JSON file cannot be written.
    """
    from generative_ik_benchmarks.machine import OtherWork
    from generative_ik_benchmarks.oracle import require_oracle
    from generative_ik_benchmarks.seeding import check_samplers
    from generative_ik_ros.cli.console import check_writable

    global _other_work
    require_oracle()
    check_samplers(samplers)
    if json_file not in (None, "-"):
        check_writable(Path(str(json_file)))
    _other_work = OtherWork()


def over_chains(
    cases: "Sequence[ChainCase]",
    steps: int,
    measure: "Callable[[Any, Callable[[], None]], Table]",
    items: "Callable[[Sequence[ChainCase]], Sequence[Any]]",
) -> tuple[list[Table], dict[str, str]]:
    """Measure chain after chain behind a progress bar.

    Args:
        cases: The chains.
        steps: How often `measure` reports progress on one.
        measure: Measures one chain; gets what it has to call after each step.
        items: What is measured one after the other.

    Returns:
        The tables, and why chains were refused.
    """
    from generative_ik_ros.errors import GenerativeIKError

    refused, readable = {}, []
    for case in cases:
        try:
            _ = case.chain
            readable.append(case)
        except GenerativeIKError as error:
            refused[case.label] = str(error)
    tables, work = [], items(readable)
    with progress() as bar:
        task = bar.add_task("", total=len(work) * steps)
        for i, item in enumerate(work):
            bar.update(task, description=item.label, completed=i * steps)
            tables.append(measure(item, lambda: bar.advance(task)))
    return tables, refused


def progress() -> "Progress":
    """Return a progress bar on stderr that leaves nothing behind."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from generative_ik_ros.cli.console import console

    out = console(stderr=True)
    return Progress(
        BarColumn(20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=out,
        transient=True,
        disable=not out.is_terminal,
    )


def print_absent(absent: Iterable[tuple[str, dict[str, str]]], refused: Mapping[str, str]) -> None:
    """Name every peer, sampler or chain that did not take part, with the reason in short.

    Chains that one is absent from for the same reason share a line.
    """
    chains: dict[str, list[str]] = {}
    for chain, reasons in absent:
        for who, why in reasons.items():
            short = why.partition(": ")[0].partition(" for the chain from ")[0]
            chains.setdefault(f"{who}: {short}", []).append(chain)
    lines = [f"- {', '.join(some)}: {reason}" for reason, some in chains.items()]
    if lines:
        typer.echo("Absent:\n\n" + "\n".join(lines) + "\n")
    for chain, why in refused.items():
        typer.echo(f"{chain}: refused: {why}")


def finish(json_file: str | None, report: dict[str, object], violations: int) -> None:
    """Write the JSON, say what was checked where, and end with 1 when anything was false."""
    from generative_ik_benchmarks.machine import machine

    here, others = machine(), _other_work.share() if _other_work else float("nan")
    if json_file is not None:
        facts = {"machine": here, "other_work": others, "false_results": violations}
        _write_json(json_file, report | facts)
    if json_file != "-":
        print_footer([here], [others], violations)
    raise typer.Exit(1 if violations else 0)


def _write_json(path: str, value: object) -> None:
    from generative_ik_ros.cli.console import json_text
    from generative_ik_ros.errors import InvalidArgumentError

    text = json_text(value) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{path}': {error.strerror}") from error


def print_footer(
    machines: "Sequence[Mapping[str, object]]", others: Sequence[float], violations: int
) -> None:
    """Say what pinocchio found, on what machine and when it was measured, and how undisturbed."""
    from generative_ik_benchmarks.machine import machine_line

    verdict = "nothing false" if not violations else f"{violations} false results"
    typer.echo(f"checked by pinocchio: {verdict}")
    for line in dict.fromkeys(machine_line(one) for one in machines):
        typer.echo(f"{line}. Warm-up, loading and compiling are not in the times.")
    known = sorted(share for share in others if share == share)
    if known:
        middle = known[len(known) // 2]
        typer.echo(
            f"Meanwhile other work took {100 * middle:.1f} % of the cores"
            + (f" (at most {100 * known[-1]:.1f} %)." if len(known) > 1 else ".")
        )


def show(
    parts: "Iterable[Listing | str]",
    tables: Sequence[Any] = (),
    refused: Mapping[str, str] | None = None,
) -> None:
    """Print tables, the reference sets behind them, and who is absent.

    Args:
        parts: The tables to print; text goes between them.
        tables: Figures of chains, some of which have `reference` or `absent`.
        refused: Why chains were refused.
    """
    for part in parts:
        typer.echo(part) if isinstance(part, str) else print_listing(part)
    references = {one.chain: one.reference for one in tables if hasattr(one, "reference")}
    if references:
        print_references(references)
    print_absent(
        [(one.chain, one.absent) for one in tables if hasattr(one, "absent")], refused or {}
    )


def print_listing(listing: "Listing") -> None:
    """Print a table; as Markdown to paste where stdout is not a terminal.

    A head continues on a second line after ": ".
    """
    from rich.box import MARKDOWN, SIMPLE
    from rich.markup import escape
    from rich.measure import Measurement
    from rich.table import Table

    from generative_ik_ros.cli.console import console

    out = console()
    pretty = out.is_terminal
    table = Table(box=SIMPLE if pretty else MARKDOWN)
    for i, head in enumerate(listing.heads):
        table.add_column(
            head.replace(": ", "\n") if pretty else head,
            justify="right" if i else "left",
            no_wrap=i > 0 or not pretty,
            max_width=32 if pretty and not i else None,
            overflow="fold",
        )
    for row in listing.cells:
        table.add_row(*(escape(cell) for cell in row))
    needed = Measurement.get(out, out.options.update(max_width=10_000), table).maximum
    out.width = max(out.width, needed)
    print(listing.heading)
    if pretty:
        out.print(table)
        return
    with out.capture() as text:
        out.print(table)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))


def print_references(references: "Mapping[str, Reference]") -> None:
    """Print how far the reference set of each chain can be trusted, and what coverage means."""
    from generative_ik_benchmarks.protocol import Listing

    columns = (
        ("chain", lambda chain, _: chain),
        ("a pose", lambda _, one: f"{one.size:.0f}"),
        ("rad apart", lambda _, one: "sample" if one.sampled else f"{one.distance:g}"),
        ("added %", lambda _, one: f"{100 * one.growth:.2f}"),
        ("near: rad", lambda _, one: f"{one.near:.2g}"),
    )
    heading = (
        "What coverage is measured against: configurations a pose, their spacing, what the last "
        "doubling of the effort added, and how near a solution has to be. A sample has no "
        "spacing: there it is the share of solutions with no known one within 60 % of near."
    )
    print_listing(Listing(heading, columns, list(references.items())))


def check_folder(folder: Path) -> None:
    """Make a folder before any work goes into it.

    Raises:
        InvalidArgumentError: It cannot be made.
    """
    from generative_ik_ros.errors import InvalidArgumentError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgumentError(f"--plot-dir {folder}: {error.strerror}") from error
