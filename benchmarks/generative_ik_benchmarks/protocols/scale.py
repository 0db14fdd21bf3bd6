"""Time and memory of calls as joints, solutions, targets and cores grow.

Four things grow, one at a time: joints, solutions of one pose, targets of one call, and the cores
that the process may use. A point is some calls after one that is not counted; the last is watched
for the memory it takes, and calls with a deadline in the middle tell how far they run over it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.spatial import KDTree

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import checker_of, timed
from generative_ik_benchmarks.machine import PeakMemory, fewer_cores, on_cores
from generative_ik_benchmarks.options import RunOptions, option, sampler_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.plots.scale import Growth, growth_figure
from generative_ik_benchmarks.protocol import Listing, OnStep, Protocol
from generative_ik_benchmarks.synthetic_chains import synthetic_case
from generative_ik_benchmarks.text import Quartiles, number, percent, spread
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros._core import usable_cores
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import check_names
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import IKSolutions

JOINTS, SOLUTIONS, TARGETS, CORES = "joints", "solutions", "targets", "cores"
AXES = (JOINTS, SOLUTIONS, TARGETS, CORES)
_DEADLINES = 5
"""Calls with a deadline."""
_SHORTEST = 2e-3
"""No deadline is shorter than this: a call without any search takes its time too [s]."""
_CHECKED = 2000
"""Most configurations of a call that pinocchio looks at, evenly spread."""
_ONE, _MANY = (100, 1), (10, 100)
"""Poses and solutions of each by which chains of different joints are compared."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    axes: tuple[str, ...] = option(
        AXES,
        "What grows; may be given again.",
        check=partial(check_names, "axis", choices=AXES),
        flag="--axis",
    )
    joints: tuple[int, ...] = option(
        tuple(range(4, 16)), "Joints of synthetic arms.", quick=(6, 7), min=2, max=64
    )
    solutions: tuple[int, ...] = option(
        (1, 10, 100, 1000, 10_000, 100_000), "Solutions of one pose.", quick=(1, 10), min=1
    )
    targets: tuple[int, ...] = option(
        (1, 10, 100, 1000, 10_000), "Poses of a call.", quick=(1, 10), min=1
    )
    rounds: int = option(10, "Calls a point; large ones get fewer.", quick=1, min=1)
    sampler: str = sampler_option()
    core_targets: int = option(1000, "Poses of a call where the cores grow.", quick=20, min=1)


@dataclass(frozen=True)
class Call:
    """One point of a curve to measure.

    Attributes:
        case: The chain.
        targets: Poses a call.
        wanted: Solutions wanted for each.
        cores: Cores that the process may use; None: all at hand.
    """

    case: ChainCase
    targets: int
    wanted: int
    cores: int | None = None


@dataclass(frozen=True)
class ScalePoint:
    """Calls of one size."""

    chain: str = figure("The chain's label.")
    dof: int = figure("Joints to choose.")
    targets: int = figure("Poses a call.")
    wanted: int = figure("Solutions wanted for each.")
    cores: int = figure("Cores that the process may use.")
    rounds: int = figure("Calls measured.")
    found: float = figure("Solutions a pose.")
    complete: float = figure("Share of the poses with as many as were wanted.")
    seconds: Quartiles = figure("Time of a call [s].")
    memory: float = figure("Most memory that a call took beyond what the process had [bytes].")
    result: float = figure("How much of that is the result itself [bytes].")
    overrun: float = figure(
        "Most time by which a call ran over a deadline in the middle of its work [s]; NaN "
        "where a call is too short for one."
    )
    violations: Violations = figure(
        "What was returned that is not true, among the configurations looked at."
    )

    def size(self, axis: str) -> int:
        """Return what grows along an axis of `AXES`."""
        sizes = self.dof, self.wanted, self.targets, self.cores
        return sizes[AXES.index(axis)]

    @property
    def each(self) -> float:
        """Time of a call for each solution found, or each pose where none was [s]."""
        return self.seconds.median / max(self.found * self.targets, 1.0)


