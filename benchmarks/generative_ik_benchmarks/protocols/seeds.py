"""A chain comes in, what each sampler is worth in a whole call goes out, and why not more.

Protocol D follows seeds without the search around them. Here it is the call that users make,
`IKSolver.solve` for many solutions of a pose, once with each sampler, in turns on the same poses:
distinct exact solutions a millisecond, as times of those with quasi-random seeds, and coverage of
the reference sets. Before each call that counts the same solver solves another pose, so that its
code and its tables are as near as in a row of calls.

Two of the solvers know the answer. One is given solutions of the pose as seeds, the other seeds
0.01 rad beside them; neither pays for them, and each seed is another solution as long as there are
any. What they gain is the most that any seeds can gain in this call, see `KnownSolutions`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.known_solutions import KnownSolutions
from generative_ik_benchmarks.metrics.coverage import coverage
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.seeding import willing_samplers
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.solutions import IKSolutions

PLAIN = "quasi_random"
"""What all others are compared with."""
SAMPLERS = ("capability_map", "retrieval", "ikflow")
KNOWN, BESIDE = "known solutions", "beside known solutions"
_ASIDE = {KNOWN: 0.0, BESIDE: 0.01}
_TIMEOUT = 1.0
"""Deadline of a call, far beyond what it takes [s]."""
_EVERYTHING = 10_000
"""So many solutions are asked for to see how many there are."""
TWICE = 2.0
"""What good seeds should be worth."""
_LESS_COVERED = 0.005
"""By so much coverage may differ and still count as equal."""


@dataclass(frozen=True)
class SeedCalls:
    """Calls with the seeds of one sampler; means over the poses where nothing else is said.

    Attributes:
        sampler: Its name, `KNOWN` or `BESIDE`.
        seconds: Time of a call [s], each pose by the median of its calls.
        solutions: Returned a pose.
        per_ms: Distinct exact solutions a millisecond.
        ratio: How many times those of quasi-random seeds, pose by pose.
        coverage: Share of the reference set with a returned solution nearby.
        seeds: Seeds tried, those beside known solutions included.
        walks: Share of them that the search made itself, beside solutions found before.
        exact: Share of the seeds that became exact.
        iterations: Iterations a seed.
        repeats: Share of the exact ones whose solution was known already.
        proposing: Share of the time that the sampler took.
        selecting: Share of the time that putting solutions in order took.
        faults: What was returned that is not true.
    """

    sampler: str
    seconds: Quartiles
    solutions: float
    per_ms: Quartiles
    ratio: Quartiles
    coverage: float
    seeds: float
    walks: float
    exact: float
    iterations: float
    repeats: float
    proposing: float
    selecting: float
    faults: Violations


@dataclass(frozen=True)
class SeedTable:
    """One chain.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        poses: Random reachable poses.
        repeats: Calls that count, each sampler and pose.
        wanted: Solutions wanted for each.
        there_are: Distinct solutions a pose that a call for 10,000 finds, the median.
        auto: Which sampler "auto" takes in these calls.
        reference: What coverage is measured against.
        rows: A row a sampler, quasi-random seeds first.
        absent: Why a sampler did not take part.
    """

    chain: str
    dof: int
    poses: int
    repeats: int
    wanted: int
    there_are: float
    auto: str
    reference: Reference
    rows: tuple[SeedCalls, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue."""
        return sum((row.faults for row in self.rows), Violations())

    def row(self, sampler: str) -> SeedCalls | None:
        """Return the row of a sampler, if it took part."""
        return next((row for row in self.rows if row.sampler == sampler), None)

    @property
    def bound(self) -> float:
        """The most that any seeds can gain: with what is known in advance."""
        return max(row.ratio.median for row in self.rows if row.sampler in _ASIDE)

    @property
    def best(self) -> SeedCalls | None:
        """The learned or looked up seeds that gain most at equal coverage, else that gain most."""
        real = [row for row in self.rows if row.sampler not in (PLAIN, *_ASIDE)]
        plain = self.rows[0].coverage
        equal = [row for row in real if not row.coverage < plain - _LESS_COVERED]
        return max(equal or real, key=lambda row: row.ratio.median, default=None)

    @property
    def verdict(self) -> str:
        """Whether some seeds are worth twice quasi-random ones in a call, and if not, why."""
        best, plain = self.best, self.rows[0]
        if best is None:
            return "no sampler for this chain"
        covers = best.coverage >= plain.coverage - _LESS_COVERED
        if covers and best.ratio.median >= TWICE:
            return f"yes, {best.sampler}"
        if self.bound < TWICE:
            return "no: not even the solutions themselves as seeds"
        if not covers:
            return "no: none covers as much"
        free = best.ratio.median / max(1.0 - best.proposing, 1e-9)
        if free >= TWICE:
            return f"no: proposing takes the time, without it {free:.1f} times"
        known = f"{100.0 * best.repeats:.0f} % of its finds are repeats"
        return f"no: {known}, without the time to propose {free:.1f} times"


