"""The tables of paths: first ones, shorter ones, and variants."""

from collections.abc import Sequence

import numpy as np

from generative_ik_benchmarks.protocol import Listing, text_listing
from generative_ik_benchmarks.protocols.path_figures import Found, ProblemFigures, Shorter
from generative_ik_benchmarks.protocols.path_variant_figures import VariantFigures
from generative_ik_benchmarks.text import number, spread

_NEAR = 1.05
"""Times its final length that a path may have to count as nearly as short."""


def first_listing(problems: Sequence[ProblemFigures]) -> Listing:
    """Return the table of first valid paths, beside those of others."""
    solvers = list(dict.fromkeys(one.solver for row in problems for one in row.others))
    rows = []
    for row in problems:
        by = {one.solver: one for one in row.others}
        rows.append([
            row.problem, str(row.poses), str(row.boxes), _verdict(row.first),
            spread(row.seconds, 1e3), number(1e3 * row.slowest), number(row.first.length),
            spread(row.call, 1e3), number(row.returned.length),
            str(row.first.between + row.returned.between),
            *(_other(by.get(name), row.poses) for name in solvers),
        ])  # fmt: skip
    heads = [
        "problem", "poses", "boxes", "valid", "first: ms", "slowest", "length", "returned: ms",
        "length", "on the way",
        *(f"{name}: ms (length)" for name in solvers),
    ]  # fmt: skip
    heading = (
        "CppFlow's problems: time to the first valid path among new obstacles, median (quartiles) "
        "and slowest of the rounds, its length in joint space; time and length of the path that a "
        "call without an objective returns, smoothed; and how many steps of both collide on the "
        "way when coal looks every 0.005 rad. The others have the same solutions of the "
        "first pose, checks and limits, and 10 s: time to a valid path and its length, or how "
        "far they come."
    )
    return text_listing(heading, heads, rows)


def _verdict(found: Found) -> str:
    return "yes" if found.valid else f"no: {found.faults}"


def _other(found: Found | None, poses: int) -> str:
    if found is None:
        return "-"
    if found.valid:
        return f"{number(1e3 * found.seconds)} ({number(found.length)})"
    if found.poses == poses:
        return f"no: {found.faults}"
    return f"no: pose {found.poses} of {poses}"


def shorter_listing(problems: Sequence[ProblemFigures]) -> Listing:
    """Return the table of shorter paths."""
    limits = list(dict.fromkeys(one.timeout for row in problems for one in row.shorter))
    rows = []
    for row in problems:
        by = {one.timeout: one for one in row.shorter}
        best = min((one.found.length for one in row.shorter if one.found.valid), default=0.0)
        rows.append([
            row.problem, number(row.returned.length),
            *(number(by[limit].found.length) if limit in by else "-" for limit in limits),
            number(row.returned.length / best) if best else "-",
            *_last(by.get(max(limits, default=0.0))),
        ])  # fmt: skip
    heads = [
        "problem", "returned: length", *(f"{limit:g} s" for limit in limits), "returned / best",
        "within 5 %: ms", "improvements", "travel: rad", "travel: m",
    ]  # fmt: skip
    heading = (
        "Lengths of paths in joint space: of what a call without an objective returns, and "
        "of the best within a time limit. "
        "within 5 %: when the longest search had a path at most 5 % longer than its last one. "
        "travel: the sum of all joint motions of that one, as CppFlow measures lengths."
    )
    return text_listing(heading, heads, rows)


def free_listing(problems: Sequence[ProblemFigures]) -> Listing:
    """Return the table of paths of a tool that may turn about its axis."""
    rows = [
        [
            row.problem, number(row.returned.length), _verdict(row.free), number(row.free.length),
            number(row.free.length / row.returned.length) if row.returned.length else "-",
            number(1e3 * row.free_first), number(1e3 * row.free.seconds), str(row.free.between),
        ]
        for row in problems
    ]  # fmt: skip
    heads = [
        "problem", "exact: length", "valid", "free z axis: length", "free / exact", "first: ms",
        "returned: ms", "on the way",
    ]  # fmt: skip
    heading = (
        "The same paths if the tool may turn about its z axis (region=TaskSpaceRegion.free_axis): "
        "lengths of what a call without an objective returns, and its times."
    )
    return text_listing(heading, heads, rows)


def _last(shorter: Shorter | None) -> list[str]:
    """Return when a path was nearly as short as the last one, their number, and its travel."""
    if shorter is None or not shorter.times:
        return ["-"] * 4
    pairs = zip(shorter.times, shorter.lengths, strict=True)
    near = min(at for at, length in pairs if length <= _NEAR * shorter.lengths[-1])
    return [
        number(1e3 * near),
        str(len(shorter.times)),
        number(shorter.travel),
        number(shorter.travel_prismatic),
    ]


def variants_listing(variants: Sequence[VariantFigures]) -> Listing:
    """Return the table of variants, with a row of all together."""
    columns = (
        ("problem", lambda row: row.problem),
        ("variants", lambda row: str(row.variants)),
        ("nodes a pose", lambda row: number(row.nodes) if row.nodes else "-"),
        ("solvable", lambda row: str(row.solvable)),
        ("solved", lambda row: str(row.solved)),
        ("missed", lambda row: str(len(row.missed))),
        ("beyond", lambda row: str(row.beyond)),
        ("refused", lambda row: str(row.refused)),
        ("on the way", lambda row: str(row.between)),
        ("stopped", lambda row: str(row.stopped)),
        ("timed out", lambda row: str(row.timed_out)),
        ("ms: median", lambda row: _percentile(row, 50)),
        ("p99", lambda row: _percentile(row, 99)),
        ("worst", lambda row: number(1e3 * row.worst)),
    )
    heading = (
        "Obstacles moved at random by up to 10 cm along each axis; problems without any get a "
        "cube of 15 cm near the path. solvable: the dense graph has a path that the oracle finds "
        "valid. missed: of these, not solved by us. beyond: solved by us, not by the graph. "
        "refused: paths of ours that the oracle refuses. on the way: solved, but with a collision "
        "between poses when coal looks every 0.005 rad. stopped: unsolved, and the graph's time "
        "was up. Times of those solved; worst: of all."
    )
    rows = [(row,) for row in variants]
    if len(variants) > 1:
        rows.append((_total(variants),))
    return Listing(heading, columns, rows)


def _percentile(row: VariantFigures, part: float) -> str:
    return number(1e3 * float(np.percentile(row.seconds, part))) if row.seconds else "-"


def _total(variants: Sequence[VariantFigures]) -> VariantFigures:
    """Return the figures of all problems together."""
    names = (
        "variants", "solved", "refused", "between", "solvable", "beyond", "stopped", "timed_out",
    )  # fmt: skip
    return VariantFigures(
        problem="all",
        nodes=0.0,
        missed=tuple(one for row in variants for one in row.missed),
        seconds=tuple(one for row in variants for one in row.seconds),
        worst=max(row.worst for row in variants),
        **{name: sum(getattr(row, name) for row in variants) for name in names},
    )
