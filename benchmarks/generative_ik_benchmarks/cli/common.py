"""What all protocols share on the command line: options, chains, progress, JSON, exit code."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from generative_ik_ros.cli.options import MaybePath, MaybeText, MaybeTexts

if TYPE_CHECKING:
    from rich.progress import Progress

    from generative_ik_benchmarks.chains import ChainCase
    from generative_ik_benchmarks.machine import OtherWork
    from generative_ik_benchmarks.protocols.references import Reference
    from generative_ik_benchmarks.quartiles import Quartiles
    from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
    from generative_ik_benchmarks.verification import Violations

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
        help="Only this one, may be given again; of a folder also FILE:BASE:TIP, or all."
    ),
]
Seed = Annotated[int, typer.Option("--random-seed", min=0, help="Of poses and solvers.")]
Json = Annotated[
    MaybeText, typer.Option("--json", metavar="FILE", help="Write the figures too; - is stdout.")
]
Sampler = Annotated[str, typer.Option(help="What proposes our seeds.")]
Samplers = Annotated[
    MaybeTexts, typer.Option("--sampler", help="Only this one, may be given again; default all.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Sizes for a first look, not for a table.")]


def robots_of(robots_dir: Path | None, robots: Sequence[str] | None) -> "list[ChainCase]":
    """Return the chains that the options mean; of a folder the standard ones unless told."""
    from generative_ik_benchmarks.chains import known_cases, listed_cases, standard_cases

    wanted = list(robots or [])
    if robots_dir is None:
        return known_cases([] if wanted == ["all"] else wanted)
    if not wanted:
        return standard_cases(robots_dir)
    return listed_cases(robots_dir, [] if wanted == ["all"] else wanted)


def prepare(
    json_file: str | None, samplers: Sequence[str] = (), peers: Sequence[str] = ()
) -> None:
    """Refuse what would only fail after minutes of measuring.

    Raises:
        MissingDependencyError: pinocchio is not installed.
        UnknownNameError: There is no such sampler or peer.
        InvalidArgumentError: The JSON file cannot be written.
    """
    from generative_ik_benchmarks.machine import OtherWork
    from generative_ik_benchmarks.oracle import require_oracle
    from generative_ik_benchmarks.peers.registry import check_peers
    from generative_ik_benchmarks.seeding import check_samplers
    from generative_ik_ros.cli.console import check_writable

    global _other_work
    require_oracle()
    check_samplers([name for name in samplers if name != "auto"])
    check_peers(peers)
    if json_file not in (None, "-"):
        check_writable(Path(str(json_file)))
    _other_work = OtherWork()


def over_chains(
    cases: "Sequence[ChainCase]",
    steps: int,
    measure: "Callable[[ChainCase, Callable[[], None]], Table]",
) -> tuple[list[Table], dict[str, str]]:
    """Measure chain after chain behind a progress bar.

    Args:
        cases: The chains.
        steps: How often `measure` reports progress on one.
        measure: Measures one chain; gets what it has to call after each step.

    Returns:
        The tables, and why chains were refused.
    """
    from generative_ik_ros.errors import GenerativeIKError

    tables, refused = [], {}
    with progress() as bar:
        task = bar.add_task("", total=len(cases) * steps)
        for i, case in enumerate(cases):
            bar.update(task, description=case.label, completed=i * steps)
            try:
                _ = case.chain
            except GenerativeIKError as error:
                refused[case.label] = str(error)
                continue
            tables.append(measure(case, lambda: bar.advance(task)))
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


def print_absent(absent: Iterable[tuple[str, dict[str, str]]], refused: dict[str, str]) -> None:
    """Name every peer, sampler or chain that did not take part, with the reason in short."""
    lines = [
        f"- {chain}: {who}: {why.partition(': ')[0]}"
        for chain, reasons in absent
        for who, why in reasons.items()
    ]
    if lines:
        typer.echo("Absent:\n\n" + "\n".join(lines) + "\n")
    for chain, why in refused.items():
        typer.echo(f"{chain}: refused: {why}")


def finish(json_file: str | None, report: dict[str, object], faults: int) -> None:
    """Write the JSON, say what was checked where, and end with 1 when anything was false."""
    from generative_ik_benchmarks.machine import machine
    from generative_ik_ros.cli.console import write_json

    here, others = machine(), _other_work.share() if _other_work else float("nan")
    if json_file is not None:
        facts = {"machine": here, "other_work": others, "false_results": faults}
        write_json(json_file, report | facts)
    if json_file != "-":
        print_footer([here], [others], faults)
    raise typer.Exit(1 if faults else 0)


def print_footer(
    machines: "Sequence[Mapping[str, object]]", others: Sequence[float], faults: int
) -> None:
    """Say what pinocchio found, on what machine and when it was measured, and how undisturbed."""
    from generative_ik_benchmarks.machine import machine_line

    verdict = "nothing false" if not faults else f"{faults} false results"
    typer.echo(f"checked by pinocchio: {verdict}")
    for line in dict.fromkeys(machine_line(one) for one in machines):
        typer.echo(f"{line}. Warm-up, loading and compiling are not in the times.")
    known = sorted(share for share in others if share == share)
    if known:
        middle = known[len(known) // 2]
        typer.echo(
            f"Meanwhile other work took {percent(middle)} % of the cores"
            + (f" (at most {percent(known[-1])} %)." if len(known) > 1 else ".")
        )


def reference_settings(quick: bool) -> "ExhaustiveSettings | None":
    """Return how hard all solutions are looked for; None: as hard as the chain needs."""
    from generative_ik_benchmarks.protocols.references import QUICK

    return QUICK if quick else None


def print_references(references: "Mapping[str, Reference]") -> None:
    """Print how far the reference set of each chain can be trusted, and what coverage means."""
    from generative_ik_ros.cli.console import print_table

    print_table(
        "What coverage is measured against: configurations a pose, their spacing, what the last "
        "doubling of the effort added, and how near a solution has to be. A sample has no "
        "spacing: there it is the share of solutions with no known one within 60 % of near.",
        ("chain", "a pose", "rad apart", "added %", "near: rad"),
        [
            (
                chain,
                f"{one.size:.0f}",
                "sample" if one.sampled else f"{one.distance:g}",
                f"{100 * one.growth:.2f}",
                f"{one.near:.2g}",
            )
            for chain, one in references.items()
        ],
    )


def percent(share: float) -> str:
    """Return a share as a percentage; a dash for NaN."""
    return "-" if share != share else f"{100 * share:.1f}"


def number(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits; a dash for NaN and infinity."""
    if value != value or abs(value) == float("inf"):
        return "-"
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:,.0f}"


def spread(values: "Quartiles | None", scale: float = 1.0, digits: int = 3) -> str:
    """Return a median with the quartiles in brackets; a dash for None."""
    if values is None:
        return "-"
    low, middle, high = (
        number(scale * part, digits) for part in (values.low, values.median, values.high)
    )
    return f"{middle} ({low} to {high})"


def faults_text(faults: "Violations") -> str:
    """Return wrong/outside/twins."""
    return f"{faults.wrong}/{faults.outside}/{faults.duplicates}"
