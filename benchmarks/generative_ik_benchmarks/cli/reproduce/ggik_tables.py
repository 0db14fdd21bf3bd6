"""What was measured of GGIK's papers comes in, tables with their rows and ours go out."""

from typing import TYPE_CHECKING

import typer

from generative_ik_benchmarks.text import number, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generative_ik_benchmarks.metrics.pose_error import Summary
    from generative_ik_benchmarks.reproduce.ggik import Accuracy, Modes
    from generative_ik_benchmarks.reproduce.ggik_raw import (
        Discrepancy,
        LatentErrors,
        Stepped,
    )
    from generative_ik_benchmarks.reproduce.ggik_report import Report
    from generative_ik_benchmarks.reproduce.ggik_starts import StartsRow
    from generative_ik_benchmarks.reproduce.ggik_times import SamplingTime

_HEADS = ("mean", "min", "max", "Q1", "Q3")


def print_report(report: "Report") -> None:
    """Write all tables on stdout."""
    _print_errors(report.accuracy, report.discrepancies, report.samples)
    _print_best(report.accuracy)
    _print_steps(report.stepped)
    _print_latents(report.latents)
    _print_starts(report.starts)
    _print_clusters(report.modes)
    _print_times(report.times)


def _five(summary: "Summary", scale: float) -> list[str]:
    values = (summary.mean, summary.mean_min, summary.mean_max, summary.q1, summary.q3)
    return [number(scale * value) for value in values]


def _print_errors(
    rows: "Sequence[Accuracy]", discrepancies: "Sequence[Discrepancy]", samples: int
) -> None:
    from generative_ik_benchmarks.reproduce.ggik_published import NETWORKS, TABLES
    from generative_ik_ros.cli.console import print_table

    mmd = {(one.robot, one.model): one for one in discrepancies}
    for purpose, tables in TABLES.items():
        lines = []
        chosen = [one for one in rows if one.purpose == purpose]
        if purpose == NETWORKS:
            for model in dict.fromkeys(one.model for one in chosen):
                lines.append(_mean_row([one for one in chosen if one.model == model]))
        else:
            for one in chosen:
                far = mmd.get((one.robot, one.model))
                lines.append(_row(one, "-" if far is None else number(far.samples)))
        if not lines:
            lines.append(("none of our models: --train-samples, or --weights", *["-"] * 13))
        for table, published in tables.items():
            for row in published:
                figures = [
                    *(number(v) for v in row.position_mm or [float("nan")] * 5),
                    *(number(v) for v in row.orientation_deg or [float("nan")] * 5),
                    *("-" if v is None else f"{v:g}" for v in (row.success, row.mmd, row.elbo)),
                ]
                lines.append((f"- {table.partition(':')[0]}: {row.name}", *figures))
        trained = f" Models named only-, network- and varied: {samples:,} configurations each."
        print_table(
            f"{'; '.join(tables)}. Raw samples, 32 a problem; min and max of each problem, "
            "averaged; success: a sample within 1 cm and 1 degree. ELBO: ours is in nats a node "
            "(walk: nats a joint) with our own spread of points, so only alike ones compare."
            + (trained if samples else ""),
            ("robot", *(f"mm: {h}" for h in _HEADS), *(f"deg: {h}" for h in _HEADS),
             "success: %", "MMD", "ELBO"),
            lines,
        )  # fmt: skip
    if discrepancies:
        print_table(
            "Squared discrepancy (MMD) of 50 samples a pose from the solution set, of uniform "
            "draws, and of the solution set from itself; kernel as in IKFlow's code.",
            ("robot", "model", "poses", "samples", "uniform draws", "floor"),
            [
                (one.robot, one.model, str(one.poses),
                 *map(number, (one.samples, one.uniform, one.floor)))
                for one in discrepancies
            ],
        )  # fmt: skip


