"""`generative-ik evaluate seed-value`: options come in, the decisive table and plots go out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.evaluate.common import (
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
    reference_text,
    robots_of,
    spread,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeNumbers, MaybePath

if TYPE_CHECKING:
    from generative_ik_ros.evaluation.protocols.seed_value import SeedValue


def seed_value_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Random reachable poses a chain; 40 or 3.")
    ] = None,
    repeats: Annotated[
        MaybeCount, typer.Option(min=1, help="Runs of each sampler on each pose; 3 or 1.")
    ] = None,
    budget: Annotated[
        MaybeNumbers,
        typer.Option(min=1e-2, help="Milliseconds a pose, again for more; 0.5 1 2 5 10 50."),
    ] = None,
    sampler: Samplers = None,
    refiner: Annotated[str, typer.Option(help="Local solver.")] = "levenberg_marquardt",
    device: Annotated[str, typer.Option(help="Where models run.")] = "cpu",
    plot_dir: Annotated[
        MaybePath, typer.Option(metavar="DIR", help="Write a picture a chain there.")
    ] = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """Protocol D, what seeds are worth: distinct solutions and coverage within time budgets."""
    prepare(json_file, sampler or [])
    from generative_ik_ros.cli.evaluate.seed_plot import check_folder, plot
    from generative_ik_ros.evaluation.protocols.seed_value import BUDGETS, seed_value
    from generative_ik_ros.refine.registry import refiner_class

    refiner_class(refiner)
    if plot_dir is not None:
        check_folder(plot_dir)
    budgets = [one / 1e3 for one in budget] if budget else [*(BUDGETS[:4] if quick else BUDGETS)]
    count, tuning = poses or (3 if quick else 40), 2 if quick else 6
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        2 * count + tuning,
        lambda case, step: seed_value(
            case,
            poses=count,
            tuning_poses=tuning,
            repeats=repeats or (1 if quick else 3),
            samplers=sampler or [],
            budgets=budgets,
            refiner=refiner,
            reference=reference_settings(quick),
            device=device,
            seed=random_seed,
            on_step=step,
        ),
    )
    pictures = [] if plot_dir is None else [plot(table, plot_dir) for table in tables]
    if json_file != "-":
        for table in tables:
            _print(table)
        print_absent([(table.chain, table.absent) for table in tables], refused)
        for picture in pictures:
            typer.echo(f"wrote {picture}")
    faults = sum(table.faults.total for table in tables)
    report = {"protocol": "seed-value", "tables": tables, "refused": refused}
    finish(json_file, report, faults)


def _print(table: "SeedValue") -> None:
    from generative_ik_ros.cli.console import print_table

    rows, summary = [], []
    for one in table.samplers:
        summary.append(
            (
                one.sampler,
                percent(one.converged),
                f"{one.iterations:.1f}",
                f"{one.iterations_all:.1f}",
                percent(one.propose_share),
            )
        )
        for figures in one.budgets:
            rows.append(
                (
                    f"{1e3 * figures.budget:g}",
                    one.sampler,
                    number(figures.seeds),
                    number(figures.exact),
                    f"{figures.distinct:.1f}",
                    f"{figures.distinct_per_ms:.1f}",
                    percent(figures.coverage),
                    percent(figures.solved),
                    spread(figures.ratio, digits=2),
                    str(figures.round_size),
                )
            )
    rows.sort(key=lambda row: float(row[0]))
    print_table(
        f"{table.chain}: what seeds buy, {table.poses} poses, {table.repeats} runs each, refined "
        f"by {table.refiner} to 1e-5. {reference_text(table.reference)}; coverage within 0.5 rad. "
        "times first: distinct solutions over the first sampler's, median (quartiles) of poses.",
        (
            "ms",
            "sampler",
            "seeds",
            "exact",
            "distinct",
            "distinct/ms",
            "coverage %",
            "solved %",
            "times first",
            "seeds a round",
        ),
        rows,
    )
    print_table(
        f"{table.chain}: seeds. iterations: of those that converge, then of all.",
        ("sampler", "converged %", "iterations", "of all", "proposing % of time"),
        summary,
    )
