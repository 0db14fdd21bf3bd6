"""`generative-ik evaluate convergence`: options come in, the local solver's pace goes out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_benchmarks.cli.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Samplers,
    Seed,
    faults_text,
    finish,
    over_chains,
    prepare,
    print_absent,
    robots_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generative_ik_benchmarks.protocols.convergence import ConvergenceTable

_SAMPLERS = ("quasi_random", "capability_map")


def convergence_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[int, typer.Option(min=1, help="Random reachable poses.")] = 50,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds a pose.")] = 200,
    samplers: Samplers = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Show how many iterations seeds take to become exact, and how long one takes."""
    names = tuple(samplers or _SAMPLERS)
    prepare(json_file, names)
    from generative_ik_benchmarks.protocols.convergence import convergence

    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        len(names),
        lambda case, step: convergence(
            case,
            poses=min(poses, 5) if quick else poses,
            seeds=seeds,
            samplers=names,
            seed=random_seed,
            on_sampler=step,
        ),
    )
    if json_file != "-":
        show(tables, refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "convergence", "tables": tables, "refused": refused}, faults)


def show(tables: "Sequence[ConvergenceTable]", refused: dict[str, str]) -> None:
    """Print the table of all chains."""
    from generative_ik_benchmarks.protocols.convergence import AFTER
    from generative_ik_ros.cli.console import print_table

    if tables:
        rows = [row for table in tables for row in table.rows]
        print_table(
            "The local solver alone, on one core; seeds exact (1e-5 m, 1e-5 rad) after so many "
            "iterations. ns: of one iteration of one seed, median (quartiles). us: of all "
            "seeds by the number of exact ones.",
            (
                *("chain", "joints", "seeds of"),
                *(f"exact after {most}, %" if most == AFTER[0] else f"{most}" for most in AFTER),
                *("iterations a seed", "ns an iteration", "us an exact one", "false"),
            ),
            [
                (
                    row.chain,
                    f"{row.joints}",
                    row.sampler,
                    *(f"{100.0 * share:.1f}" for share in row.exact_after),
                    f"{row.iterations:.1f}",
                    f"{row.ns_an_iteration.median:.0f} ({row.ns_an_iteration.low:.0f} to "
                    f"{row.ns_an_iteration.high:.0f})",
                    f"{row.us_an_exact:.2f}",
                    faults_text(row.faults),
                )
                for row in rows
            ],
        )
    print_absent([], refused)
