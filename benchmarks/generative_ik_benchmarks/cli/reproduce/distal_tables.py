"""What was measured comes in, the paper's tables with ours beside what it published go out."""

from collections.abc import Mapping

from generative_ik_benchmarks.cli.common import print_listing
from generative_ik_benchmarks.protocols.unreachable import listings
from generative_ik_benchmarks.reproduce.distal import DistalReport
from generative_ik_benchmarks.reproduce.distal_contestants import TEACHING, Spread
from generative_ik_benchmarks.reproduce.distal_published import (
    TABLE_1A,
    TABLE_1B,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
)
from generative_ik_benchmarks.text import number, percent
from generative_ik_ros.cli.console import print_table

_SETTINGS = (
    "Ours to 1e-5 m and rad, inside the limits; nets as they answer, limits unknown to them "
    "unless lambda says so."
)


def show(report: DistalReport) -> None:
    """Print every table that there is something for."""
    for rows, table in (
        (report.accuracy, _table_1),
        (report.limits, _table_2),
        (report.singular, _table_3),
        (report.far, _table_4),
        (report.rejections, _rejections),
        (report.paths, _paths),
        (report.times, _table_5),
    ):
        if rows:
            table(report)
    if report.closest:
        for listing in listings(report.closest):
            print_listing(listing)


def _table_1(report: DistalReport) -> None:
    rows = []
    for one in report.accuracy:
        key = one.samples or one.contestant
        loose = TABLE_1A.get(one.mechanism, {}).get(key)
        tight = None if one.samples else TABLE_1B.get(one.mechanism, {}).get(key)
        rows.append(
            (
                one.mechanism, one.contestant, percent(one.loose), _given(loose),
                percent(one.tight), _given(tight), percent(one.exact),
                _spread(one.position, 1e3), _spread(one.orientation, 1e3),
            )
        )  # fmt: skip
    for mechanism in dict.fromkeys(one.mechanism for one in report.accuracy):
        for key, value in TABLE_1B.get(mechanism, {}).items():
            if isinstance(key, int):
                rows.append(
                    (mechanism, f"{TEACHING} ({key})", "-", "-", "-", _given(value), "-", "-", "-")
                )
    print_table(
        "Table I, sample efficiency: solved within 10 mm and 0.03 rad (a), 1 mm and 0.01 rad (b) "
        f"and sqrt(3) 1e-5 m and rad (exact); in brackets training poses. {_SETTINGS}",
        ("mechanism", "solver", "a %", "published", "b %", "published", "exact %",
         "mm: mean ± dev", "mrad: mean ± dev"),
        rows,
    )  # fmt: skip


def _table_2(report: DistalReport) -> None:
    rows = []
    for one in report.limits:
        rows.append(
            (
                one.mechanism, f"{one.penalty:g}", str(one.samples), percent(one.infeasible),
                _spread(one.position, 1e3), _spread(one.orientation, 1e3),
            )
        )  # fmt: skip
        there = TABLE_2.get(one.mechanism, {}).get(one.penalty)
        if there is not None:
            infeasible, *errors = there
            pairs = [f"{1e3 * errors[i]:.3g} ± {1e3 * errors[i + 1]:.3g}" for i in (0, 2)]
            rows.append(("- published", "", "", f"{infeasible:g}", *pairs))
    print_table(
        "Table II, joint limits: answers with a joint beyond its limits, by lambda. The 6-DoF "
        "arm's limits are not published; here ±2.55 rad stand in for them.",
        ("mechanism", "lambda", "poses", "infeasible %", "mm: mean ± dev", "mrad: mean ± dev"),
        rows,
    )


def _table_3(report: DistalReport) -> None:
    rows, notes = [], []
    for mechanism, singular in report.singular.items():
        for row in singular.rows:
            key = row.samples or row.contestant
            there = TABLE_3.get(mechanism, {}).get(row.test_set, {}).get(key)
            rows.append(
                (
                    mechanism, row.test_set, row.contestant, str(row.poses), percent(row.loose),
                    _given(there), percent(row.exact),
                    "-" if row.milliseconds is None else f"{row.milliseconds.median:.3f}",
                )
            )  # fmt: skip
        notes += [
            f"{mechanism}, {kind}: least singular value up to {value:.2g}"
            for kind, value in singular.least.items()
        ]
        notes.append(f"{mechanism}: ours missed {len(singular.missed)} poses")
        notes += [f"- {kind}: {target.tolist()}" for kind, target in singular.missed]
    print_table(
        "Table III, singularities: solved within 10 mm and 0.03 rad (a) and sqrt(3) 1e-5 m and "
        f"rad (exact), median ms a pose. {_SETTINGS}",
        ("mechanism", "test set", "solver", "poses", "a %", "published", "exact %", "ms"),
        rows,
    )
    print("\n".join(notes) + "\n")


