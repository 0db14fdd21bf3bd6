"""A chain and its samplers come in, what their seeds are worth goes out: the decisive test.

Protocol D: the same local solver, tolerance and time budgets for every sampler. A run proposes and
refines round after round until the longest budget is spent; the clock runs while seeds are
proposed (a model's inference included) and refined, and stands still while results are checked.
What a budget buys is what had come out by then, in rounds that were over. Samplers take turns,
several times on each pose, and who goes first rotates; each round counts with its median time.

How many seeds to ask for in a round is a matter of speed only, because samplers give the same
sequence of seeds whatever the rounds; a sampler with a cost a call wants large rounds, a short
budget small ones. So every size runs on every pose, and each sampler and time gets the size that
is best there, see `SamplerRuns`.

Distinct solutions alone reward finding many in one place, coverage alone the first 50: both count.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.protocols.seed_runs import Run, SeedRunner
from generative_ik_benchmarks.protocols.seed_worth import SamplerRuns, SamplerWorth
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.seeding import willing_samplers
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.robot.random_poses import random_reachable_poses

BUDGETS = (0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 50e-3)
ROUND_SIZES = (32, 128, 512, 2048)


@dataclass(frozen=True)
class SeedValue:
    """One chain's table.

    Attributes:
        chain: Its label.
        slug: A name for files.
        dof: Joints to choose.
        poses: Random reachable poses that count.
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
    repeats: int
    refiner: str
    reference: Reference
    samplers: tuple[SamplerWorth, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        return sum((one.faults for one in self.samplers), Violations())


def seed_value(
    case: ChainCase,
    *,
    poses: int = 40,
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
        repeats: How often each sampler runs on each pose.
        samplers: Which; all that are registered if empty.
        budgets: Times a pose [s].
        refiner: The local solver.
        reference: How hard all solutions are looked for.
        device: Where models run.
        seed: Of poses and samplers.
        on_step: Called after each pose of the reference and each pose.

    Raises:
        GenerativeIKError: The chain is refused, or a sampler does not exist.
    """
    chain, oracle = case.chain, Oracle.of(case)
    budgets = tuple(sorted(budgets))
    ready, absent = willing_samplers(chain, samplers, device)
    targets = random_reachable_poses(chain, poses, seed, oracle.forward)
    sets, quality = reference_of(chain, targets, reference, on_step)
    runner = SeedRunner(case, oracle, refiner, seed)
    sizes = {
        name: runner.warm_up(sampler, targets[-1], ROUND_SIZES, budgets[-1])
        for name, sampler in ready.items()
    }
    names = list(ready)
    runs: dict[str, dict[int, list[Run]]] = {n: {s: [] for s in sizes[n]} for n in names}
    for turn, target in enumerate(targets):
        repeated: dict[tuple[str, int], list[Run]] = defaultdict(list)
        for i in range(repeats * len(names)):
            name = names[(turn + i) % len(names)]
            # The first run after another sampler's finds cold caches: not always the same size.
            for size in np.roll(sizes[name], i // len(names)).tolist():
                run = runner.run(ready[name], target, size, budgets[-1])
                repeated[name, size].append(run)
        for (name, size), some in repeated.items():
            runs[name][size].append(Run.median(some))
        on_step()
    space, references = JointSpace.of(chain), [one.thinned for one in sets]
    mine = {name: SamplerRuns(runs[name], space, references, quality.near) for name in names}
    first = [mine[names[0]].distinct(budget) for budget in budgets] if names else []
    return SeedValue(
        case.label,
        case.wish.replace(":", "-").replace("/", "_"),
        chain.num_joints,
        poses,
        repeats,
        refiner,
        quality,
        tuple(mine[name].worth(name, budgets, first, runner) for name in names),
        absent,
    )
