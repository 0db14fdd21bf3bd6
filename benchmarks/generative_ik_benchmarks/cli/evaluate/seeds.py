"""`generative-ik evaluate seeds`: options come in, what seeds are worth in calls goes out."""

from pathlib import Path
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
    spread,
)
from generative_ik_ros.cli.options import MaybeCount, MaybePath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generative_ik_benchmarks.protocols.seeds import SeedTable


def seeds_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Random reachable poses a chain; 10 or 2.")
    ] = None,
    repeats: Annotated[
        MaybeCount, typer.Option(min=1, help="Calls of each sampler on each pose; 9 or 1.")
    ] = None,
    solutions: Annotated[int, typer.Option(min=2, help="Solutions wanted a pose.")] = 100,
    sampler: Samplers = None,
    device: Annotated[str, typer.Option(help="Where models run.")] = "cpu",
    plot_dir: Annotated[
        MaybePath, typer.Option(metavar="DIR", help="Draw a picture of all chains there.")
    ] = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """What seeds are worth in whole calls, and the most that any seeds could be worth."""
    prepare(json_file, sampler or [])
    from generative_ik_benchmarks.cli.evaluate.seed_plot import check_folder
    from generative_ik_benchmarks.protocols.seeds import seeds_in_calls

    if plot_dir is not None:
        check_folder(plot_dir)
    count = poses or (2 if quick else 10)
    tables, refused = over_chains(
        robots_of(robots_dir, robot),
        2 * count,
        lambda case, step: seeds_in_calls(
            case,
            poses=count,
            repeats=repeats or (1 if quick else 9),
            wanted=solutions,
            samplers=sampler or [],
            reference=reference_settings(quick),
            device=device,
            seed=random_seed,
            on_step=step,
        ),
    )
    if json_file != "-":
        show(tables, refused)
    if plot_dir is not None and tables:
        typer.echo(f"wrote {plot(tables, plot_dir)}", err=json_file == "-")
    faults = sum(table.faults.total for table in tables)
    finish(json_file, {"protocol": "seeds", "tables": tables, "refused": refused}, faults)


def show(tables: "Sequence[SeedTable]", refused: dict[str, str]) -> None:
    """Print the verdict on each chain, the calls behind it, the references, and who is absent."""
    from generative_ik_benchmarks.protocols.seeds import BESIDE, KNOWN
    from generative_ik_ros.cli.console import print_table

    names = list(dict.fromkeys(row.sampler for table in tables for row in table.rows))
    sizes = {f"{t.wanted} solutions wanted of {t.poses} poses, {t.repeats} calls" for t in tables}
    print_table(
        f"{'; '.join(sorted(sizes))} each. Times as many distinct exact solutions a millisecond "
        "as with quasi-random seeds: median (quartiles) over the poses, behind it coverage in %. "
        f"{KNOWN}, {BESIDE}: seeds that nobody has, the most that any can gain. there are: "
        "solutions that a call for 10,000 finds.",
        ("chain", "DOF", "there are", "auto takes", "quasi_random: a ms", *names[1:], "twice?"),
        [
            (
                table.chain,
                str(table.dof),
                f"{table.there_are:,.0f}",
                table.auto,
                *(_gain(table, name) for name in names),
                table.verdict,
            )
            for table in tables
        ],
    )
    print_table(
        "The calls. found: solutions returned. walks: seeds beside solutions found before, which "
        "the search makes itself. exact: seeds that become so. repeats: exact ones whose "
        "solution was known. proposing, ordering: of the time.",
        ("chain", "seeds of", "ms", "found", "seeds", "walks %", "exact %", "iterations a seed",
         "repeats %", "proposing %", "ordering %", "false"),
        [
            (
                table.chain,
                row.sampler,
                spread(row.seconds, 1e3),
                f"{row.solutions:.1f}",
                f"{row.seeds:.0f}",
                percent(row.walks),
                percent(row.exact),
                f"{row.iterations:.1f}",
                percent(row.repeats),
                percent(row.proposing),
                percent(row.selecting),
                faults_text(row.faults),
            )
            for table in tables
            for row in table.rows
        ],
    )  # fmt: skip
    print_references({table.chain: table.reference for table in tables})
    print_absent([(table.chain, table.absent) for table in tables], refused)


def _gain(table: "SeedTable", name: str) -> str:
    row = table.row(name)
    if row is None:
        return "-"
    gain = number(row.per_ms.median) if row is table.rows[0] else spread(row.ratio)
    return f"{gain}, {percent(row.coverage)}"


def plot(tables: "Sequence[SeedTable]", folder: Path) -> Path:
    """Draw what seeds gain on all chains into a folder; return the file."""
    from generative_ik_benchmarks.plots.gains import Gain, gains_figure

    gains = [
        Gain(table.chain, row.sampler, row.ratio.low, row.ratio.median, row.ratio.high)
        for table in tables
        for row in table.rows[1:]
    ]
    file = folder / "seeds-gains.png"
    gains_figure(gains).savefig(file, dpi=110)
    return file
