"""`generative-ik reproduce ggik`: options come in, GGIK's tables and figures go out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.evaluate.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Seed,
    finish,
    number,
    percent,
    prepare,
    progress,
    robots_of,
)
from generative_ik_ros.cli.options import MaybeCount, MaybePath, MaybeTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generative_ik_ros.evaluation.metrics.pose_error import Summary
    from generative_ik_ros.evaluation.reproduce.ggik import Accuracy, Modes, SamplingTime
    from generative_ik_ros.evaluation.reproduce.ggik_starts import StartsRow

_HEADS = ("mean", "min", "max", "Q1", "Q3")


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
    problems: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses a robot for errors; 200 or 10 (paper 2000).")
    ] = None,
    start_problems: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses a robot for table IV; 5 or 1.")
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

    from generative_ik_ros.cli.console import check_writable
    from generative_ik_ros.cli.reproduce.ggik_plot import draw
    from generative_ik_ros.evaluation.reproduce.ggik import (
        accuracy,
        models_at_hand,
        modes,
        sampling_times,
        takes_part,
    )
    from generative_ik_ros.evaluation.reproduce.ggik_published import ROBOTS
    from generative_ik_ros.evaluation.reproduce.ggik_starts import starts_table

    if plot is not None:
        check_writable(plot)
    cases = robots_of(robots_dir, robot or (None if robots_dir else ROBOTS))
    models = models_at_hand([Path(file) for file in weights or []])
    pairs = [(c, path) for path, m in models.items() for c in cases if takes_part(m, c)]
    chosen = {case.label: path for case, path in reversed(pairs)}
    count = problems or (10 if quick else 200)
    rows, spread_out, times = [], [], []
    known = [case for case in cases if case.label in chosen]
    with progress() as bar:
        task = bar.add_task("errors", total=len(pairs) + 2 * len(known) + 1)
        for case, path in pairs:
            rows.append(accuracy(case, path, problems=count, device=device, seed=random_seed))
            bar.advance(task)
        for case in known:
            bar.update(task, description="modes and times")
            few = {"samples": 100, "problems": 5} if quick else {}
            path = chosen[case.label]
            spread_out.append(modes(case, path, device=device, seed=random_seed, **few))
            bar.advance(task)
            sizes = (1, 10) if quick else (1, 10, 100, 1000)
            times += sampling_times(case, path, sizes=sizes, device=device, seed=random_seed)
            bar.advance(task)
        bar.update(task, description="local solvers")
        starts, absent = starts_table(
            known,
            chosen,
            problems=start_problems or (1 if quick else 5),
            starts=4 if quick else 32,
            riemannian_starts=1 if quick else 4,
            device=device,
            seed=random_seed,
        )
    if plot is not None:
        draw(rows, spread_out, times, plot)
    if json_file != "-":
        _print(rows, starts, spread_out, times)
        for solver, why in absent.items():
            typer.echo(f"absent: {solver}: {why}")
        if plot is not None:
            typer.echo(f"wrote {plot}")
    report = {"paper": "GGIK", "accuracy": rows, "starts": starts, "times": times,
              "modes": spread_out, "absent": absent}  # fmt: skip
    finish(json_file, report, 0)


def _print(
    rows: "Sequence[Accuracy]",
    starts: "Sequence[StartsRow]",
    spread_out: "Sequence[Modes]",
    times: "Sequence[SamplingTime]",
) -> None:
    _print_errors(rows)
    _print_best(rows)
    _print_starts(starts)
    _print_clusters(spread_out)
    _print_times(times)


def _five(summary: "Summary", scale: float) -> list[str]:
    values = (summary.mean, summary.mean_min, summary.mean_max, summary.q1, summary.q3)
    return [number(scale * value) for value in values]


def _print_errors(rows: "Sequence[Accuracy]") -> None:
    from math import degrees

    from generative_ik_ros.cli.console import print_table
    from generative_ik_ros.evaluation.reproduce.ggik_published import NETWORKS, TABLES

    for purpose, tables in TABLES.items():
        lines = []
        for one in rows:
            if one.purpose != purpose and not (purpose == NETWORKS and one.network != "egnn"):
                continue
            name = f"{one.network}, {one.robot}" if purpose == NETWORKS else one.robot
            position, angle = _five(one.position, 1e3), _five(one.orientation, degrees(1.0))
            ours = [*position, *angle, percent(one.success), "-", number(one.elbo)]
            lines.append((f"{name} ({one.model})", *ours))
        if not lines:
            lines.append(("none of our models", *["-"] * 13))
        for table, published in tables.items():
            for row in published:
                figures = [
                    *(number(v) for v in row.position_mm or [float("nan")] * 5),
                    *(number(v) for v in row.orientation_deg or [float("nan")] * 5),
                    *("-" if v is None else f"{v:g}" for v in (row.success, row.mmd, row.elbo)),
                ]
                lines.append((f"- {table.partition(':')[0]}: {row.name}", *figures))
        heading = "; ".join(tables)
        print_table(
            f"{heading}. Raw samples, 32 a problem; min and max of each problem, averaged; "
            "success: a sample within 1 cm and 1 degree. ELBO: ours is in nats a node with our "
            "own spread of points, so only our own compare.",
            ("robot", *(f"mm: {h}" for h in _HEADS), *(f"deg: {h}" for h in _HEADS),
             "success: %", "MMD", "ELBO"),
            lines,
        )  # fmt: skip


def _print_best(rows: "Sequence[Accuracy]") -> None:
    from generative_ik_ros.cli.console import print_table
    from generative_ik_ros.evaluation.reproduce.ggik import COUNTS

    print_table(
        "Figure 4: mean distance of the best of so many samples [mm].",
        ("robot", "model", *map(str, COUNTS)),
        [(one.robot, one.model, *(number(1e3 * mm) for mm, _ in one.best)) for one in rows],
    )


def _print_starts(rows: "Sequence[StartsRow]") -> None:
    from math import degrees

    from generative_ik_ros.cli.console import print_table
    from generative_ik_ros.evaluation.reproduce.ggik_published import STARTS

    lines = []
    for row in rows:
        lines.append(
            (
                f"{row.solver} from {row.starts}",
                *_five(row.position, 1e3), *_five(row.orientation, degrees(1.0)),
                *(number(value) for value in (*row.iterations, *row.milliseconds)),
                percent(row.success), percent(row.ended), percent(row.exact),
            )
        )  # fmt: skip
    for paper in STARTS:
        figures = (*paper.position_mm, *paper.orientation_deg, *paper.iterations,
                   *paper.milliseconds)  # fmt: skip
        lines.append(
            (f"- published: {paper.name}", *map(number, figures), f"{paper.success:g}", "-", "-")
        )
    print_table(
        "T-RO table IV, CoRL table 2: local solvers, all robots together. iterations, ms: a start "
        "(mean, deviation). success: of problems; near: of starts within 1 cm and 1 degree; "
        "exact: of starts within 1e-5 m and rad.",
        ("solver", *(f"mm: {h}" for h in _HEADS), *(f"deg: {h}" for h in _HEADS),
         "iterations", "std", "ms", "std", "success: %", "near: %", "exact: %"),
        lines,
    )  # fmt: skip


def _print_clusters(rows: "Sequence[Modes]") -> None:
    from generative_ik_ros.cli.console import print_table
    from generative_ik_ros.evaluation.reproduce.ggik import RADII

    lines = []
    for one in rows:
        for radius, counts in zip(RADII, one.clusters, strict=True):
            shares = [(counts == k).mean() for k in range(1, 9)] + [(counts > 8).mean()]
            lines.append((one.robot, f"{radius:g}", *map(percent, shares)))
    print_table(
        "Figure 7: share of problems whose 32 samples form so many clusters [%].",
        ("robot", "radius", *map(str, range(1, 9)), "more"),
        lines,
    )


def _print_times(rows: "Sequence[SamplingTime]") -> None:
    from generative_ik_ros.cli.console import print_table
    from generative_ik_ros.evaluation.reproduce.ggik_published import FIGURE_8

    print_table(
        "Figure 8: time of so many samples of a problem, and what torch_geometric takes for the "
        "same numbers, mean (deviation) [ms].",
        ("robot", "messages", "samples", "ms"),
        [
            (one.robot, one.way, str(one.samples), f"{one.mean:.3g} ({one.deviation:.2g})")
            for one in rows
        ],
    )
    published = "; ".join(f"{n} in about {ms:g} ms" for n, ms in FIGURE_8.items())
    typer.echo(f"published, laptop GPU: {published}")
