"""IKFlow's table II and figure 4 as tables, with the published figures beside the measured."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan

from generative_ik_benchmarks.protocol import Listing
from generative_ik_benchmarks.published import FIGURE_4, TableII
from generative_ik_benchmarks.reproduce.ikflow import IKFlowReport
from generative_ik_benchmarks.text import number, percent


def listings(reports: Sequence[IKFlowReport]) -> Iterator[Listing | str]:
    """Show table II, what becomes of the samples, the effect of temperature, and figure 4."""
    yield _table_2(reports)
    yield _refined(reports)
    yield _temperatures(reports)
    yield _run_times(reports)
    published = "; ".join(
        f"{name}: {samples} in about {ms:g} ms" for name, (samples, ms) in FIGURE_4.items()
    )
    yield f"published, ATLAS: {published}"


def _table_2(reports: Sequence[IKFlowReport]) -> Listing:
    columns = (
        ("chain", lambda row, *_: row.name),
        ("joints", lambda *cells: cells[1]),
        ("parameters", lambda *cells: cells[2]),
        ("MMD", lambda row, *_: _mmd(row.mmd)),
        ("ms", lambda row, *_: number(row.milliseconds)),
        ("mm", lambda row, *_: number(row.position_mm)),
        ("deg", lambda row, *_: number(row.orientation_deg)),
    )
    heading = (
        "Table II: raw samples. MMD of 250 a pose with the kernel of the authors' code (the "
        "paper gives none): only its distance from that of uniform draws, which are no solutions, "
        "means something. ms: 100 samples of one pose, asked for alone. mm, deg: mean errors."
    )
    return Listing(heading, columns, [row for one in reports for row in _rows(one)])


def _rows(one: IKFlowReport) -> Iterator[tuple[TableII, str, str]]:
    """Return a chain's rows, each with its number of joints and of parameters."""
    mmd, raw, joints = (
        {row.sampler: row.raw.mmd for row in one.quality.rows},
        one.raw,
        str(one.dof),
    )
    errors = raw.position_mm, raw.orientation_deg
    medians = raw.position_median_mm, raw.orientation_median_deg
    measured = TableII(one.chain, mmd.pop(one.sampler), raw.milliseconds, *errors)
    yield measured, joints, f"{one.parameters:,}"
    yield TableII("- medians", nan, nan, *medians), "-", "-"
    if one.published is not None:
        yield replace(one.published, name=f"- published: {one.published.name}"), joints, "-"
    for name, value in mmd.items():
        yield TableII(f"- {name} draws of the joint box", value, nan, nan, nan), "-", "-"
    floor = one.quality.mmd_floor
    yield TableII("- the solution set itself", floor, nan, nan, nan), "-", "-"


def _mmd(value: float) -> str:
    """Return a discrepancy; a dash where a pose has one solution, which has no spread."""
    return "-" if value != value else f"{value:.4f}"


def _refined(reports: Sequence[IKFlowReport]) -> Listing:
    columns = (
        ("chain", lambda one, _: one.chain),
        ("sampler", lambda _, row: row.sampler),
        ("converged %", lambda _, row: percent(row.refined.converged)),
        ("iterations", lambda _, row: f"{row.refined.iterations:.1f}"),
        ("distinct", lambda _, row: f"{row.refined.distinct:.1f}"),
        ("distinct/ms", lambda _, row: f"{row.refined.distinct_per_second / 1e3:.1f}"),
        ("coverage %", lambda _, row: percent(row.refined.coverage)),
        ("branches %", lambda _, row: percent(row.refined.branch_recall)),
    )
    samples = reports[0].quality.samples if reports else 0
    heading = (
        f"After the local solver: {samples} samples of a pose refined to 1e-5 m and 1e-5 rad. "
        "distinct/ms: of the time of sampling and refining."
    )
    return Listing(heading, columns, [(one, row) for one in reports for row in one.quality.rows])


def _temperatures(reports: Sequence[IKFlowReport]) -> Listing:
    columns = (
        ("chain", lambda one, _: one.chain),
        ("temperature", lambda _, row: f"{row.temperature:g}"),
        ("mm", lambda _, row: number(row.position_mm)),
        ("deg", lambda _, row: number(row.orientation_deg)),
        ("converged %", lambda _, row: percent(row.converged)),
        ("distinct", lambda _, row: f"{row.distinct:.1f}"),
        ("coverage %", lambda _, row: percent(row.coverage)),
    )
    heading = "Temperature: 100 samples of a pose, raw errors, then what they become."
    return Listing(heading, columns, [(one, row) for one in reports for row in one.temperatures])


def _run_times(reports: Sequence[IKFlowReport]) -> Listing:
    columns = (
        ("chain", lambda one, _: one.chain),
        ("samples", lambda _, run: str(run.samples)),
        ("solver", lambda _, run: run.solver),
        ("ms", lambda _, run: f"{run.mean:.3g} ({run.deviation:.2g})"),
        ("found", lambda _, run: f"{run.found:.0f}"),
    )
    heading = "Figure 4: time of so many samples of a pose, mean (deviation)."
    return Listing(heading, columns, [(one, run) for one in reports for run in one.run_times])