def _row(one: "Accuracy", mmd: str) -> tuple[str, ...]:
    from math import degrees

    position, angle = _five(one.position, 1e3), _five(one.orientation, degrees(1.0))
    name = f"{one.robot.partition(':')[0]} ({one.model}, {one.network})"
    return (name, *position, *angle, percent(one.success), mmd, number(one.elbo))


def _mean_row(rows: "Sequence[Accuracy]") -> tuple[str, ...]:
    """Return the mean over robots, as the tables of networks have it."""
    from math import degrees

    def mean(values: "Sequence[float]") -> float:
        return sum(values) / len(values)

    columns = []
    for errors, scale in (("position", 1e3), ("orientation", degrees(1.0))):
        for name in ("mean", "mean_min", "mean_max", "q1", "q3"):
            values = [scale * getattr(getattr(one, errors), name) for one in rows]
            columns.append(number(mean(values)))
    success = percent(mean([one.success for one in rows]))
    return (rows[0].network, *columns, success, "-", number(mean([one.elbo for one in rows])))


def _print_steps(rows: "Sequence[Stepped]") -> None:
    from math import degrees

    from generative_ik_benchmarks.reproduce.ggik_raw import STEPS
    from generative_ik_ros.cli.console import print_table

    lines = []
    for one in rows:
        each = zip(one.position, one.orientation, one.near, strict=True)
        figures = [
            f"{number(1e3 * mm)}, {number(degrees(deg))}, {percent(near)}"
            for mm, deg, near in each
        ]
        lines.append((one.robot.partition(":")[0], one.model, *figures))
    print_table(
        "Raw samples after so many bounded Gauss-Newton steps onto the known distances: mean mm, "
        "mean deg, share within 1 cm and 1 degree [%].",
        ("robot", "model", *(f"{steps} steps" for steps in STEPS)),
        lines,
    )


def _print_latents(rows: "Sequence[LatentErrors]") -> None:
    from math import degrees

    from generative_ik_ros.cli.console import print_table

    if not rows:
        return
    lines = []
    for one in rows:
        poses = [f"{number(1e3 * mm)}, {number(degrees(a))}" for mm, a in (one.encoded, one.drawn)]
        robot = one.robot.partition(":")[0]
        lines.append((robot, one.model, number(one.nats), number(one.points), *poses))
    print_table(
        "Models with latents: what codes tell beyond the prior [nats an arm], mean distance of "
        "points decoded from solutions' own codes [share of the arm], and the pose's mm and deg "
        "from these and from drawn codes.",
        ("robot", "model", "nats", "points", "own codes", "drawn codes"),
        lines,
    )


def _print_best(rows: "Sequence[Accuracy]") -> None:
    from generative_ik_benchmarks.reproduce.ggik import COUNTS
    from generative_ik_ros.cli.console import print_table

    print_table(
        "Figure 4: mean distance of the best of so many samples [mm].",
        ("robot", "model", *map(str, COUNTS)),
        [(one.robot, one.model, *(number(1e3 * mm) for mm, _ in one.best)) for one in rows],
    )


def _print_starts(rows: "Sequence[StartsRow]") -> None:
    from math import degrees

    from generative_ik_benchmarks.reproduce.ggik_published import STARTS
    from generative_ik_ros.cli.console import print_table

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
    from generative_ik_benchmarks.reproduce.ggik import RADII
    from generative_ik_ros.cli.console import print_table

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
    from generative_ik_benchmarks.reproduce.ggik_published import FIGURE_8
    from generative_ik_ros.cli.console import print_table

    print_table(
        "Figure 8: time of so many samples of a problem, and what PyTorch (of models with "
        "latents, torch_geometric) takes for the same numbers, mean (deviation) [ms].",
        ("robot", "way", "samples", "ms"),
        [
            (one.robot, one.way, str(one.samples), f"{one.mean:.3g} ({one.deviation:.2g})")
            for one in rows
        ],
    )
    published = "; ".join(f"{n} in about {ms:g} ms" for n, ms in FIGURE_8.items())
    typer.echo(f"published, laptop GPU: {published}")
