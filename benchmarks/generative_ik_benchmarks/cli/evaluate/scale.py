"""`generative-ik evaluate scale`: sizes come in, what calls of growing size cost goes out."""

from pathlib import Path
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
    percent,
    prepare,
    print_absent,
    progress,
    robots_of,
    spread,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeCounts, MaybePath, MaybeTexts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generative_ik_benchmarks.chains import ChainCase
    from generative_ik_benchmarks.protocols.scale import ScaleTable
    from generative_ik_benchmarks.protocols.scale_plan import Sweep

_MEGA = 1e-6


def scale_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    axis: Annotated[
        MaybeTexts,
        typer.Option(help="joints, solutions, targets or cores; may be given again; default all."),
    ] = None,
    joints: Annotated[
        MaybeCounts, typer.Option(min=2, max=64, help="Joints of made arms; 4 to 15.")
    ] = None,
    solutions: Annotated[
        MaybeCounts, typer.Option(min=1, help="Solutions of one pose; 1 to 100000 by tens.")
    ] = None,
    targets: Annotated[
        MaybeCounts, typer.Option(min=1, help="Poses of a call; 1 to 10000 by tens.")
    ] = None,
    rounds: Annotated[
        MaybeCount, typer.Option(min=1, help="Calls a point, large ones fewer; 10 or 1.")
    ] = None,
    sampler: Sampler = "auto",
    random_seed: Seed = 1,
    plot_dir: Annotated[
        MaybePath, typer.Option(metavar="DIR", help="Draw a picture for each axis there.")
    ] = None,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Time and memory of calls as joints, solutions, targets and cores grow."""
    prepare(json_file, [sampler])
    from generative_ik_benchmarks.cli.evaluate.seed_plot import check_folder
    from generative_ik_benchmarks.protocols.scale_plan import Sizes, check_axes

    axes = check_axes(axis or ())
    if plot_dir is not None:
        check_folder(plot_dir)
    sizes = Sizes.of(quick, joints, solutions, targets)
    wanted = robot or (["panda"] if quick or robots_dir else ["panda", "atlas_foot_to_hand"])
    tables, refused = _measured(
        robots_of(robots_dir, wanted), axes, sizes, rounds or (1 if quick else 10), sampler,
        random_seed,
    )  # fmt: skip
    if json_file != "-":
        show(tables, refused)
    if plot_dir is not None:
        for path in plot(tables, plot_dir):
            typer.echo(f"wrote {path}", err=json_file == "-")
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "scale", "tables": tables, "refused": refused}, faults)


def _measured(
    cases: "list[ChainCase]", axes: "Sequence[str]", sizes: "object", rounds: int, sampler: str,
    seed: int,
) -> "tuple[list[ScaleTable], dict[str, str]]":  # fmt: skip
    """Measure sweep after sweep behind a progress bar."""
    from generative_ik_benchmarks.protocols.scale_plan import run_sweep, sweeps
    from generative_ik_ros.errors import GenerativeIKError

    refused, willing = {}, []
    for case in cases:
        try:
            _ = case.chain
            willing.append(case)
        except GenerativeIKError as error:
            refused[case.label] = str(error)
    plan: list[Sweep] = list(sweeps(willing, axes, sizes))  # pyright: ignore[reportArgumentType]
    tables = []
    with progress() as bar:
        task = bar.add_task("", total=sum(len(sweep.points) for sweep in plan))
        for sweep in plan:
            bar.update(task, description=f"{sweep.axis}: {sweep.label}")
            tables.append(run_sweep(sweep, rounds, sampler, seed, lambda: bar.advance(task)))
    return tables, refused


def show(tables: "list[ScaleTable]", refused: dict[str, str]) -> None:
    """Print a table an axis, and which chains were refused."""
    from generative_ik_ros.cli.console import print_table

    for axis in dict.fromkeys(table.axis for table in tables):
        print_table(
            f"What grows: {axis}. ms: of a call, median (quartiles). us each: of a solution. "
            "complete: poses with as many solutions as were wanted. MB: most memory a call took "
            "beyond what the process had; result: of that the result's arrays. overrun: most "
            "time over a deadline in the middle of the call.",
            ("chain", "DOF", "poses", "wanted", "cores", "found", "complete %", "ms", "us each",
             "MB", "result MB", "overrun ms", "false"),
            list(_rows(tables, axis)),
        )  # fmt: skip
    print_absent([], refused)


def _rows(tables: "list[ScaleTable]", axis: str) -> "Iterator[tuple[str, ...]]":
    for table in tables:
        for point in table.points if table.axis == axis else ():
            yield (
                table.chain,
                str(point.dof),
                f"{point.targets:,}",
                f"{point.wanted:,}",
                str(point.cores),
                number(point.found, 4),
                percent(point.complete),
                spread(point.seconds, 1e3),
                number(1e6 * point.each),
                number(_MEGA * point.memory, 2),
                number(_MEGA * point.result, 2),
                number(1e3 * point.overrun),
                faults_text(point.faults),
            )


def plot(tables: "list[ScaleTable]", folder: Path) -> list[Path]:
    """Draw an axis a picture into a folder; return the files."""
    import numpy as np

    from generative_ik_benchmarks.plots.scale import Growth, growth_figure

    files = []
    for axis in dict.fromkeys(table.axis for table in tables):
        curves = [
            Growth(
                table.chain,
                np.array([float(point.size(axis)) for point in table.points]),
                np.array([point.seconds.median for point in table.points]),
                np.array([point.each for point in table.points]),
                np.array([point.memory for point in table.points]),
            )
            for table in tables
            if table.axis == axis
        ]
        files.append(folder / f"scale-{axis}.png")
        growth_figure(curves, axis).savefig(files[-1], dpi=110)
    return files
