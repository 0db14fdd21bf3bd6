"""`generative-ik reproduce ggik`: options come in, GGIK's tables and figures go out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_benchmarks.cli.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Seed,
    finish,
    prepare,
    progress,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount, MaybePath, MaybeTexts

if TYPE_CHECKING:
    from generative_ik_benchmarks.reproduce.ggik_jobs import Job


def ggik_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    weights: Annotated[
        MaybeTexts,
        typer.Option(
            metavar="FILE",
            help="A model more, again for more: of one robot for table "
            "I, of another network for table V.",
        ),
    ] = None,
    train_samples: Annotated[
        int,
        typer.Option(
            min=0,
            help="Train the models of tables I and V and CoRL's 4, with so many configurations "
            "each (papers 256,000 and more): 12 for five robots. 0 is to leave them out.",
        ),
    ] = 0,
    train_only: Annotated[
        MaybeTexts,
        typer.Option(
            metavar="KIND",
            help="With --train-samples: train these only, again for more: only (a model a "
            "robot), network (table V), varied (CoRL's 4).",
        ),
    ] = None,
    problems: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses a robot for errors; 200 or 10 (paper 2000).")
    ] = None,
    start_problems: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses a robot for table IV; 5 or 1.")
    ] = None,
    mmd_problems: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses a robot for the discrepancy; 50 or 2.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where the model runs: cpu or cuda.")] = "cpu",
    plot: Annotated[MaybePath, typer.Option(metavar="FILE", help="Draw figures 4 to 8.")] = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """GGIK (arXiv 2209.08812), with the models at hand: its tables and figures 4 to 8.

    Models that were trained on a robot are measured on it (tables I and II), one that was trained
    on random arms on all (table III). Errors are those of raw samples inside the limits. Table IV
    is of the model that the sampler takes.
    """
    prepare(json_file, ["ggik"])
    from pathlib import Path

    from generative_ik_benchmarks.cli.reproduce.ggik_plot import draw
    from generative_ik_benchmarks.cli.reproduce.ggik_tables import print_report
    from generative_ik_benchmarks.reproduce.ggik import models_at_hand
    from generative_ik_benchmarks.reproduce.ggik_jobs import KINDS
    from generative_ik_benchmarks.reproduce.ggik_published import ROBOTS
    from generative_ik_benchmarks.reproduce.ggik_report import Sizes, measure
    from generative_ik_benchmarks.reproduce.ggik_short import train_short
    from generative_ik_ros.cli.console import check_writable
    from generative_ik_ros.errors import UnknownNameError

    for kind in train_only or ():
        if kind not in KINDS:
            raise UnknownNameError("kind of model", kind, KINDS)
    if plot is not None:
        check_writable(plot)
    cases = robots_of(robots_dir, robot or (None if robots_dir else ROBOTS))
    models = models_at_hand([Path(file) for file in weights or []])
    sizes = Sizes.quick() if quick else Sizes()
    sizes = sizes.but(problems=problems, starts=start_problems, discrepancies=mmd_problems)
    with progress() as bar:
        task = bar.add_task("GGIK", total=None)

        def on_step(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        def trainer(job: "Job", path: Path) -> None:
            train_short(job.chains, job.network, train_samples, path, vary=job.vary, device=device)

        report = measure(
            cases,
            models,
            sizes,
            samples=train_samples,
            trainer=trainer if train_samples else None,
            kinds=train_only or KINDS,
            device=device,
            seed=random_seed,
            on_step=on_step,
        )
    if plot is not None:
        draw(report.accuracy, report.modes, report.times, plot)
    if json_file != "-":
        print_report(report)
        for solver, why in report.absent.items():
            typer.echo(f"absent: {solver}: {why}")
        if plot is not None:
            typer.echo(f"wrote {plot}")
    finish(json_file, {"paper": "GGIK", **vars(report)}, 0)