def measure_point(call: Call, rounds: int, sampler: str, seed: int) -> ScalePoint:
    """Measure calls of one size, each with poses of its own; `on_cores` limits the cores."""
    case, targets, wanted = call.case, call.targets, call.wanted
    chain, oracle = case.chain, Oracle.of(case)
    solver = IKSolver(chain, sampler=sampler)
    checker = checker_of(solver, case, oracle)
    # Each pose by a seed of its own, so that a longer call has the poses of a shorter one.
    poses = random_reachable_poses(chain, targets * rounds, seed)
    batches = poses.reshape(rounds, targets, 4, 4)
    solver.solve(batches[0][: max(1, targets // 10)], num_solutions=wanted, random_seed=seed)
    seconds, counts, violations = [], [], Violations()
    memory, peak, result = PeakMemory(), float("nan"), float("nan")
    for turn, batch in enumerate(batches):
        if turn == rounds - 1:
            found = None  # Its memory would be used again, unseen.
            memory.start()
        found, spent = timed(partial(solver.solve, batch, wanted, random_seed=seed))
        seconds.append(spent)
        if turn == rounds - 1:
            peak = memory.stop()
            arrays = (found.positions, found.position_error, found.orientation_error)
            result = float(sum(one.nbytes for one in arrays))
        counts.append(found.counts)
        violations += _violations(checker, batch, found)
    found_a_pose = np.concatenate(counts)
    return ScalePoint(
        chain=case.label,
        dof=chain.num_joints,
        targets=targets,
        wanted=wanted,
        cores=call.cores or usable_cores(),
        rounds=rounds,
        found=float(found_a_pose.mean()),
        complete=float((found_a_pose >= wanted).mean()),
        seconds=Quartiles.of(np.array(seconds)),
        memory=peak,
        result=result,
        overrun=_overrun(solver, batches[-1], wanted, float(np.median(seconds)) / 2.0, seed),
        violations=violations,
    )


def _overrun(solver: IKSolver, batch: Floats, wanted: int, timeout: float, seed: int) -> float:
    """Return the most time by which some calls ran over a deadline [s]."""
    if timeout < _SHORTEST:
        return float("nan")
    call = partial(solver.solve, batch, wanted, timeout=timeout, random_seed=seed)
    return max(0.0, *(timed(call)[1] - timeout for _ in range(_DEADLINES)))


def _violations(checker: Checker, batch: Floats, solutions: IKSolutions) -> Violations:
    """Check a call's configurations: an even choice of them by pinocchio, all for duplicates."""
    violations, positions, counts = Violations(), solutions.positions, solutions.counts
    step = max(1, int(counts.sum()) // _CHECKED)
    if len(batch) >= _CHECKED:
        batch, positions, counts = batch[::step], positions[::step], counts[::step]
        step = 1
    for target, found, count in zip(batch, positions, counts, strict=True):
        own = found[:count]
        violations += checker.wrong_or_outside(target, own[::step])
        if count > 1:
            pairs = KDTree(own).query_pairs(checker.duplicate_distance, p=np.inf)
            violations += Violations(duplicates=len(pairs))
    return violations


@dataclass(frozen=True)
class ScaleTable:
    """Points along one axis."""

    axis: str = figure("What grows, one of `AXES`.")
    chain: str = figure("What it grows on.")
    points: tuple[ScalePoint, ...] = figure("By size.")

    violations = violations_of(lambda table: table.points)


@dataclass(frozen=True)
class Sweep:
    """One curve to measure: calls along an axis, by size."""

    axis: str
    name: str
    calls: tuple[Call, ...]

    @property
    def label(self) -> str:
        """How the progress bar calls it."""
        return f"{self.axis}: {self.name}"


def sweeps(cases: Sequence[ChainCase], options: Options) -> list[Sweep]:
    """Return the curves; each chain has some of its own, and is a point where joints grow."""
    found: list[Sweep] = []
    cores = [*fewer_cores(usable_cores()), usable_cores()]

    def add(axis: str, name: str, calls: Iterable[Call]) -> None:
        if axis in options.axes:
            found.append(Sweep(axis, name, tuple(calls)))

    for shape, words, sizes in (
        ("spatial", "one solution", _ONE),
        ("spatial", f"{_MANY[1]} solutions", _MANY),
        ("planar", "one solution", _ONE),
    ):
        arms = [synthetic_case(shape, count) for count in sorted(set(options.joints))]
        add(JOINTS, f"{shape} arms, {words}", [Call(arm, *sizes) for arm in arms])
    robots = sorted(cases, key=lambda case: case.chain.num_joints)
    add(JOINTS, "robots, one solution", [Call(case, *_ONE) for case in robots])
    for case in cases:
        add(SOLUTIONS, case.label, [Call(case, 1, n) for n in sorted(set(options.solutions))])
        add(TARGETS, case.label, [Call(case, n, 1) for n in sorted(set(options.targets))])
        add(CORES, case.label, [Call(case, options.core_targets, 1, n) for n in cores])
    return found


def measure(sweep: Sweep, options: Options, on_sweep: OnStep) -> ScaleTable:
    """Measure a curve, points on fewer cores in processes of their own."""
    points = []
    for call in sweep.calls:
        # Large calls are measured less often.
        rounds = max(3, options.rounds * 100 // max(100, call.targets * call.wanted))
        run = partial(measure_point, call, rounds, options.sampler, options.random_seed)
        points.append(run() if call.cores is None else on_cores(call.cores, run))
    on_sweep()
    return ScaleTable(sweep.axis, sweep.name, tuple(points))


def listings(tables: Sequence[ScaleTable]) -> Iterator[Listing]:
    """Show a table an axis."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("DOF", lambda _, point: str(point.dof)),
        ("poses", lambda _, point: f"{point.targets:,}"),
        ("wanted", lambda _, point: f"{point.wanted:,}"),
        ("cores", lambda _, point: str(point.cores)),
        ("found", lambda _, point: number(point.found, 4)),
        ("complete %", lambda _, point: percent(point.complete)),
        ("ms", lambda _, point: spread(point.seconds, 1e3)),
        ("us each", lambda _, point: number(1e6 * point.each)),
        ("MB", lambda _, point: number(1e-6 * point.memory, 2)),
        ("result MB", lambda _, point: number(1e-6 * point.result, 2)),
        ("overrun ms", lambda _, point: number(1e3 * point.overrun)),
        ("false", lambda _, point: point.violations.text),
    )
    for axis in dict.fromkeys(table.axis for table in tables):
        heading = (
            f"What grows: {axis}. ms: of a call, median (quartiles). us each: of a solution. "
            "complete: poses with as many solutions as were wanted. MB: most memory a call took "
            "beyond what the process had; result: of that the result's arrays. overrun: most "
            "time over a deadline in the middle of the call."
        )
        some = [table for table in tables if table.axis == axis]
        yield Listing(heading, columns, [(one, point) for one in some for point in one.points])


def plot(tables: Sequence[ScaleTable], folder: Path) -> Iterator[Path]:
    """Draw a picture an axis."""
    for axis in dict.fromkeys(table.axis for table in tables):
        curves = [
            Growth(
                table.chain,
                np.array([float(point.size(axis)) for point in table.points]),
                np.array([point.seconds.median for point in table.points]),
                np.array([point.each for point in table.points]),
                np.array([point.memory for point in table.points]),
            )
            for table in tables
            if table.axis == axis
        ]
        file = folder / f"scale-{axis}.png"
        growth_figure(curves, axis).savefig(file, dpi=110)
        yield file


PROTOCOL = Protocol(
    Options,
    ScaleTable,
    measure,
    listings,
    steps=lambda _: 1,
    robots=("panda", "atlas_foot_to_hand"),
    items=sweeps,
    plot=plot,
)
