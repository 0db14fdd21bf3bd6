"""Branches in closed form beside an exhaustive search: none missed, none false, and their time.

Limits are left aside: a closed form knows of none, so that the search is over all angles, from
positions of prismatic joints within theirs. Poses
that the closed form marks, because they lie at a singularity or so near that rounding decides,
are counted apart: there it promises nothing, and the solver searches.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase, cases_with
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import least_time
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.options import RunOptions, option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.border import sorted_poses
from generative_ik_benchmarks.protocols.branch_calls import (
    PEERS,
    Calls,
    calls_beside,
    time_to_refuse,
)
from generative_ik_benchmarks.protocols.singular_poses import anywhere, singular_configurations
from generative_ik_benchmarks.text import number
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, RefineTask
from generative_ik_ros.robot.closed_form import Family, find_family

ANYWHERE = "anywhere"
OFFSETS = {"singular": 0.0, "1e-9 rad": 1e-9, "1e-6 rad": 1e-6, "1e-3 rad": 1e-3}
KINDS = (ANYWHERE, *OFFSETS)
_SHARES = (0.6, 0.1, 0.1, 0.1, 0.1)
_TOGETHER = 20
"""Poses whose seeds are refined in one go."""
_TOLERANCE = 1e-11
"""Of the search [m and rad]."""
_RIGHT = 1e-5
"""A branch is false if its error is above this [m or rad]: the solver polishes and verifies."""
_SAME = 0.02
"""A search near a singularity ends within this of a branch, where the tip hardly moves [rad]."""
_TURNS = 5


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    poses: int = option(10_000, "Poses a chain, a tenth of each singular kind.", quick=50, min=10)
    seeds: int = option(1000, "Random configurations a pose that are refined.", quick=200, min=1)
    calls: int = option(100, "Poses of calls whose time is measured.", quick=5, min=1)


@dataclass(frozen=True)
class KindFigures:
    """Poses of one kind."""

    kind: str = figure("How far from a singularity.")
    poses: int = figure("How many.")
    marked: int = figure("Those whose branches the closed form does not call complete.")
    branches: int = figure("Of the others, those in closed form.")
    missed: int = figure(
        "Solutions of the others that the search found, or the pose was made from, and the "
        "closed form did not find."
    )
    false: int = figure("Branches of the others that do not reach the pose.")
    alone: int = figure("Branches of the others that the search did not find.")


@dataclass(frozen=True, kw_only=True)
class BranchesTable(ChainTable):
    """One chain."""

    family: str = figure("Of which it is.")
    rows: tuple[KindFigures, ...] = figure("By kind.")
    time: float = figure("Of all branches of a pose within reach, in compiled code [us].")
    rejected: int = figure(
        "Poses of any orientation about the robot that have no branch for certain."
    )
    rejection: float = figure("Time of one of those [us].")
    refusal: float = figure("The same of a call for all of them together [us].")
    calls: tuple[Calls, ...] = figure(
        "Calls for all branches, of ours and of others that take the chain."
    )

    @property
    def violations(self) -> Violations:
        """Everything untrue in our own results."""
        return Violations(wrong=sum(row.false + row.missed for row in self.rows))


def measure(case: ChainCase, options: Options, on_pose: OnStep) -> BranchesTable:
    """Measure one chain."""
    chain, family = case.chain, find_family(case.chain)
    assert family is not None  # noqa: S101
    rng, oracle = np.random.default_rng(options.random_seed), Oracle.of(case)
    comparison, rows = _Comparison(case, family, options, rng), []
    reached = np.empty((0, 4, 4))
    for kind, share in zip(KINDS, _SHARES, strict=True):
        count = int(share * options.poses)
        if kind == ANYWHERE:
            drawn = anywhere(chain, rng, count)
            reached = chain.forward(drawn)
        else:
            drawn = singular_configurations(chain, count, OFFSETS[kind], rng)
        rows.append(comparison.figures(kind, drawn, oracle.forward(drawn), on_pose))
    rejected, *_ = sorted_poses(
        chain, options.poses, options.random_seed, lambda poses: _branches(family, poses)[1] != 0
    )
    calls, absent = calls_beside(case, family, options.calls, options.random_seed)
    return BranchesTable(
        chain=case.label,
        dof=6,
        absent=absent,
        family=family.name,
        rows=tuple(rows),
        time=_microseconds(family, reached),
        rejected=len(rejected),
        rejection=_microseconds(family, rejected),
        refusal=time_to_refuse(case, rejected),
        calls=calls,
    )


class _Comparison:
    """Compares the closed form of a chain with a search."""

    def __init__(
        self, case: ChainCase, family: Family, options: Options, rng: np.random.Generator
    ):
        self._chain, self._family, self._seeds, self._rng = case.chain, family, options.seeds, rng
        self._space, self._oracle = JointSpace.torus(case.chain), Oracle.of(case)
        self._refiner = LevenbergMarquardt(case.chain, _TOLERANCE, _TOLERANCE)

    def figures(self, kind: str, drawn: Floats, targets: Floats, on_pose: OnStep) -> KindFigures:
        """Compare on the poses (N, 4, 4) of configurations (N, 6)."""
        found, counts = _branches(self._family, targets)
        missed = false = alone = branches = 0
        sure = np.flatnonzero(counts >= 0)
        for begin in range(0, len(sure), _TOGETHER):
            chosen = sure[begin : begin + _TOGETHER]
            ends, of = self._searched(targets[chosen])
            for i, row in enumerate(chosen):
                ours = found[row, : counts[row]]
                theirs = np.concatenate([ends[of == i], drawn[row, None]])
                errors = pose_errors(self._oracle.forward, ours, targets[row])
                false += int((np.maximum(*errors) > _RIGHT).sum())
                missed += self._strangers(theirs, ours)
                alone += int((self._gaps(ours, theirs) > _SAME).sum())
                branches += len(ours)
                on_pose()
        marked = len(targets) - len(sure)
        for _ in range(marked):
            on_pose()
        return KindFigures(kind, len(targets), marked, branches, missed, false, alone)

    def _searched(self, targets: Floats) -> tuple[Floats, Ints]:
        """Return where seeds converged (N, 6), and for which target each."""
        of = np.repeat(np.arange(len(targets)), self._seeds)
        seeds = anywhere(self._chain, self._rng, len(of))
        free, enough = np.full(6, np.inf), np.full(len(targets), np.iinfo(np.int64).max)
        ended = self._refiner.refine(RefineTask(targets, seeds, of, -free, free, enough))
        return ended.positions[ended.converged], of[ended.converged]

    def _gaps(self, positions: Floats, among: Floats) -> Floats:
        """Return how far each configuration is from the nearest of others [rad]."""
        gaps = self._space.distances(positions[:, None], among[None], LARGEST)
        return gaps.min(axis=1, initial=np.inf)

    def _strangers(self, positions: Floats, known: Floats) -> int:
        """Count the distinct configurations that are not among the known ones."""
        strange = positions[self._gaps(positions, known) > _SAME]
        return len(self._space.thin(strange, _SAME))


def _branches(family: Family, targets: Floats) -> tuple[Floats, Ints]:
    """Return the kernel's branches (N, most, 6) and counts (N,)."""
    return family.kernel.find(family.parameters, np.ascontiguousarray(targets))


