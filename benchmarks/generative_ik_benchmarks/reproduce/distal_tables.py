"""The tables of the paper on distal teaching, with the published figures beside the measured."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan

from generative_ik_benchmarks.protocol import Listing, text_listing
from generative_ik_benchmarks.protocols import unreachable
from generative_ik_benchmarks.reproduce.distal import DistalReport
from generative_ik_benchmarks.reproduce.distal_accuracy import (
    AccuracyRow,
    Rejections,
    Singularities,
)
from generative_ik_benchmarks.reproduce.distal_mechanisms import UNIFORM
from generative_ik_benchmarks.reproduce.distal_paths import PathRow
from generative_ik_benchmarks.reproduce.distal_published import (
    TABLE_1A,
    TABLE_1B,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
)
from generative_ik_benchmarks.reproduce.distal_run_time import TimeRow
from generative_ik_benchmarks.reproduce.distal_solvers import Spread, net_name
from generative_ik_benchmarks.text import number, percent

_SETTINGS = (
    "Ours to 1e-5 m and rad, inside the limits; nets as they answer, limits unknown to them "
    "unless lambda says so."
)


def listings(report: DistalReport) -> Iterator[Listing | str]:
    """Show every table that there is something for; text goes between them."""
    # Generators: none of them runs before it is asked for a table.
    parts = (
        (report.accuracy, _table_1(report.accuracy)),
        (report.limits, _table_2(report.limits)),
        (report.singular, _table_3(report.singular)),
        (report.far, _table_4(report.far)),
        (report.rejections, _rejections(report.rejections)),
        (report.paths, _paths(report.paths)),
        (report.times, _table_5(report.times)),
        (report.closest, unreachable.listings(report.closest)),
    )
    for rows, part in parts:
        if rows:
            yield from part


def _table_1(rows: Sequence[AccuracyRow]) -> Iterator[Listing]:
    mechanisms = dict.fromkeys(one.mechanism for one in rows)
    only_published = [
        _unmeasured(mechanism, samples)
        for mechanism in mechanisms
        for samples in TABLE_1B.get(mechanism, {})
        if isinstance(samples, int)
    ]
    columns = (
        ("mechanism", lambda one: one.mechanism),
        ("solver", lambda one: one.solver),
        ("a %", lambda one: percent(one.loose)),
        ("published", lambda one: _published(TABLE_1A.get(one.mechanism, {}), one)),
        ("b %", lambda one: percent(one.tight)),
        ("published", lambda one: _published(TABLE_1B.get(one.mechanism, {}), one)),
        ("exact %", lambda one: percent(one.exact)),
        ("mm: mean ± dev", lambda one: _spread(one.position, 1e3)),
        ("mrad: mean ± dev", lambda one: _spread(one.orientation, 1e3)),
    )
    heading = (
        "Table I, sample efficiency: solved within 10 mm and 0.03 rad (a), 1 mm and 0.01 rad (b) "
        f"and sqrt(3) 1e-5 m and rad (exact); in brackets training poses. {_SETTINGS}"
    )
    yield Listing(heading, columns, [(one,) for one in (*rows, *only_published)])


def _unmeasured(mechanism: str, samples: int) -> AccuracyRow:
    """Return the row of a net that the paper has and that was not trained here."""
    who, none = (mechanism, net_name(samples), UNIFORM), Spread(nan, nan)
    return AccuracyRow(*who, 0, nan, nan, nan, nan, nan, none, none, samples=samples)


def _table_2(rows: Sequence[AccuracyRow]) -> Iterator[Listing]:
    lines = []
    for one in rows:
        training = [one.mechanism, f"{one.penalty:g}", str(one.samples)]
        lines.append([*training, percent(one.infeasible), *_both(one, 1e3)])
        there = TABLE_2.get(one.mechanism, {}).get(one.penalty)
        if there is not None:
            infeasible, *errors = there
            lines.append(["- published", "", "", f"{infeasible:g}", *_pairs(errors, 1e3)])
    heading = (
        "Table II, joint limits: answers with a joint beyond its limits, by lambda. The 6-DoF "
        "arm's limits are not published; here ±2.55 rad stand in for them."
    )
    heads = ("mechanism", "lambda", "poses", "infeasible %", "mm: mean ± dev", "mrad: mean ± dev")
    yield text_listing(heading, heads, lines)


def _table_3(parts: Sequence[Singularities]) -> Iterator[Listing | str]:
    columns = (
        ("mechanism", lambda one: one.mechanism),
        ("test set", lambda one: one.test_set),
        ("solver", lambda one: one.solver),
        ("poses", lambda one: str(one.poses)),
        ("a %", lambda one: percent(one.loose)),
        (
            "published",
            lambda one: _published(TABLE_3.get(one.mechanism, {}).get(one.test_set, {}), one),
        ),
        ("exact %", lambda one: percent(one.exact)),
        ("ms", lambda one: f"{one.milliseconds.median:.3f}" if one.milliseconds else "-"),
    )
    heading = (
        "Table III, singularities: solved within 10 mm and 0.03 rad (a) and sqrt(3) 1e-5 m and "
        f"rad (exact), median ms a pose. {_SETTINGS}"
    )
    yield Listing(heading, columns, [(one,) for part in parts for one in part.rows])
    notes = []
    for part in parts:
        notes += [
            f"{part.mechanism}, {kind}: least singular value up to {value:.2g}"
            for kind, value in part.least.items()
        ]
        notes.append(f"{part.mechanism}: ours missed {len(part.missed)} poses")
        notes += [f"- {kind}: {target.tolist()}" for kind, target in part.missed]
    yield "\n".join(notes) + "\n"


def _table_4(rows: Sequence[AccuracyRow]) -> Iterator[Listing]:
    lines = []
    for one in rows:
        name = one.solver.partition(" (")[0]
        training = [one.mechanism, name, str(one.samples or "-"), str(one.swapped or "-")]
        weighted = _weighted(one.position.mean, one.orientation.mean)
        lines.append([*training, f"{one.distance:.2f}", *_both(one), weighted])
        if one.samples is not None:
            distance, *errors = TABLE_4[one.mechanism][one.swapped > 0]
            weighted = _weighted(errors[0], errors[2])
            lines.append(["- published", "", "", "", f"{distance:g}", *_pairs(errors), weighted])
    heading = (
        "Table IV, poses that cannot be reached: error of the closest configuration offered. "
        "unreachable: of the training poses. distance: mean, from the base. equation 2: 0.75 of "
        "the one and 0.25 of the other error, which nets are trained to make small; ours "
        "minimises the root of the squared angle and the squared distance by half the reach."
    )
    heads = ("mechanism", "solver", "training poses", "unreachable", "distance: m")
    heads += ("m: mean ± dev", "rad: mean ± dev", "equation 2")
    yield text_listing(heading, heads, lines)


def _rejections(rows: Sequence[Rejections]) -> Iterator[Listing]:
    columns = (
        ("mechanism", lambda one: one.mechanism),
        ("poses", lambda one: f"{one.poses:,}"),
        ("false", lambda one: str(one.false_successes)),
        ("undecided", lambda one: str(one.undecided)),
        ("ms: median", lambda one: f"{one.milliseconds.median:.2f}"),
        ("99th percentile", lambda one: f"{one.p99:.2f}"),
    )
    heading = (
        "Rejected by ours: poses 0.01 % to 300 % beyond the sum of the links. undecided: another "
        "answer than NO_SOLUTION. ms: of one answer, asked for alone, without a deadline."
    )
    yield Listing(heading, columns, [(one,) for one in rows])


def _paths(rows: Sequence[PathRow]) -> Iterator[Listing]:
    columns = (
        ("mechanism", lambda one: one.mechanism),
        ("paths", lambda one: one.kind),
        ("solver", lambda one: one.solver),
        ("count", lambda one: str(one.paths)),
        ("with jumps", lambda one: str(one.with_jumps)),
        ("jumps", lambda one: str(one.jumps)),
        ("unsolved", lambda one: str(one.unsolved)),
        ("m", lambda one: f"{one.worst_position:.2g}"),
        ("rad", lambda one: f"{one.worst_orientation:.2g}"),
        ("ms", lambda one: f"{one.milliseconds:.1f}"),
    )
    poses = ", ".join(str(count) for count in sorted({one.poses for one in rows}))
    heading = (
        f"Along paths of {poses} poses that have a continuous solution from the given start; a "
        "jump is a joint that moves by more than 0.2 rad from one pose to the next. unsolved: "
        "poses without an answer. m, rad: greatest errors. ms: mean of a path."
    )
    yield Listing(heading, columns, [(one,) for one in rows])


def _table_5(rows: Sequence[TimeRow]) -> Iterator[Listing]:
    columns = (
        ("mechanism", lambda one: one.mechanism),
        ("solver", lambda one: one.solver),
        ("test set", lambda one: one.test_set),
        ("ms: mean ± dev", lambda one: _spread(one.milliseconds)),
        ("ms: median", lambda one: f"{one.median:.3g}"),
        ("published: ms", _published_time),
    )
    heading = "Table V, run time of a pose. Published: Intel Core i7-6800K."
    yield Listing(heading, columns, [(one,) for one in rows])


def _published_time(one: TimeRow) -> str:
    # The paper has near-singular poses only for the longest chain.
    for kind in (one.test_set, f"near-{one.test_set}"):
        if (one.solver, kind) in TABLE_5[one.mechanism]:
            mean, deviation = TABLE_5[one.mechanism][one.solver, kind]
            return f"{mean:g}" if deviation is None else f"{mean:g} ± {deviation:g}"
    return "-"


def _published(table: Mapping[str | int, float], one: AccuracyRow) -> str:
    """Return a published share, by training poses or by solver."""
    value = table.get(one.samples or one.solver)
    return "-" if value is None else f"{value:g}"


def _spread(spread: Spread, scale: float = 1.0) -> str:
    if spread.mean != spread.mean:
        return "-"
    return f"{number(scale * spread.mean)} ± {number(scale * spread.deviation)}"


def _both(one: AccuracyRow, scale: float = 1.0) -> list[str]:
    return [_spread(one.position, scale), _spread(one.orientation, scale)]


def _pairs(errors: Sequence[float], scale: float = 1.0) -> list[str]:
    """Return published errors: mean and deviation of position, then of orientation."""
    return [_spread(Spread(*errors[i : i + 2]), scale) for i in (0, 2)]


def _weighted(position: float, orientation: float) -> str:
    """Return equation 2 of mean errors, which is its mean."""
    return f"{0.75 * position + 0.25 * orientation:.3g}"
