"""`generative-ik evaluate leave-one-out`: options come in, worth on unseen robots goes out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_benchmarks.cli.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Samplers,
    Seed,
    finish,
    number,
    over_chains,
    percent,
    prepare,
    print_absent,
    reference_settings,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.leave_one_out import ZeroShotTable

_MM, _DEG = 1e3, 57.29577951308232


def leave_one_out_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Random reachable poses a chain; 100 or 4.")
    ] = None,
    samples: Annotated[int, typer.Option(min=2, help="Samples a pose; GGIK's 32.")] = 32,
    sampler: Samplers = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Protocol E, zero-shot: every sampler on the robots that it was not trained for."""
    prepare(json_file, sampler or [])
    from generative_ik_benchmarks.protocols.leave_one_out import leave_one_out
    from generative_ik_benchmarks.seeding import count_samplers

    count = poses or (4 if quick else 100)
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        count + count_samplers(sampler or []),
        lambda case, step: leave_one_out(
            case,
            poses=count,
            samples=samples,
            samplers=sampler or [],
            reference=reference_settings(quick),
            seed=random_seed,
            on_step=step,
        ),
    )
    if json_file != "-":
        show(tables, refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "leave-one-out", "tables": tables, "refused": refused}, faults)


def show(tables: "list[ZeroShotTable]", refused: dict[str, str]) -> None:
    """Print the table and who did not take part."""
    from generative_ik_ros.cli.console import print_table

    rows = []
    for table in tables:
        for row in table.rows:
            raw, refined = row.raw, row.refined
            rows.append(
                (
                    table.chain,
                    row.sampler,
                    *(number(_MM * p) for p in (raw.position.mean, raw.position.mean_min)),
                    *(number(_DEG * p) for p in (raw.orientation.mean, raw.orientation.mean_min)),
                    percent(raw.successes[0].problems),
                    percent(refined.converged),
                    f"{refined.iterations:.1f}",
                    f"{refined.distinct:.1f}",
                    percent(refined.coverage),
                )
            )
    settings = {(table.poses, table.samples) for table in tables}
    sizes = ", ".join(f"{samples} samples of {poses} poses" for poses, samples in settings)
    print_table(
        f"Samplers on chains that they were not trained for: {sizes}. min: of each pose, on "
        "average. success: the best is within 1 cm and 1 degree (GGIK). Then refined to 1e-5.",
        (
            "chain",
            "sampler",
            "mm: mean",
            "min",
            "deg: mean",
            "min",
            "success %",
            "converged %",
            "iterations",
            "distinct",
            "coverage %",
        ),
        rows,
    )
    print_absent([(table.chain, table.absent) for table in tables], refused)