def seeds_in_calls(
    case: ChainCase,
    *,
    poses: int = 10,
    repeats: int = 9,
    wanted: int = 100,
    samplers: Sequence[str] = (),
    reference: ExhaustiveSettings | None = None,
    device: str = "cpu",
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> SeedTable:
    """Measure one chain.

    Args:
        case: The chain.
        poses: Random reachable poses.
        repeats: Calls of each sampler on each pose.
        wanted: Solutions wanted for each.
        samplers: Which, beside quasi-random seeds; `SAMPLERS` if empty.
        reference: How hard all solutions are looked for.
        device: Where models run.
        seed: Of poses and solvers.
        on_step: Called after each pose of the reference and each pose.

    Raises:
        GenerativeIKError: The chain is refused, or a sampler does not exist.
    """
    chain, oracle = case.chain, Oracle.of(case)
    names = [name for name in samplers or SAMPLERS if name != PLAIN]
    ready, absent = willing_samplers(chain, [PLAIN, *names], device)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets, reference, on_step)
    solvers = {name: IKSolver(chain, sampler) for name, sampler in ready.items()}
    for solver in solvers.values():
        solver.warm_up()
    plain = solvers[PLAIN]
    # The most diverse come first, so that what is known first covers the most.
    everything = [plain.solve(t, _EVERYTHING, timeout=_TIMEOUT).of(0) for t in targets]
    for name, aside in _ASIDE.items():
        sampler = KnownSolutions(chain, aside, plain.distinct_distance)
        for target, solutions in zip(targets, everything, strict=True):
            sampler.know(target, solutions, 2 * wanted, seed)
        solvers[name] = IKSolver(chain, sampler)
    calls = _take_turns(solvers, targets, repeats, wanted, seed, on_step)
    space, near = JointSpace.of(chain), quality.near
    checker = Checker(oracle, chain, plain.position_tolerance, plain.orientation_tolerance)
    rows = []
    for name, mine in calls.items():
        faults, covered = Violations(), []
        for target, known, found in zip(targets, sets, mine.found, strict=True):
            faults += checker.violations(target, found.of(0))
            covered.append(coverage(space, found.of(0), known.thinned, near))
        rows.append(mine.row(name, calls[PLAIN], float(np.mean(covered)), faults))
    return SeedTable(
        chain=case.label,
        dof=chain.num_joints,
        poses=poses,
        repeats=repeats,
        wanted=wanted,
        there_are=float(np.median([len(solutions) for solutions in everything])),
        auto=IKSolver(chain, device=device).solve(targets[0], wanted).sampler,
        reference=quality,
        rows=tuple(rows),
        absent=absent,
    )


@dataclass(frozen=True)
class _Calls:
    """The calls of one solver.

    Attributes:
        seconds: For each of P poses the times of the calls [s].
        proposing: For each the shares of these times that the sampler took.
        selecting: For each those that putting solutions in order took.
        found: For each what it found; the same in every call.
    """

    seconds: list[list[float]]
    proposing: list[list[float]]
    selecting: list[list[float]]
    found: list[IKSolutions]

    @property
    def medians(self) -> NDArray[np.float64]:
        """The (P,) times of a call [s]."""
        return np.array([np.median(times) for times in self.seconds])

    @property
    def rates(self) -> NDArray[np.float64]:
        """The (P,) solutions a millisecond."""
        return np.array([one.counts[0] for one in self.found]) / (1e3 * self.medians)

    def add(self, turn: int, seconds: float, found: IKSolutions) -> None:
        """Take note of a call with a pose."""
        timings = found.timings
        parts = (seconds, timings.propose / timings.total, timings.select / timings.total)
        for kept, part in zip((self.seconds, self.proposing, self.selecting), parts, strict=True):
            if len(kept) == turn:
                kept.append([])
            kept[turn].append(part)
        if len(self.found) == turn:
            self.found.append(found)

    def row(self, name: str, plain: "_Calls", covered: float, faults: Violations) -> SeedCalls:
        """Sum up, beside the calls with quasi-random seeds."""
        timings = [one.timings for one in self.found]
        seeds, exact = sum(t.seeds for t in timings), sum(t.exact for t in timings)
        return SeedCalls(
            sampler=name,
            seconds=Quartiles.of(self.medians),
            solutions=float(np.mean([one.counts[0] for one in self.found])),
            per_ms=Quartiles.of(self.rates),
            ratio=Quartiles.of(self.rates / np.maximum(plain.rates, 1e-9)),
            coverage=covered,
            seeds=seeds / len(timings),
            walks=sum(t.walks for t in timings) / seeds,
            exact=exact / seeds,
            iterations=sum(t.iterations for t in timings) / seeds,
            repeats=1.0 - sum(t.distinct for t in timings) / max(exact, 1),
            proposing=float(np.median(self.proposing, axis=1).mean()),
            selecting=float(np.median(self.selecting, axis=1).mean()),
            faults=faults,
        )


def _take_turns(
    solvers: Mapping[str, IKSolver],
    targets: NDArray[np.float64],
    repeats: int,
    wanted: int,
    seed: int,
    on_pose: Callable[[], None],
) -> dict[str, _Calls]:
    """Let solvers solve poses (P, 4, 4), several times each; who goes first rotates."""
    calls, names = {name: _Calls([], [], [], []) for name in solvers}, list(solvers)
    for turn, target in enumerate(targets):
        other = targets[(turn + 1) % len(targets)]
        for i in range(repeats * len(names)):
            name = names[(turn + i + i // len(names)) % len(names)]
            solvers[name].solve(other, wanted, timeout=_TIMEOUT, random_seed=seed)
            start = time.perf_counter()
            found = solvers[name].solve(target, wanted, timeout=_TIMEOUT, random_seed=seed)
            calls[name].add(turn, time.perf_counter() - start, found)
        on_pose()
    return calls
