"""Whole calls for hard goals with the seeds of different samplers, in turns."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.hard_cases import HardCase
from generative_ik_benchmarks.interleaved import in_rotation, median_times
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.solutions import IKSolutions

WANTED, MANY = (1, 5, 20, 100), 20
"""Solutions wanted in calls of each kind, and in those called many."""
_BATCH, _LARGE_BATCH = 0, -1
"""Stand for one call with all goals, and one with all further goals, one solution each."""
_RANDOM_SEEDS = {_BATCH: 5, _LARGE_BATCH: 2}
"""With how many random seeds batches are solved, of which the mean counts: all goals of a call
have the same quasi-random seeds, and with some it takes four times as long as with others."""
BUDGETS = (0.5e-3, 1e-3, 2e-3, 5e-3, 20e-3)
"""Processor times [s]."""


@dataclass(frozen=True)
class HardFigures:
    """Calls with seeds of one kind; processor times are of all threads together."""

    seeds: str = figure("What seeds.")
    first: float = figure("Mean processor time of a call for one solution [s].")
    first_p50: float = figure("Median over the goals [s].")
    first_p99: float = figure("99th percentile over the goals [s].")
    first_tried: float = figure("Seeds of such a call, the mean.")
    many: float = figure("Mean processor time of a call for many [s].")
    found: float = figure("Free solutions of such a call, the mean.")
    apart: float = figure("Mean distance between two of them, the mean over joints [rad or m].")
    batch: float = figure(
        "Processor time of one call with all goals, one solution each, the mean over random "
        "seeds [s]; NaN where each goal has a scene of its own."
    )
    large_batch: float = figure("Likewise with all further goals [s].")
    solved: float = figure(
        "Share of the goals that calls of all these kinds solve, further ones included."
    )
    solved_within: tuple[float, ...] = figure(
        "Share of the goals whose calls for one solution take no longer than a time."
    )
    distinct: tuple[float, ...] = figure(
        "The most solutions of a call that takes no longer, the mean over the goals."
    )
    colliding: int | None = figure(
        "Returned configurations that collide; None where that was not checked."
    )
    violations: Violations = figure("What was returned that is not true.")


@dataclass(frozen=True)
class HardCalls:
    """The calls with seeds of one kind: by number of solutions, those for each goal."""

    of: dict[int, list[list[tuple[IKSolutions, float]]]] = field(default_factory=dict)

    def found(self, wanted: int) -> list[IKSolutions]:
        """Return what the calls for each goal find, always the same."""
        return [same for (same, _), *_ in self.of[wanted]]

    def medians(self, wanted: int) -> Floats:
        """Return the median time of each goal's calls [s]."""
        return median_times(self.of[wanted])

    def within(self, budget: float) -> Ints:
        """Return the most solutions of each goal that a call finds that takes no longer [s]."""
        most = np.zeros(len(self.found(1)), np.int64)
        for wanted in WANTED:
            counts = np.array([one.counts[0] for one in self.found(wanted)])
            most = np.maximum(most, np.where(self.medians(wanted) <= budget, counts, 0))
        return most

    def figures(self, name: str, hard: HardCase, checker: Checker) -> HardFigures:
        """Sum up, with what the truth says of the solutions."""
        violations, hits, known = Violations(), 0, True
        solved, goals = 0, [*hard.goals, *hard.more]
        for goal, returned in zip(goals, self._returned(hard), strict=True):
            solved += all(map(len, returned))
            for positions in returned:
                violations += checker.violations(goal.target, positions)
                known = known and goal.collides is not None
                hits += sum(map(goal.collides, positions)) if goal.collides else 0
        by = [self.within(budget) for budget in BUDGETS]
        first, many = self.medians(1), self.found(MANY)
        return HardFigures(
            seeds=name,
            first=float(first.mean()),
            first_p50=float(np.median(first)),
            first_p99=float(np.percentile(first, 99)),
            first_tried=float(np.mean([one.timings.seeds for one in self.found(1)])),
            many=float(self.medians(MANY).mean()),
            found=float(np.mean([one.counts[0] for one in many])),
            apart=float(np.mean([_apart(one.of(0)) for one in many if one.counts[0] > 1])),
            batch=self._mean(_BATCH),
            large_batch=self._mean(_LARGE_BATCH),
            solved=solved / len(goals),
            solved_within=tuple(float((counts > 0).mean()) for counts in by),
            distinct=tuple(float(counts.mean()) for counts in by),
            colliding=hits if known else None,
            violations=violations,
        )

    def _mean(self, kind: int) -> float:
        """Return the mean time of calls of a kind [s]; NaN where there are none."""
        return float(self.medians(kind).mean()) if kind in self.of else float("nan")

    def _returned(self, hard: HardCase) -> Iterator[list[Floats]]:
        """Yield what was found for each goal, further ones last, (k, n) by each kind of call."""
        for turn in range(len(hard.goals)):
            alone = [self.found(wanted)[turn].of(0) for wanted in (1, MANY)]
            batches = self.found(_BATCH) if hard.together else []
            yield [*alone, *(batch.of(turn) for batch in batches)]
        for turn in range(len(hard.more)):
            yield [batch.of(turn) for batch in self.found(_LARGE_BATCH)]


def calls_in_turns(
    solvers: Mapping[str, IKSolver],
    hard: HardCase,
    repeats: int,
    seed: int,
    on_share: Callable[[float], None],
) -> dict[str, HardCalls]:
    """Let solvers solve the goals in turns, twice each turn; take note of the second calls."""
    calls = {name: HardCalls() for name in solvers}

    def call(kind: int, turn: int, target: Floats, scene: Scene | None, random_seed: int) -> None:
        def ask(solver: IKSolver, _: int) -> IKSolutions:
            return solver.solve(target, max(kind, 1), scene=scene, random_seed=random_seed)

        found = in_rotation(solvers, ask, turn, repeats, clock=time.process_time)
        for name, mine in found.items():
            calls[name].of.setdefault(kind, []).append(mine)

    for turn, goal in enumerate(hard.goals):
        for wanted in WANTED:
            call(wanted, turn, goal.target, goal.scene, seed)
        on_share((turn + 1) / (len(hard.goals) + 1))
    if hard.together:
        for kind, goals in ((_BATCH, hard.goals), (_LARGE_BATCH, hard.more)):
            targets = np.stack([goal.target for goal in goals])
            for turn in range(_RANDOM_SEEDS[kind]):
                call(kind, turn, targets, goals[0].scene, seed + turn)
    on_share(1.0)
    return calls


def _apart(positions: Floats) -> float:
    """Return the mean distance between two of (N, n) configurations, the mean over the joints."""
    gaps = np.abs(positions[:, None] - positions[None]).mean(axis=2)
    return float(gaps.sum() / (len(positions) * (len(positions) - 1)))
