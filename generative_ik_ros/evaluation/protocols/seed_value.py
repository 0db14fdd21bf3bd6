"""A chain and its samplers come in, what their seeds are worth goes out: the decisive test.

Protocol D: the same local solver, tolerance and time budgets for every sampler. A run proposes and
refines round after round until the longest budget is spent; the clock runs while seeds are
proposed (a model's inference included) and refined, and stands still while results are checked.
What a budget buys is what had come out by then, in rounds that were over. Samplers take turns,
several times on each pose, and who goes first rotates; the clock is the median of these times.

How many seeds to ask for in a round is a matter of speed only, because samplers give the same
sequence of seeds whatever the rounds; a sampler with a cost a call wants large rounds, a short
budget small ones. So each sampler and budget gets the size that finds most distinct solutions on
poses that do not count.

Distinct solutions alone reward finding many in one place, coverage alone the first 50: both count.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.evaluation.chains import ChainCase
from generative_ik_ros.evaluation.metrics.space import JointSpace
from generative_ik_ros.evaluation.oracle import Oracle
from generative_ik_ros.evaluation.poses import random_reachable_poses
from generative_ik_ros.evaluation.protocols.references import Reference, reference_of
from generative_ik_ros.evaluation.protocols.seed_runs import Run, SeedRunner
from generative_ik_ros.evaluation.protocols.seed_worth import (
    SamplerWorth,
    distinct_within,
    worth_of,
)
from generative_ik_ros.evaluation.reference.saturation import ExhaustiveSettings
from generative_ik_ros.evaluation.seeding import willing_samplers
from generative_ik_ros.evaluation.verification import Faults
from generative_ik_ros.samplers.base import Sampler

_Runs = defaultdict[tuple[str, int], list[Run]]
"""Runs by sampler and round size."""

BUDGETS = (0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 50e-3)
ROUND_SIZES = (32, 128, 512, 2048)
NEAR = 0.5
_MARGIN = 0.85
"""Share of a budget by which round sizes are chosen: a round that just ends in time on one pose
does not on the next."""


@dataclass(frozen=True)
class SeedValue:
    """One chain's table.

    Attributes:
        chain: Its label.
        slug: A name for files.
        dof: Joints to choose.
        poses: Random reachable poses that count.
        tuning_poses: Poses on which round sizes were chosen.
        repeats: Runs of each sampler on each pose.
        refiner: The local solver.
        reference: What coverage is measured against.
        samplers: A row a sampler.
        absent: Why a sampler did not take part.
    """

    chain: str
    slug: str
    dof: int
    poses: int
    tuning_poses: int
    repeats: int
    refiner: str
    reference: Reference
    samplers: tuple[SamplerWorth, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Faults:
        """Everything untrue in our own results."""
        return sum((one.faults for one in self.samplers), Faults())


def seed_value(
    case: ChainCase,
    *,
    poses: int = 40,
    tuning_poses: int = 6,
    repeats: int = 3,
    samplers: Sequence[str] = (),
    budgets: Sequence[float] = BUDGETS,
    refiner: str = "levenberg_marquardt",
    reference: ExhaustiveSettings | None = None,
    device: str = "cpu",
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> SeedValue:
    """Measure the samplers on one chain.

    Args:
        case: The chain.
        poses: How many random reachable poses count.
        tuning_poses: How many more are for choosing round sizes.
        repeats: How often each sampler runs on each pose.
        samplers: Which; all that are registered if empty.
        budgets: Times a pose [s].
        refiner: The local solver.
        reference: How hard all solutions are looked for.
        device: Where models run.
        seed: Of poses and samplers.
        on_step: Called after each pose of the reference, each tuning pose and each pose.

    Raises:
        GenerativeIKError: The chain is refused, or a sampler does not exist.
    """
    chain, oracle = case.chain, Oracle.of(case)
    budgets = tuple(sorted(budgets))
    ready, absent = willing_samplers(chain, samplers, device)
    targets = random_reachable_poses(chain, poses + tuning_poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets[:poses], reference, on_step)
    runner = SeedRunner(case, oracle, refiner, seed)
    for sampler in ready.values():
        runner.warm_up(sampler, targets[-1], ROUND_SIZES)
    chosen = _round_sizes(runner, ready, targets[poses:], budgets, repeats, on_step)
    names, runs = list(ready), _Runs(list)
    for turn in range(poses):
        repeated = _Runs(list)
        for i in range(repeats * len(names)):
            name = names[(turn + i) % len(names)]
            for size, longest in _longest(chosen[name], budgets).items():
                run = runner.run(ready[name], targets[turn], size, longest)
                repeated[name, size].append(run)
        for key, some in repeated.items():
            runs[key].append(Run.median(some))
        on_step()
    space, references = JointSpace.of(chain), [one.thinned for one in sets]
    first: NDArray[np.float64] | None = None
    worth = []
    for name in names:
        mine = {size: runs[name, size] for size in set(chosen[name])}
        reached = {
            size: [
                run.reached_at(space, reference, NEAR)
                for run, reference in zip(some, references, strict=True)
            ]
            for size, some in mine.items()
        }
        distinct = distinct_within(mine, chosen[name], budgets)
        first = distinct if first is None else first
        worth.append(worth_of(name, mine, reached, chosen[name], budgets, distinct, first, runner))
    return SeedValue(
        case.label,
        case.wish.replace(":", "-").replace("/", "_"),
        chain.num_joints,
        poses,
        tuning_poses,
        repeats,
        refiner,
        quality,
        tuple(worth),
        absent,
    )


def _longest(chosen: Sequence[int], budgets: Sequence[float]) -> dict[int, float]:
    """Return the longest budget of each round size that was chosen for any."""
    return dict(zip(chosen, budgets, strict=True))


def _round_sizes(
    runner: SeedRunner,
    samplers: dict[str, Sampler],
    targets: NDArray[np.float64],
    budgets: Sequence[float],
    repeats: int,
    on_step: Callable[[], None],
) -> dict[str, list[int]]:
    """Return, for each sampler and budget, the round size that finds most; small ones first."""
    totals = {name: np.zeros((len(ROUND_SIZES), len(budgets))) for name in samplers}
    for target in targets:
        for name, sampler in samplers.items():
            for s, size in enumerate(ROUND_SIZES):
                repeated = [runner.run(sampler, target, size, budgets[-1]) for _ in range(repeats)]
                run = Run.median(repeated)
                totals[name][s] += [run.distinct_by(_MARGIN * budget) for budget in budgets]
        on_step()
    return {
        name: [ROUND_SIZES[best] for best in total.argmax(axis=0)]
        for name, total in totals.items()
    }