def _table_4(report: DistalReport) -> None:
    rows = []
    for one in report.far:
        rows.append(
            (
                one.mechanism, one.contestant, str(one.samples or "-"), str(one.swapped or "-"),
                f"{one.distance:.2f}", _spread(one.position), _spread(one.orientation),
                _weighted(one.position.mean, one.orientation.mean),
            )
        )  # fmt: skip
        if one.samples is not None:
            distance, *errors = TABLE_4[one.mechanism][one.swapped > 0]
            pairs = [f"{errors[i]:.3g} ± {errors[i + 1]:.3g}" for i in (0, 2)]
            weighted = _weighted(errors[0], errors[2])
            rows.append(("- published", "", "", "", f"{distance:g}", *pairs, weighted))
    print_table(
        "Table IV, poses that cannot be reached: error of the closest configuration offered. "
        "unreachable: of the training poses. distance: mean, from the base. equation 2: 0.75 of "
        "the one and 0.25 of the other error, which nets are taught to make small; ours makes the "
        "root of the squared angle and the squared distance by half the reach small.",
        ("mechanism", "solver", "training poses", "unreachable", "distance: m",
         "m: mean ± dev", "rad: mean ± dev", "equation 2"),
        rows,
    )  # fmt: skip


def _rejections(report: DistalReport) -> None:
    rows = [
        (
            one.mechanism, f"{one.poses:,}", str(one.false_successes), str(one.undecided),
            f"{one.milliseconds.median:.2f}", f"{one.p99:.2f}",
        )
        for one in report.rejections
    ]  # fmt: skip
    print_table(
        "Rejected by ours: poses 0.01 % to 300 % beyond the sum of the links. undecided: another "
        "answer than NO_SOLUTION. ms: of one answer, asked for alone, without a deadline.",
        ("mechanism", "poses", "false", "undecided", "ms: median", "99th percentile"),
        rows,
    )


def _paths(report: DistalReport) -> None:
    rows = [
        (
            one.mechanism, one.kind, one.contestant, str(one.paths), str(one.with_jumps),
            str(one.jumps), str(one.unsolved), f"{one.worst_position:.2g}",
            f"{one.worst_orientation:.2g}", f"{one.milliseconds:.1f}",
        )
        for one in report.paths
    ]  # fmt: skip
    poses = ", ".join(str(count) for count in sorted({one.poses for one in report.paths}))
    print_table(
        f"Along paths of {poses} poses that have a continuous solution from the given start; a "
        "jump is a joint that moves by more than 0.2 rad from one pose to the next. unsolved: "
        "poses without an answer. m, rad: greatest errors. ms: mean of a path.",
        ("mechanism", "paths", "solver", "count", "with jumps", "jumps", "unsolved", "m", "rad",
         "ms"),
        rows,
    )  # fmt: skip


def _table_5(report: DistalReport) -> None:
    rows = []
    for one in report.times:
        there = _published_time(one.mechanism, one.contestant, one.test_set)
        rows.append(
            (
                one.mechanism, one.contestant, one.test_set, _spread(one.milliseconds),
                f"{one.median:.3g}", there,
            )
        )  # fmt: skip
    print_table(
        "Table V, run time of a pose. Published: Intel Core i7-6800K.",
        ("mechanism", "solver", "test set", "ms: mean ± dev", "ms: median", "published: ms"),
        rows,
    )


def _published_time(mechanism: str, contestant: str, test_set: str) -> str:
    table: Mapping[tuple[str, str], tuple[float, float | None]] = TABLE_5[mechanism]
    # The paper has near-singular poses only for the longest chain.
    for kind in (test_set, f"near-{test_set}"):
        if (contestant, kind) in table:
            mean, deviation = table[contestant, kind]
            return f"{mean:g}" if deviation is None else f"{mean:g} ± {deviation:g}"
    return "-"


def _spread(spread: Spread, scale: float = 1.0) -> str:
    return f"{number(scale * spread.mean)} ± {number(scale * spread.deviation)}"


def _weighted(position: float, orientation: float) -> str:
    """Return equation 2 of mean errors, which is its mean."""
    return f"{0.75 * position + 0.25 * orientation:.3g}"


def _given(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
