"""Chains come in, tables measured beside other solvers go out."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.options import MaybePath, MaybeText, MaybeTexts

if TYPE_CHECKING:
    from rich.progress import Progress

    from generative_ik_ros.evaluation.chains import ChainCase

app = typer.Typer(help="Measure the solver beside others; every result is checked by pinocchio.")

_RobotsDir = Annotated[
    MaybePath,
    typer.Option(
        metavar="DIR", help="Folder of URDF files with a SOURCES.md; else the known robots."
    ),
]
_Seed = Annotated[int, typer.Option("--random-seed", min=0, help="Of poses and solvers.")]
_Json = Annotated[
    MaybeText, typer.Option("--json", metavar="FILE", help="Write the figures too; - is stdout.")
]
_Sampler = Annotated[str, typer.Option(help="What proposes our seeds.")]


@app.command("reachability")
def reachability_command(
    robots_dir: _RobotsDir = None,
    robot: Annotated[MaybeTexts, typer.Option(help="Only this one; may be given again.")] = None,
    poses: Annotated[int, typer.Option(min=1, help="Random reachable poses a chain.")] = 1000,
    solutions: Annotated[int, typer.Option(min=1, help="Solutions wanted a pose.")] = 20,
    timeout: Annotated[
        float, typer.Option(min=1e-4, help="Our deadline a pose in seconds.")
    ] = 0.02,
    peer: Annotated[
        MaybeTexts, typer.Option(help="Run on the same poses; default trac-ik.")
    ] = None,
    sampler: _Sampler = "auto",
    random_seed: _Seed = 1,
    json_file: _Json = None,
) -> None:
    """Show what share of random reachable poses is solved, how fast, and that nothing is false."""
    from generative_ik_ros.cli.tables import print_reachability
    from generative_ik_ros.errors import UnknownNameError
    from generative_ik_ros.evaluation.baselines import peer_names
    from generative_ik_ros.evaluation.oracle import require_oracle
    from generative_ik_ros.evaluation.reachability import reachability

    require_oracle()
    peers = peer or ["trac-ik"]
    for name in peers:
        if name not in peer_names():
            raise UnknownNameError("peer", name, peer_names())
    _prepare_json(json_file)
    cases = _cases(robots_dir, robot or [])
    rows = []
    with _progress() as progress:
        task = progress.add_task("", total=len(cases) * poses)
        for i, case in enumerate(cases):
            progress.update(task, description=case.label, completed=i * poses)
            rows.append(
                reachability(
                    case,
                    poses=poses,
                    solutions=solutions,
                    timeout=timeout,
                    sampler=sampler,
                    peers=peers,
                    seed=random_seed,
                    on_pose=lambda: progress.advance(task),
                )
            )
    if json_file != "-":
        print_reachability(rows, poses, solutions, timeout)
        _print_absent((row.chain, row.absent) for row in rows)
    faults = sum(row.faults.total for row in rows)
    _finish(json_file, {"protocol": "reachability", "rows": rows}, faults)


@app.command("throughput")
def throughput_command(
    robots_dir: _RobotsDir = None,
    robot: Annotated[MaybeTexts, typer.Option(help="Default panda; may be given again.")] = None,
    blocks: Annotated[int, typer.Option(min=1, help="Turns of each contestant.")] = 20,
    poses: Annotated[int, typer.Option(min=1, help="Random reachable poses a block.")] = 10,
    solutions: Annotated[int, typer.Option(min=1, help="Solutions wanted a pose.")] = 100,
    sampler: _Sampler = "quasi_random",
    random_seed: _Seed = 1,
    json_file: _Json = None,
) -> None:
    """Show exact, distinct solutions a second, beside TRAC-IK on the same cores."""
    from generative_ik_ros.cli.tables import print_throughput
    from generative_ik_ros.evaluation.oracle import require_oracle
    from generative_ik_ros.evaluation.throughput import throughput

    require_oracle()
    _prepare_json(json_file)
    cases = _cases(robots_dir, robot or ["panda"])
    tables = []
    with _progress() as progress:
        task = progress.add_task("", total=len(cases) * blocks)
        for i, case in enumerate(cases):
            progress.update(task, description=case.label, completed=i * blocks)
            tables.append(
                throughput(
                    case,
                    blocks=blocks,
                    poses=poses,
                    solutions=solutions,
                    sampler=sampler,
                    seed=random_seed,
                    on_block=lambda: progress.advance(task),
                )
            )
    if json_file != "-":
        for table in tables:
            print_throughput(table, sampler)
        _print_absent((table.chain, table.absent) for table in tables)
    faults = sum(table.faults.total for table in tables)
    _finish(json_file, {"protocol": "throughput", "tables": tables}, faults)


def _cases(robots_dir: Path | None, robots: list[str]) -> "list[ChainCase]":
    from generative_ik_ros.evaluation.chains import known_cases, listed_cases

    return known_cases(robots) if robots_dir is None else listed_cases(robots_dir, robots)


def _progress() -> "Progress":
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


def _print_absent(absent: Iterable[tuple[str, dict[str, str]]]) -> None:
    """Name every peer that did not take part, with the reason."""
    for chain, reasons in absent:
        for who, why in reasons.items():
            typer.echo(f"{chain}: {who}: {why}")


def _prepare_json(json_file: str | None) -> None:
    """Refuse a file that cannot be written before minutes of measuring."""
    from generative_ik_ros.cli.console import check_writable

    if json_file not in (None, "-"):
        check_writable(Path(str(json_file)))


def _finish(json_file: str | None, report: dict[str, object], faults: int) -> None:
    """Write the JSON and end with 1 when anything of ours was false."""
    from generative_ik_ros.cli.console import write_json
    from generative_ik_ros.evaluation.machine import machine

    if json_file is not None:
        write_json(json_file, report | {"machine": machine(), "false_results": faults})
    if json_file != "-":
        verdict = "nothing false" if not faults else f"{faults} false results"
        typer.echo(f"checked by pinocchio: {verdict}")
    raise typer.Exit(1 if faults else 0)
