"""`generative-ik evaluate reachability`: options come in, a row a chain goes out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_benchmarks.cli.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Sampler,
    Seed,
    faults_text,
    finish,
    prepare,
    print_absent,
    progress,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeTexts

if TYPE_CHECKING:
    from generative_ik_benchmarks.interleaved import SolverFigures
    from generative_ik_benchmarks.protocols.reachability import ReachabilityRow


def reachability_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Random reachable poses a chain; 1000 or 20.")
    ] = None,
    solutions: Annotated[int, typer.Option(min=1, help="Solutions wanted a pose.")] = 20,
    timeout: Annotated[
        float, typer.Option(min=1e-4, help="Our deadline a pose in seconds.")
    ] = 0.02,
    peer: Annotated[
        MaybeTexts, typer.Option(help="Run on the same poses; default trac-ik.")
    ] = None,
    sampler: Sampler = "auto",
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Show what share of random reachable poses is solved, how fast, and that nothing is false."""
    peers = peer or ["trac-ik"]
    prepare(json_file, [sampler], peers)
    from generative_ik_benchmarks.protocols.reachability import reachability

    count = poses or (20 if quick else 1000)
    # This one is about every chain there is, so a folder is taken whole.
    cases = robots_of(robots_dir, robot or ["all"])
    rows = []
    with progress() as bar:
        task = bar.add_task("", total=len(cases) * count)
        for i, case in enumerate(cases):
            bar.update(task, description=case.label, completed=i * count)
            rows.append(
                reachability(
                    case,
                    poses=count,
                    solutions=solutions,
                    timeout=timeout,
                    sampler=sampler,
                    peers=peers,
                    seed=random_seed,
                    on_pose=lambda: bar.advance(task),
                )
            )
    if json_file != "-":
        _print(rows, count, solutions, timeout)
        print_absent([(row.chain, row.absent) for row in rows], {})
    faults = sum(row.faults.total for row in rows)
    finish(json_file, {"protocol": "reachability", "rows": rows}, faults)


def _print(rows: "list[ReachabilityRow]", poses: int, solutions: int, timeout: float) -> None:
    from generative_ik_ros.cli.console import print_table

    peers = list(dict.fromkeys(f.solver for row in rows for f in row.peers))
    heads = ["chain", "DOF", f"ours, {solutions}: solved %", "solutions", "ms", "false"]
    for who in ("ours, 1", *peers):
        heads += [f"{who}: solved %", "ms", "false"]
    print_table(
        f"{poses} random reachable poses a chain, 1e-5 m and 1e-5 rad; ours within "
        f"{1e3 * timeout:g} ms, TRAC-IK within 5 ms. ms: median (99th percentile) of a call. "
        "false: wrong pose/outside limits/twins.",
        heads,
        [_row(row, ("ours, 1", *peers)) for row in rows],
    )


def _row(row: "ReachabilityRow", others: tuple[str, ...]) -> list[str]:
    cells = [row.chain, str(row.dof or "-")]
    if row.ours:
        solved, *rest = _cells(row.ours[0])
        cells += [solved, f"{row.ours[0].solutions:.1f}", *rest]
    else:
        cells += ["-"] * 4
    by_name = {figures.solver: figures for figures in (*row.ours[1:], *row.peers)}
    for who in others:
        cells += _cells(by_name[who]) if who in by_name else ["-"] * 3
    return cells


def _cells(figures: "SolverFigures") -> list[str]:
    times = f"{1e3 * figures.median:.2f} ({1e3 * figures.p99:.2f})"
    return [f"{100 * figures.solved:.1f}", times, faults_text(figures.violations)]
