"""`generative-ik evaluate peers`: options come in, every solver at hand beside ours goes out."""

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
    number,
    over_chains,
    percent,
    prepare,
    print_absent,
    print_references,
    reference_settings,
    robots_of,
    spread,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeTexts

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.peers import PeerTable


def peers_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Random reachable poses a chain; 100 or 5.")
    ] = None,
    solutions: Annotated[int, typer.Option(min=1, help="Solutions wanted a pose.")] = 100,
    timeout: Annotated[
        float, typer.Option(min=1e-4, help="Our deadline a pose in seconds.")
    ] = 0.05,
    peer: Annotated[MaybeTexts, typer.Option(help="Only this one; default all.")] = None,
    sampler: Sampler = "auto",
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Show every solver at hand on the same poses: solved, distinct solutions, time, coverage."""
    prepare(json_file, [sampler], peer or [])
    from generative_ik_benchmarks.protocols.peers import peer_table

    count = poses or (5 if quick else 100)
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        count,
        lambda case, step: peer_table(
            case,
            poses=count,
            solutions=solutions,
            timeout=timeout,
            sampler=sampler,
            peers=peer or [],
            reference=reference_settings(quick),
            seed=random_seed,
            on_pose=step,
        ),
    )
    if json_file != "-":
        show(tables, refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "peers", "tables": tables, "refused": refused}, faults)


def show(tables: "list[PeerTable]", refused: dict[str, str]) -> None:
    """Print the table, the reference sets, and who did not take part."""
    from generative_ik_ros.cli.console import print_table

    rows = []
    for table in tables:
        for row in table.rows:
            figures = row.figures
            rows.append(
                (
                    table.chain,
                    figures.solver,
                    str(figures.poses),
                    percent(figures.solved),
                    f"{row.distinct:.1f}",
                    f"{1e3 * figures.median:.3g} ({1e3 * figures.p99:.3g})",
                    number(row.microseconds),
                    percent(row.coverage),
                    spread(figures.ratio, digits=2),
                    f"{figures.position_tolerance:.2g}",
                    faults_text(figures.violations),
                )
            )
    wanted = ", ".join(str(count) for count in sorted({table.solutions for table in tables}))
    print_table(
        f"{wanted} solutions wanted a pose, in turns; solvers that take over 20 ms get fewer "
        "poses. solved: by each one's own tolerance. ms: median (99th percentile). us each: of a "
        "distinct solution. false: wrong pose/outside limits/twins.",
        (
            "chain",
            "solver",
            "poses",
            "solved %",
            "distinct",
            "ms",
            "us each",
            "coverage %",
            "times ours",
            "tolerance m",
            "false",
        ),
        rows,
    )
    print_references({table.chain: table.reference for table in tables})
    print_absent([(table.chain, table.absent) for table in tables], refused)
