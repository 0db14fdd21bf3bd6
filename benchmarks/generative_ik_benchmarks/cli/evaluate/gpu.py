"""`generative-ik evaluate gpu`: a device comes in, times of the path that stays on it go out."""

from typing import TYPE_CHECKING, Annotated, Optional

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
    robots_of,
    spread,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeCounts

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.gpu import GpuTable


def gpu_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    device: Annotated[
        str, typer.Option(help="cuda, cpu, or auto: CUDA where there is a device.")
    ] = "auto",
    poses: Annotated[
        MaybeCounts,
        typer.Option(min=1, help="Poses a batch, may be given again; 1, 100, 1000, 2000."),
    ] = None,
    solutions: Annotated[
        MaybeCounts,
        typer.Option(min=1, max=20_000, help="Solutions of one pose, likewise; 100, 1000."),
    ] = None,
    samples: Annotated[
        MaybeCounts,
        typer.Option(min=1, help="Samples of one pose, likewise; 1, 10, ... 100000."),
    ] = None,
    sampler: Samplers = None,
    rounds: Annotated[MaybeCount, typer.Option(min=1, help="Calls of a size; 10 or 2.")] = None,
    compiled: Annotated[
        Optional[bool],  # noqa: UP045 (as every supported typer reads it)
        typer.Option(
            "--compiled/--plain", help="Fuse kernels by torch.compile; default on CUDA only."
        ),
    ] = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """The path that stays on a device: batches, many solutions of a pose, samples a second."""
    prepare(json_file, sampler or [])
    from generative_ik_benchmarks.protocols.gpu import POSES, SAMPLES, SOLUTIONS, gpu_table

    sizes = sorted(set(poses or ((1, 20) if quick else POSES)))
    wanted = sorted(set(solutions or ((20,) if quick else SOLUTIONS)))
    asked = sorted(set(samples or ((1, 100) if quick else SAMPLES)))
    tables, refused = over_chains(
        robots_of(robots_dir, robot or ["panda"]),
        len(sizes) + len(wanted) + 1,
        lambda case, step: gpu_table(
            case,
            device=device,
            compiled=compiled,
            poses=sizes,
            solutions=wanted,
            samples=asked,
            samplers=sampler or [],
            rounds=rounds or (2 if quick else 10),
            seed=random_seed,
            on_step=step,
        ),
    )
    if json_file != "-":
        show(tables, refused)
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "gpu", "tables": tables, "refused": refused}, faults)


def show(tables: "list[GpuTable]", refused: dict[str, str]) -> None:
    """Print the tables, what others published, and who did not take part."""
    from generative_ik_benchmarks.published import BATCH_TIMES
    from generative_ik_ros.cli.console import print_table

    rows, rates = [], []
    for table in tables:
        first = {}
        for row in table.rows:
            size = row.poses, row.wanted
            first.setdefault(size, row.seconds.median)
            rows.append(
                (
                    table.chain,
                    row.contestant,
                    str(row.poses),
                    str(row.wanted),
                    percent(row.solved),
                    f"{row.solutions:.1f}",
                    spread(row.seconds, 1e3),
                    number(first[size] / row.seconds.median),
                    faults_text(row.faults),
                )
            )
        rates += [
            (
                table.chain,
                rate.sampler,
                rate.where,
                f"{rate.samples:,}",
                spread(rate.seconds, 1e3),
                number(rate.per_second),
            )
            for rate in table.samplers
        ]
    print_table(
        "Whole calls, host to host; medians (quartiles), the same poses for all, in turns. "
        "times the CPU: how many times faster than the compiled solver on the CPU.",
        ("chain", "contestant", "poses", "wanted", "solved %", "found", "ms", "times the CPU",
         "false"),
        rows,
    )  # fmt: skip
    for table in tables:
        how = "fused by torch.compile" if table.compiled else "not compiled"
        typer.echo(
            f"{table.chain}: {table.device}, {table.device_name}, PyTorch {table.torch}, {how}; "
            f"warm-up {table.warm_up:.0f} s"
        )
    published = "; ".join(
        f"{one.poses}: {one.curobo_ms:g} and {one.pyroki_ms:g} ms" for one in BATCH_TIMES
    )
    typer.echo(
        f"published, Franka arm, RTX 4090, cuRobo and PyRoki, looser tolerances: {published}\n"
    )
    if rates:
        print_table(
            "Samplers by themselves, one pose; where: in which memory the samples end up.",
            ("chain", "sampler", "where", "samples", "ms", "samples/s"),
            rates,
        )
    print_absent([(table.chain, table.absent) for table in tables], refused)
