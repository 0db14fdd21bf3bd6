"""`generative-ik evaluate throughput`: options come in, solutions a second go out."""

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
    over_chains,
    prepare,
    print_absent,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.throughput import Throughput


def throughput_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    blocks: Annotated[
        MaybeCount, typer.Option(min=1, help="Turns of each contestant; 20 or 2.")
    ] = None,
    poses: Annotated[int, typer.Option(min=1, help="Random reachable poses a block.")] = 10,
    solutions: Annotated[int, typer.Option(min=1, help="Solutions wanted a pose.")] = 100,
    sampler: Sampler = "quasi_random",
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Show exact, distinct solutions a second, beside TRAC-IK on the same cores."""
    prepare(json_file, [sampler])
    from generative_ik_benchmarks.protocols.throughput import throughput

    count = blocks or (2 if quick else 20)
    tables, refused = over_chains(
        robots_of(robots_dir, robot or ["panda"]),
        count,
        lambda case, step: throughput(
            case,
            blocks=count,
            poses=poses,
            solutions=solutions,
            sampler=sampler,
            seed=random_seed,
            on_block=step,
        ),
    )
    if json_file != "-":
        for table in tables:
            _print(table, sampler)
        print_absent([(table.chain, table.absent) for table in tables], refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "throughput", "tables": tables, "refused": refused}, faults)


def _print(table: "Throughput", sampler: str) -> None:
    from generative_ik_ros.cli.console import print_table

    rows = []
    for rate in table.rates:
        ratio, exact = rate.ratio, rate.exact_ratio
        rows.append(
            (
                rate.contestant,
                f"{rate.per_second:,.0f}",
                f"{1e6 / max(rate.per_second, 1e-9):.2f}",
                f"{rate.solutions:.1f}",
                f"{ratio.median:.1f} ({ratio.low:.1f} to {ratio.high:.1f})" if ratio else "-",
                f"{rate.exact_per_second:,.0f}",
                f"{exact.median:.1f} ({exact.low:.1f} to {exact.high:.1f})" if exact else "-",
                faults_text(rate.faults),
            )
        )
    print_table(
        f"{table.chain}: {table.solutions} solutions wanted a pose, our seeds {sampler}. Medians "
        f"(quartiles) of {table.blocks} blocks of {table.poses} poses, in turns. "
        f"distinct: {table.distinct_distance:g} apart in some joint, whole turns aside.",
        (
            "contestant",
            "distinct/s",
            "us each",
            "a pose",
            "times TRAC-IK",
            "exact/s",
            "times TRAC-IK",
            "false",
        ),
        rows,
    )
