"""`generative-ik evaluate trac-ik`: options come in, TRAC-IK's own table beside ours goes out."""

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
    percent,
    prepare,
    print_absent,
    robots_of,
    spread,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeTexts

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.trac_ik import TableRow


def trac_ik_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Random reachable poses a chain; 10000 or 50.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1e-4, help="Our deadline a pose in seconds.")
    ] = 0.005,
    peer: Annotated[
        MaybeTexts, typer.Option(help="Run on the same poses; default trac-ik.")
    ] = None,
    sampler: Sampler = "auto",
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Protocol A, TRAC-IK's table: one solution, 1e-5, 5 ms, mean time with failures."""
    peers = peer or ["trac-ik"]
    prepare(json_file, [sampler], peers)
    from generative_ik_benchmarks.protocols.trac_ik import trac_ik_table

    count = poses or (50 if quick else 10_000)
    rows, refused = over_chains(
        robots_of(robots_dir, robot),
        count,
        lambda case, step: trac_ik_table(
            case,
            poses=count,
            timeout=timeout,
            sampler=sampler,
            peers=peers,
            seed=random_seed,
            on_pose=step,
        ),
    )
    if json_file != "-":
        show(rows, refused)
    faults = sum(row.faults.total for row in rows)
    finish(json_file, {"protocol": "trac-ik", "tables": rows, "refused": refused}, faults)


def show(rows: "list[TableRow]", refused: dict[str, str]) -> None:
    """Print the table and who did not take part."""
    from generative_ik_ros.cli.console import print_table

    peers = list(dict.fromkeys(figures.solver for row in rows for figures in row.peers))
    heads = ["chain", "DOF", "published: KDL %", "KDL-RR %", "TRAC-IK %", "ms"]
    heads += ["ours: solved %", "mean ms", "p99 ms", "false"]
    for name in peers:
        heads += [f"{name}: solved %", "mean ms", "p99 ms", "times ours", "false"]
    table = []
    for row in rows:
        cells = [row.chain, str(row.dof)]
        if row.published:
            shares = row.published.kdl, row.published.kdl_restarts, row.published.trac_ik
            cells += [*(f"{share:.2f}" for share in shares), f"{row.published.trac_ik_ms:.2f}"]
        else:
            cells += ["-"] * 4
        by_name = {figures.solver: figures for figures in row.peers}
        for name in ("", *peers):
            figures = row.ours if not name else by_name.get(name)
            if figures is None:
                cells += ["-"] * 5
                continue
            cells += [
                f"{100 * figures.solved:.2f}" if figures.poses > 100 else percent(figures.solved),
                f"{1e3 * figures.mean:.3g}",
                f"{1e3 * figures.p99:.3g}",
            ]
            cells += [spread(figures.ratio, digits=2)] if name else []
            cells.append(faults_text(figures.violations))
        table.append(cells)
    poses = ", ".join(f"{count:,}" for count in sorted({row.poses for row in rows}))
    timeouts = ", ".join(f"{1e3 * one:g}" for one in sorted({row.timeout for row in rows}))
    print_table(
        f"{poses} random reachable poses a chain, one solution, 1e-5 m and 1e-5 rad, ours within "
        f"{timeouts} ms, TRAC-IK within 5 ms; times include failures. published: by "
        "TRAC-IK's authors, on their machine and models. times ours: median (quartiles) of the "
        "ratio pose by pose. false: wrong pose/outside limits/twins.",
        heads,
        table,
    )
    print_absent([(row.chain, row.absent) for row in rows], refused)
