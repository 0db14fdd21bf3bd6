"""`generative-ik evaluate batches`: options come in, a row a batch size goes out."""

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
    robots_of,
    spread,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeCounts

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.batches import BatchTable


def batches_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    size: Annotated[
        MaybeCounts,
        typer.Option(min=1, help="Poses a batch, may be given again; 1, 10, 100, 1000, 2000."),
    ] = None,
    rounds: Annotated[
        MaybeCount, typer.Option(min=1, help="Batches of a size; small sizes get more; 5 or 2.")
    ] = None,
    sampler: Sampler = "auto",
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Protocol B, batches of poses: success, time a batch, 90th percentile of the errors."""
    prepare(json_file, [sampler])
    from generative_ik_benchmarks.protocols.batches import SIZES, batches, rounds_of

    sizes = sorted(set(size or ((1, 10) if quick else SIZES)))
    count = rounds or (2 if quick else 5)
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        sum(rounds_of(one, count) for one in sizes),
        lambda case, step: batches(
            case, sizes=sizes, rounds=count, sampler=sampler, seed=random_seed, on_round=step
        ),
    )
    if json_file != "-":
        show(tables, refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "batches", "tables": tables, "refused": refused}, faults)


def show(tables: "list[BatchTable]", refused: dict[str, str]) -> None:
    """Print the table, what others published, and who did not take part."""
    from generative_ik_benchmarks.published import BATCH_TIMES
    from generative_ik_ros.cli.console import print_table

    rows = []
    for table in tables:
        for row in table.rows:
            rows.append(
                (
                    table.chain,
                    row.contestant,
                    str(row.size),
                    percent(row.solved),
                    spread(row.seconds, 1e3),
                    number(1e6 * row.seconds.median / row.size),
                    spread(row.ratio, digits=2),
                    f"{1e6 * row.position_p90:.2g}",
                    f"{1e6 * row.orientation_p90:.2g}",
                    faults_text(row.faults),
                )
            )
    print_table(
        "One solution a pose; medians (quartiles) over batches, the same poses for all, in turns. "
        "p90: of the error, for unsolved poses of the closest configuration.",
        (
            "chain",
            "contestant",
            "poses",
            "solved %",
            "ms a batch",
            "us a pose",
            "times ours",
            "p90 um",
            "p90 urad",
            "false",
        ),
        rows,
    )
    published = "; ".join(
        f"{one.poses}: {one.curobo_ms:g} and {one.pyroki_ms:g} ms" for one in BATCH_TIMES
    )
    print(f"published, Franka arm, RTX 4090, cuRobo and PyRoki, looser tolerances: {published}")
    print_absent([(table.chain, table.absent) for table in tables], refused)
