"""The tables of GGIK's papers, with the published figures beside the measured ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import degrees, nan
from typing import Any

import numpy as np

from generative_ik_benchmarks.metrics.pose_error import Summary
from generative_ik_benchmarks.protocol import Listing
from generative_ik_benchmarks.reproduce.ggik import Report
from generative_ik_benchmarks.reproduce.ggik_published import (
    FIGURE_8,
    NETWORKS,
    STARTS,
    TABLES,
    ErrorRow,
    Spread,
    StartRow,
)
from generative_ik_benchmarks.reproduce.ggik_samples import COUNTS, RADII, STEPS, Accuracy, Modes
from generative_ik_benchmarks.reproduce.ggik_starts import StartsRow
from generative_ik_benchmarks.text import number, percent

_DEGREES = degrees(1.0)
_MODEL = (("robot", lambda row, *_: _robot(row)), ("model", lambda row, *_: row.model))


def listings(report: Report) -> Iterator[Listing | str]:
    """Show the tables of errors, figures 4, 7 and 8, and what becomes of samples."""
    for purpose in TABLES:
        yield _errors(report, purpose)
    yield Listing(
        "Squared discrepancy (MMD) of 50 samples a pose from the solution set, of uniform draws, "
        "and of the solution set from itself; kernel as in IKFlow's code.",
        (
            *_MODEL,
            ("poses", lambda row: str(row.poses)),
            ("samples", lambda row: number(row.samples)),
            ("uniform draws", lambda row: number(row.uniform)),
            ("floor", lambda row: number(row.floor)),
        ),
        [(row,) for row in report.discrepancies],
    )
    yield Listing(
        "Figure 4: mean distance of the best of so many samples [mm].",
        (*_MODEL, *_indexed(COUNTS, lambda row, i: number(1e3 * row.best[i, 0]))),
        [(row,) for row in report.accuracy],
    )
    yield Listing(
        "Raw samples after so many bounded Gauss-Newton steps towards the target: mean mm, mean "
        "deg, share within 1 cm and 1 degree [%].",
        (
            *_MODEL,
            *_indexed(
                [f"{steps} steps" for steps in STEPS],
                lambda row, i: (
                    f"{_pose(row.position[i], row.orientation[i])}, " + percent(row.near[i])
                ),
            ),
        ),
        [(row,) for row in report.stepped],
    )
    yield _starts(report.starts)
    yield _clusters(report.modes)
    yield Listing(
        "Figure 8: time of so many samples of a problem, and what PyTorch takes for the same "
        "numbers, mean (deviation) [ms].",
        (
            ("robot", lambda row: _robot(row)),
            ("way", lambda row: row.way),
            ("samples", lambda row: str(row.samples)),
            ("ms", lambda row: f"{row.mean:.3g} ({row.deviation:.2g})"),
        ),
        [(row,) for row in report.times],
    )
    published = "; ".join(f"{n} in about {ms:g} ms" for n, ms in FIGURE_8.items())
    yield f"published, laptop GPU: {published}"


def _robot(row: Any) -> str:  # noqa: ANN401 (any row with a robot)
    return row.robot.partition(":")[0]


def _pose(distance: float, angle: float) -> str:
    return f"{number(1e3 * distance)}, {number(_DEGREES * angle)}"


def _indexed(
    heads: Sequence[object], cell: Callable[[Any, int], str]
) -> list[tuple[str, Callable[..., str]]]:
    """Return a column for each place of a sequence that a row has."""
    return [(str(head), lambda row, i=i: cell(row, i)) for i, head in enumerate(heads)]


def _spread_columns(unit: str, of: Callable[..., Spread]) -> list[tuple[str, Callable[..., str]]]:
    heads = ("mean", "min", "max", "Q1", "Q3")
    return [
        (f"{unit}: {head}", lambda row, *_, i=i: number(of(row)[i]))
        for i, head in enumerate(heads)
    ]


def _spread(summary: Summary, scale: float) -> Spread:
    values = (summary.mean, summary.mean_min, summary.mean_max, summary.q1, summary.q3)
    return Spread(*(scale * value for value in values))


_SPREADS = (
    *_spread_columns("mm", lambda row: row.position_mm),
    *_spread_columns("deg", lambda row: row.orientation_deg),
)


def _errors(report: Report, purpose: str) -> Listing:
    """Show raw errors of the models for a purpose."""
    tables = TABLES[purpose]
    mmd = {(row.robot, row.model): row.samples for row in report.discrepancies}
    chosen = [row for row in report.accuracy if row.purpose == purpose]
    rows = [_error_row(row, mmd.get((row.robot, row.model), nan)) for row in chosen]
    if purpose == NETWORKS:
        models = dict.fromkeys(row.model for row in chosen)
        rows = [_mean_row([row for row in chosen if row.model == model]) for model in models]
    if not rows:
        rows = [ErrorRow.of("none of our models: --train-samples, or --weights", [nan] * 13)]
    for table, published in tables.items():
        source = table.partition(":")[0]
        rows += [replace(row, name=f"- {source}: {row.name}") for row in published]
    heading = (
        f"{'; '.join(tables)}. Raw samples, 32 a problem; min and max of each problem, averaged; "
        "success: a sample within 1 cm and 1 degree. ELBO: ours is in nats per node "
        "(autoregressive: nats per joint) with our own spread of points, so only alike ones "
        "compare."
    )
    if report.samples:
        heading += (
            f" Models named only-, network- and varied: {report.samples:,} configurations each."
        )
    columns = (
        ("robot", lambda row: row.name),
        *_SPREADS,
        ("success: %", lambda row: number(row.success)),
        ("MMD", lambda row: number(row.mmd)),
        ("ELBO", lambda row: number(row.elbo, 4)),
    )
    return Listing(heading, columns, [(row,) for row in rows])


def _error_row(row: Accuracy, mmd: float) -> ErrorRow:
    return ErrorRow(
        f"{_robot(row)} ({row.model}, {row.network})",
        _spread(row.position, 1e3),
        _spread(row.orientation, _DEGREES),
        100.0 * row.success,
        mmd,
        row.elbo,
    )


def _values(row: ErrorRow) -> list[float]:
    return [*row.position_mm, *row.orientation_deg, row.success, row.mmd, row.elbo]


def _mean_row(rows: Sequence[Accuracy]) -> ErrorRow:
    """Return the mean over robots, as the tables of networks have it."""
    values = np.mean([_values(_error_row(row, nan)) for row in rows], axis=0)
    return ErrorRow.of(rows[0].network, values.tolist())


def _starts(measured: Sequence[StartsRow]) -> Listing:
    rows = [
        (
            StartRow(
                f"{row.solver} from {row.starts}",
                _spread(row.position, 1e3),
                _spread(row.orientation, _DEGREES),
                row.iterations,
                row.milliseconds,
                100.0 * row.success,
            ),
            row.ended,
            row.exact,
        )
        for row in measured
    ]
    rows += [(replace(row, name=f"- published: {row.name}"), nan, nan) for row in STARTS]
    return Listing(
        "T-RO table IV, CoRL table 2: local solvers, all robots together. iterations, ms: a start "
        "(mean, deviation). success: of problems; near: of starts within 1 cm and 1 degree; "
        "exact: of starts within 1e-5 m and rad.",
        (
            ("solver", lambda row, *_: row.name),
            *_SPREADS,
            ("iterations", lambda row, *_: number(row.iterations[0])),
            ("std", lambda row, *_: number(row.iterations[1])),
            ("ms", lambda row, *_: number(row.milliseconds[0])),
            ("std", lambda row, *_: number(row.milliseconds[1])),
            ("success: %", lambda row, *_: number(row.success)),
            ("near: %", lambda _, near, exact: percent(near)),
            ("exact: %", lambda _, near, exact: percent(exact)),
        ),
        rows,
    )


def _clusters(rows: Sequence[Modes]) -> Listing:
    counts = [str(count) for count in range(1, 9)]
    return Listing(
        "Figure 7: share of problems whose 32 samples form so many clusters [%].",
        (
            ("robot", lambda row, *_: _robot(row)),
            ("radius", lambda _, radius, found: f"{radius:g}"),
            *(
                (count, lambda *row, k=int(count): percent(float((row[2] == k).mean())))
                for count in counts
            ),
            ("more", lambda *row: percent(float((row[2] > len(counts)).mean()))),
        ),
        [
            (row, radius, found)
            for row in rows
            for radius, found in zip(RADII, row.clusters, strict=True)
        ],
    )
