"""Figures of an evaluation come in, tables for people are printed."""

from generative_ik_ros.cli.console import print_table
from generative_ik_ros.evaluation.reachability import Figures, ReachabilityRow
from generative_ik_ros.evaluation.throughput import Throughput
from generative_ik_ros.evaluation.verification import Faults


def print_reachability(
    rows: list[ReachabilityRow], poses: int, solutions: int, timeout: float
) -> None:
    """Print a row a chain: ours for many solutions, ours for one, then the peers."""
    peers = list(dict.fromkeys(f.contestant for row in rows for f in row.peers))
    heads = ["chain", "DOF", f"ours, {solutions}: solved %", "solutions", "ms", "false"]
    for who in ("ours, 1", *peers):
        heads += [f"{who}: solved %", "ms", "false"]
    print_table(
        f"{poses} random reachable poses a chain, 1e-5 m and 1e-5 rad; ours within "
        f"{1e3 * timeout:g} ms, TRAC-IK within 5 ms. ms: median (99th percentile) of a call. "
        "false: wrong pose/outside limits/twins.",
        heads,
        [_row(row, ("ours, 1", *peers)) for row in rows],
    )


def _row(row: ReachabilityRow, others: tuple[str, ...]) -> list[str]:
    cells = [row.chain, str(row.dof or "-")]
    if row.ours:
        solved, *rest = _cells(row.ours[0])
        cells += [solved, f"{row.ours[0].solutions:.1f}", *rest]
    else:
        cells += ["-"] * 4
    by_name = {figures.contestant: figures for figures in (*row.ours[1:], *row.peers)}
    for who in others:
        cells += _cells(by_name[who]) if who in by_name else ["-"] * 3
    return cells


def _cells(figures: Figures) -> list[str]:
    times = f"{1e3 * figures.median:.2f} ({1e3 * figures.p99:.2f})"
    return [f"{100 * figures.solved:.1f}", times, _text(figures.faults)]


def _text(faults: Faults) -> str:
    return f"{faults.wrong}/{faults.outside}/{faults.twins}"


def print_throughput(table: Throughput, sampler: str) -> None:
    """Print a row a contestant."""
    rows = []
    for rate in table.rates:
        ratio, exact = rate.ratio, rate.exact_ratio
        rows.append(
            (
                rate.contestant,
                f"{rate.per_second:,.0f}",
                f"{1e6 / max(rate.per_second, 1e-9):.2f}",
                f"{rate.solutions:.1f}",
                f"{ratio.median:.1f} ({ratio.low:.1f} to {ratio.high:.1f})" if ratio else "-",
                f"{rate.exact_per_second:,.0f}",
                f"{exact.median:.1f} ({exact.low:.1f} to {exact.high:.1f})" if exact else "-",
                _text(rate.faults),
            )
        )
    print_table(
        f"{table.chain}: {table.solutions} solutions wanted a pose, our seeds {sampler}. Medians "
        f"(quartiles) of {table.blocks} blocks of {table.poses} poses, in turns. "
        f"distinct: {table.distinct_distance:g} apart in some joint, whole turns aside.",
        (
            "contestant",
            "distinct/s",
            "us each",
            "a pose",
            "times TRAC-IK",
            "exact/s",
            "times TRAC-IK",
            "false",
        ),
        rows,
    )
