"""`generative-ik evaluate seed-value`: options come in, the decisive table and plots go out."""

from collections.abc import Callable
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
    print_references,
    reference_settings,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount, MaybeNumbers, MaybePath

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocols.seed_value import SeedValue
    from generative_ik_benchmarks.protocols.seed_worth import BudgetFigures, SeedFigures


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
    from generative_ik_benchmarks.cli.evaluate.seed_plot import check_folder, plot
    from generative_ik_benchmarks.protocols.seed_value import BUDGETS, seed_value
    from generative_ik_ros.refine.registry import refiner_class

    refiner_class(refiner)
    if plot_dir is not None:
        check_folder(plot_dir)
    budgets = [one / 1e3 for one in budget] if budget else [*(BUDGETS[:4] if quick else BUDGETS)]
    count = poses or (3 if quick else 40)
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        2 * count,
        lambda case, step: seed_value(
            case,
            poses=count,
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
        show(tables, refused)
        for picture in pictures:
            typer.echo(f"wrote {picture}")
    faults = sum(table.faults.total for table in tables)
    report = {"protocol": "seed-value", "tables": tables, "refused": refused}
    finish(json_file, report, faults)


def show(tables: "list[SeedValue]", refused: dict[str, str]) -> None:
    """Print what seeds buy, how good they are, the reference sets, and who did not take part."""
    from generative_ik_ros.cli.console import print_table

    budgets = sorted({b.budget for table in tables for one in table.samplers for b in one.budgets})
    heads = ("chain", "sampler", *(f"{1e3 * budget:g} ms" for budget in budgets))
    sizes = {f"{table.poses} poses, {table.repeats} runs each" for table in tables}
    refiners = ", ".join(sorted({table.refiner for table in tables}))
    print_table(
        f"Distinct exact solutions a pose within a time (in brackets: a millisecond); "
        f"{', '.join(sorted(sizes))}, refined by {refiners} to 1e-5 m and 1e-5 rad.",
        heads,
        _by_budget(tables, budgets, lambda b: f"{b.distinct:.1f} ({number(b.distinct_per_ms)})"),
    )
    print_table(
        "Coverage of the solution set by then, %.",
        heads,
        _by_budget(tables, budgets, lambda b: percent(b.coverage)),
    )
    columns = ("converged %", "iterations", "of all")
    print_table(
        "The first seeds of a pose, then all by the longest time. iterations: of those that "
        "converge, then of all.",
        ("chain", "sampler", "first", *columns, "all", *columns, "proposing % of time"),
        [
            (table.chain, one.sampler, *_seeds(one.first), *_seeds(one.all),
             percent(one.propose_share))
            for table in tables
            for one in table.samplers
        ],
    )  # fmt: skip
    print_references({table.chain: table.reference for table in tables})
    print_absent([(table.chain, table.absent) for table in tables], refused)


def _by_budget(
    tables: "list[SeedValue]", budgets: list[float], text: "Callable[[BudgetFigures], str]"
) -> list[tuple[str, ...]]:
    rows = []
    for table in tables:
        for one in table.samplers:
            cells = {figures.budget: text(figures) for figures in one.budgets}
            rows.append((table.chain, one.sampler, *(cells.get(b, "-") for b in budgets)))
    return rows


def _seeds(figures: "SeedFigures") -> tuple[str, ...]:
    return (
        number(figures.count),
        percent(figures.converged),
        f"{figures.iterations:.1f}",
        f"{figures.iterations_all:.1f}",
    )
