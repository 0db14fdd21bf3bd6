"""Protocol C: what a sampler's samples are worth as samples, raw and refined.

N samples a pose, as they come and after the local solver has made them exact, see
`sample_quality`. The solution set that they are compared with is exhaustive multi-start's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.protocol import Listing, OnStep, Protocol, each_row, text_listing
from generative_ik_benchmarks.protocols.references import Reference
from generative_ik_benchmarks.protocols.sample_quality import (
    SampleOptions,
    SamplerQuality,
    SampleTable,
    SampleTrial,
)
from generative_ik_benchmarks.published import LearnedRow, learned_rows
from generative_ik_benchmarks.seeding import seed_samplers
from generative_ik_benchmarks.text import number, percent

_MM, _DEG = 1e3, np.rad2deg(1.0)


@dataclass(frozen=True, kw_only=True)
class Options(SampleOptions):
    """What can be set. IKFlow's table has 1000 poses and 250 samples, GGIK's 2000 and 32."""


@dataclass(frozen=True, kw_only=True)
class GenerativeTable(SampleTable):
    """One chain."""

    reference: Reference = figure("What coverage and discrepancy are measured against.")
    mmd_floor: float = figure(
        "Discrepancy of so many samples from the solution set itself, on average."
    )
    published: tuple[LearnedRow, ...] = figure("What others report for this robot.")


def measure(case: ChainCase, options: Options, on_step: OnStep) -> GenerativeTable:
    """Measure the samplers on one chain."""
    chain = case.chain
    samplers, absent = seed_samplers(chain, options.samplers)
    trial = SampleTrial(case, options, on_step)
    if trial.branchless:
        absent["branches"] = trial.branchless
    rows = trial.rows(samplers, on_step)
    return GenerativeTable(
        chain=case.label,
        dof=chain.num_joints,
        poses=options.poses,
        samples=options.samples,
        reference=trial.reference,
        mmd_floor=trial.mmd_floor,
        rows=rows,
        published=learned_rows(case.stem, chain.num_joints),
        absent=absent,
    )


def listings(tables: Sequence[GenerativeTable]) -> Iterator[Listing]:
    """Show the samples raw, with what others published, and refined."""
    yield _raw_listing(tables)
    columns = (
        ("chain", lambda table, _: table.chain),
        ("sampler", lambda _, row: row.sampler),
        ("converged %", lambda _, row: percent(row.refined.converged)),
        (
            "iterations",
            lambda _, row: (
                f"{row.refined.iterations:.1f} ({row.refined.iterations_deviation:.1f})"
            ),
        ),
        ("distinct", lambda _, row: f"{row.refined.distinct:.1f}"),
        ("duplicates %", lambda _, row: percent(row.refined.duplicates)),
        ("distinct/s", lambda _, row: number(row.refined.distinct_per_second)),
        ("coverage %", lambda _, row: percent(row.refined.coverage)),
        ("branches %", lambda _, row: percent(row.refined.branch_recall)),
        ("MMD", lambda _, row: f"{row.refined.mmd:.4f}"),
        ("false", lambda _, row: row.refined.violations.text),
    )
    heading = (
        "The same samples refined to 1e-5 m and 1e-5 rad. iterations: mean (deviation). branches: "
        "of the closed-form solution."
    )
    yield Listing(heading, columns, each_row(tables))


def _raw_listing(tables: Sequence[GenerativeTable]) -> Listing:
    heads = ["chain", "sampler", "mm: p50", "p90", "p99", "deg: p50", "p90", "p99", "mean mm"]
    heads += ["mean deg", "outside %", "duplicates %", "MMD", "ms"]
    rows = []
    for table in tables:
        rows += [(table.chain, row.sampler, *_raw_cells(row, table)) for row in table.rows]
        for line in table.published:
            mmd = "-" if line.mmd is None else f"{line.mmd:.4f}"
            errors = number(line.position_mm), number(line.orientation_deg)
            source = f"published: {line.source}"
            rows.append((table.chain, source, *["-"] * 6, *errors, "-", "-", mmd, "-"))
    sizes = {f"{table.samples} samples of each of {table.poses} poses" for table in tables}
    heading = (
        f"{', '.join(sorted(sizes))}, raw. MMD: from the solution set; that set itself has the "
        "one behind it. ms: a pose's samples."
    )
    return text_listing(heading, heads, rows)


def _raw_cells(row: SamplerQuality, table: GenerativeTable) -> tuple[str, ...]:
    raw = row.raw
    position, orientation = raw.position, raw.orientation
    return (
        *(number(_MM * value) for value in (position.p50, position.p90, position.p99)),
        *(number(_DEG * value) for value in (orientation.p50, orientation.p90, orientation.p99)),
        number(_MM * position.mean),
        number(_DEG * orientation.mean),
        percent(raw.outside),
        percent(raw.duplicates),
        f"{raw.mmd:.4f} ({table.mmd_floor:.4f})",
        number(raw.milliseconds),
    )


PROTOCOL = Protocol(
    Options,
    GenerativeTable,
    measure,
    listings,
    steps=lambda options: options.steps,
)
