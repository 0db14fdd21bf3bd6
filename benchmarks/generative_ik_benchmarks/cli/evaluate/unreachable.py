"""`generative-ik evaluate unreachable`: options come in, what rejecting costs goes out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_benchmarks.cli.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Sampler,
    Seed,
    finish,
    over_chains,
    percent,
    prepare,
    print_absent,
    robots_of,
    spread,
)
from generative_ik_ros.cli.options import MaybeCount

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.unreachable import UnreachableTable

_DEG = 57.29577951308232


def unreachable_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses of each kind a chain; 50 or 3.")
    ] = None,
    sampler: Sampler = "auto",
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Protocol F, unreachable poses: false successes, time to reject, closest configuration."""
    prepare(json_file, [sampler])
    from generative_ik_benchmarks.protocols.unreachable import unreachable
    from generative_ik_benchmarks.protocols.unreachable_poses import KINDS

    count = poses or (3 if quick else 50)
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        count * len(KINDS),
        lambda case, step: unreachable(
            case, poses=count, sampler=sampler, seed=random_seed, on_pose=step
        ),
    )
    if json_file != "-":
        show(tables, refused)
    faults = sum(table.false_of_ours for table in tables)
    finish(json_file, {"protocol": "unreachable", "tables": tables, "refused": refused}, faults)


def show(tables: "list[UnreachableTable]", refused: dict[str, str]) -> None:
    """Print the table and what is missing."""
    from generative_ik_ros.cli.console import print_table

    rows = []
    for table in tables:
        for row in table.rows:
            rows.append(
                (
                    table.chain,
                    row.kind,
                    row.contestant,
                    str(row.poses),
                    str(row.false_successes),
                    percent(row.rejected),
                    f"{row.milliseconds.median:.2f} ({row.p99:.2f})",
                    spread(row.position_error, 1e3),
                    spread(row.orientation_error, _DEG),
                    "-"
                    if row.excess is None or row.worst_excess is None
                    else f"{row.excess.median:.4f} ({row.worst_excess:.4f})",
                )
            )
    print_table(
        "Unreachable poses, 10 solutions wanted, no deadline for ours, 5 ms for TRAC-IK. ms: "
        "median (99th percentile). closest: of the configuration offered, median (quartiles). "
        "excess: its error over that of an exhaustive search, median (worst).",
        (
            "chain",
            "poses",
            "contestant",
            "count",
            "false",
            "rejected %",
            "ms",
            "closest: mm",
            "deg",
            "excess",
        ),
        rows,
    )
    print_absent([(table.chain, table.absent) for table in tables], refused)
