"""`generative-ik evaluate generative`: options come in, quality of samples goes out."""

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
    number,
    over_chains,
    percent,
    prepare,
    print_absent,
    print_references,
    reference_settings,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.generative import GenerativeTable

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
    from generative_ik_benchmarks.protocols.generative import generative
    from generative_ik_benchmarks.seeding import count_samplers
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
        show(tables, refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "generative", "tables": tables, "refused": refused}, faults)


def show(tables: "list[GenerativeTable]", refused: dict[str, str]) -> None:
    """Print samples raw and refined, the reference sets, and who did not take part."""
    from generative_ik_ros.cli.console import print_table

    sizes = {f"{table.samples} samples of each of {table.poses} poses" for table in tables}
    refiners = ", ".join(sorted({table.refiner for table in tables}))
    print_table(
        f"{', '.join(sorted(sizes))}, raw. MMD: from the solution set; that set itself has the "
        "one behind it. ms: a pose's samples.",
        (
            "chain",
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
        [row for table in tables for row in _raw(table)],
    )
    print_table(
        f"The same samples refined by {refiners} to 1e-5 m and 1e-5 rad. iterations: mean "
        "(deviation). branches: of the closed-form solution.",
        (
            "chain",
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
        [row for table in tables for row in _refined(table)],
    )
    print_references({table.chain: table.reference for table in tables})
    print_absent([(table.chain, table.absent) for table in tables], refused)


def _raw(table: "GenerativeTable") -> list[tuple[str, ...]]:
    rows = []
    for row in table.rows:
        one = row.raw
        rows.append(
            (
                table.chain,
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
                f"{one.mmd:.4f} ({table.mmd_floor:.4f})",
                number(one.milliseconds),
            )
        )
    for line in table.published:
        mmd = "-" if line.mmd is None else f"{line.mmd:.4f}"
        rows.append(
            (table.chain, f"published: {line.source}", *["-"] * 6, number(line.position_mm),
             number(line.orientation_deg), "-", "-", mmd, "-")
        )  # fmt: skip
    return rows


def _refined(table: "GenerativeTable") -> list[tuple[str, ...]]:
    rows = []
    for row in table.rows:
        other = row.refined
        rows.append(
            (
                table.chain,
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
    return rows