def _microseconds(family: Family, targets: Floats) -> float:
    """Return the least time of a pose [us], the thread's own: other work does not count."""
    seconds = least_time(partial(_branches, family, targets), _TURNS, time.thread_time)
    return 1e6 * seconds / max(len(targets), 1)


def listings(tables: Sequence[BranchesTable]) -> Iterator[Listing]:
    """Show what is missed and false, by kind, then the times."""
    rows = [row for _, row in each_row(tables)]
    sure = sum(row.poses - row.marked for row in rows)
    yield Listing(
        f"{sum(row.poses for row in rows)} poses, {sure} with all branches for certain: "
        f"{sum(row.missed for row in rows)} missed, {sum(row.false for row in rows)} false.",
        [
            ("chain", lambda table, _: table.chain),
            ("poses", lambda _, row: row.kind),
            ("marked", lambda _, row: f"{row.marked} of {row.poses}"),
            ("branches", lambda _, row: str(row.branches)),
            ("missed", lambda _, row: str(row.missed)),
            ("false", lambda _, row: str(row.false)),
            ("not found by search", lambda _, row: str(row.alone)),
        ],
        each_row(tables),
    )
    yield Listing(
        "All branches of a pose, and saying that there is none, in compiled code, least of five.",
        [
            ("chain", lambda table: table.chain),
            ("family", lambda table: table.family),
            ("us", lambda table: f"{table.time:.2f}"),
            ("out of reach", lambda table: str(table.rejected)),
            ("us", lambda table: f"{table.rejection:.2f}" if table.rejected else "-"),
        ],
        [(table,) for table in tables],
    )
    yield Listing(
        "Calls of Python for all branches of a pose within reach, the least of several in turns, "
        "median of the poses; the same of a thousand together, `ssik` one after the other, the "
        "others in one call on all cores; and for one solution of all poses out of reach in one "
        "call. By the clock. Ours and `ssik` keep to the joint limits, ours lists full turns, "
        "too; EAIK knows no limits.",
        [
            ("chain", lambda table: table.chain),
            *_columns("call"),
            *_columns("batch"),
            ("out of reach: us", lambda table: number(table.refusal)),
        ],
        [(table,) for table in tables],
    )


def _columns(what: str) -> Iterator[tuple[str, Callable[[BranchesTable], str]]]:
    """Return a column of our times, and two for each other solver."""
    yield f"{what}: us", lambda table: number(getattr(table.calls[0], what))
    for name in PEERS:
        yield f"{name}: us", partial(_of_peer, name=name, what=what)
        yield "times ours", partial(_of_peer, name=name, what=what, over=True)


def _of_peer(table: BranchesTable, name: str, what: str, *, over: bool = False) -> str:
    """Return a time of another solver, or how many times ours it is; a dash if there is none."""
    for calls in table.calls[1:]:
        if calls.solver == name:
            ours = getattr(table.calls[0], what) if over else 1.0
            return number(getattr(calls, what) / ours)
    return "-"


PROTOCOL = Protocol(
    Options,
    BranchesTable,
    measure,
    listings,
    robots=("ur10", "compi"),
    items=lambda cases, _: cases_with(find_family, cases),
)
