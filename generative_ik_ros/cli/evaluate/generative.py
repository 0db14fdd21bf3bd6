"""`generative-ik evaluate generative`: options come in, quality of samples goes out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.evaluate.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Samplers,
    Seed,
    faults_text,
    finish,
    number,
    over_chains,
    percent,
    prepare,
    print_absent,
    reference_settings,
    reference_text,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount

if TYPE_CHECKING:
    from generative_ik_ros.evaluation.protocols.generative import GenerativeTable

_MM, _DEG = 1e3, 57.29577951308232


def generative_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Random reachable poses a chain; 50 or 4.")
    ] = None,
    samples: Annotated[MaybeCount, typer.Option(min=2, help="Samples a pose; 250 or 32.")] = None,
    sampler: Samplers = None,
    refiner: Annotated[
        str, typer.Option(help="Local solver; slsqp is that of GGIK's table IV.")
    ] = "levenberg_marquardt",
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Protocol C, samples raw and refined: errors, limits, duplicates, discrepancy, branches."""
    prepare(json_file, sampler or [])
    from generative_ik_ros.evaluation.protocols.generative import generative
    from generative_ik_ros.evaluation.seeding import count_samplers
    from generative_ik_ros.refine.registry import refiner_class

    refiner_class(refiner)
    count, number_of_samples = poses or (4 if quick else 50), samples or (32 if quick else 250)
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        count + count_samplers(sampler or []),
        lambda case, step: generative(
            case,
            poses=count,
            samples=number_of_samples,
            samplers=sampler or [],
            refiner=refiner,
            reference=reference_settings(quick),
            seed=random_seed,
            on_step=step,
        ),
    )
    if json_file != "-":
        for table in tables:
            _print(table)
        print_absent([(table.chain, table.absent) for table in tables], refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "generative", "tables": tables, "refused": refused}, faults)


def _print(table: "GenerativeTable") -> None:
    from generative_ik_ros.cli.console import print_table

    raw, refined = [], []
    for row in table.rows:
        one, other = row.raw, row.refined
        raw.append(
            (
                row.sampler,
                *(number(_MM * p) for p in (one.position.p50, one.position.p90, one.position.p99)),
                *(
                    number(_DEG * p)
                    for p in (one.orientation.p50, one.orientation.p90, one.orientation.p99)
                ),
                number(_MM * one.position.mean),
                number(_DEG * one.orientation.mean),
                percent(one.violations),
                percent(one.duplicates),
                f"{one.mmd:.4f}",
                number(one.milliseconds),
            )
        )
        refined.append(
            (
                row.sampler,
                percent(other.converged),
                f"{other.iterations:.1f} ({other.iterations_deviation:.1f})",
                f"{other.distinct:.1f}",
                percent(other.duplicates),
                number(other.distinct_per_second),
                percent(other.coverage),
                percent(other.branch_recall),
                f"{other.mmd:.4f}",
                faults_text(other.faults),
            )
        )
    for line in table.published:
        mmd = "-" if line.mmd is None else f"{line.mmd:.4f}"
        raw.append(
            (f"published: {line.source}", *["-"] * 6, number(line.position_mm),
             number(line.orientation_deg), "-", "-", mmd, "-")
        )  # fmt: skip
    print_table(
        f"{table.chain}: {table.samples} samples of each of {table.poses} poses, raw. MMD from "
        f"the solution set; that set itself has {table.mmd_floor:.4f}. ms: a pose's samples.",
        (
            "sampler",
            "mm: p50",
            "p90",
            "p99",
            "deg: p50",
            "p90",
            "p99",
            "mean mm",
            "mean deg",
            "outside %",
            "duplicates %",
            "MMD",
            "ms",
        ),
        raw,
    )
    print_table(
        f"{table.chain}: the same samples refined by {table.refiner} to 1e-5 m and 1e-5 rad. "
        f"iterations: mean (deviation). {reference_text(table.reference)}.",
        (
            "sampler",
            "converged %",
            "iterations",
            "distinct",
            "duplicates %",
            "distinct/s",
            "coverage %",
            "branches %",
            "MMD",
            "false",
        ),
        refined,
    )
