"""Goals with seed states: configurations along random walks within the joint limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from generative_ik_benchmarks.interleaved import in_turns
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits

STEPS = {"loop": 0.02, "walk": 0.25, "anywhere": np.inf}
"""The largest change of a joint from a seed state to its goal, by kind [rad]."""
WALK = 5
"""Goals of a walk."""
Call = TypeVar("Call")


@dataclass(frozen=True)
class SeededGoals:
    """Goals with seed states.

    Attributes:
        kind: One of `STEPS`.
        seed_states: (N, n).
        reaching: (N, n) configurations that reach the goals.
        targets: (N, 4, 4) the goals, tip in base.
    """

    kind: str
    seed_states: Floats
    reaching: Floats
    targets: Floats


def walks(
    chain: KinematicChain, kind: str, count: int, seed: int, forward: Callable[[Floats], Floats]
) -> SeededGoals:
    """Return goals along random walks within the joint limits."""
    # A stream of its own: a solver with the same seed must not draw the goals.
    rng = np.random.default_rng((seed, list(STEPS).index(kind), 3))
    (lower, upper), most = finite_limits(chain), STEPS[kind] * chain.joint_units
    rows: list[tuple[Floats, Floats]] = []
    here = lower
    for i in range(count):
        if i % WALK == 0:
            here = rng.uniform(lower, upper)
        step = rng.uniform(-1.0, 1.0, len(lower))
        near = np.isfinite(most)
        then = np.where(near, here + step * np.where(near, most, 0.0), rng.uniform(lower, upper))
        rows.append((here, np.clip(then, lower, upper)))
        here = rows[-1][1]
    seed_states, reaching = (np.array(part) for part in zip(*rows, strict=True))
    return SeededGoals(kind, seed_states, reaching, forward(reaching))


def in_walks(
    solvers: Sequence[Callable[[Floats, Floats], list[Call]]],
    goals: SeededGoals,
    on_goal: Callable[[], None],
) -> list[list[Call]]:
    """Let solvers take turns, a whole walk each, and return the calls of each.

    Args:
        solvers: Take targets (K, 4, 4) and seed states (K, n), and return a call for each.
        goals: The goals.
        on_goal: Called after each goal.
    """
    calls: list[list[Call]] = [[] for _ in solvers]
    for turn, begin in enumerate(range(0, len(goals.targets), WALK)):
        walk = slice(begin, begin + WALK)
        targets, seed_states = goals.targets[walk], goals.seed_states[walk]
        each = [partial(solver, targets, seed_states) for solver in solvers]
        for mine, (made, _) in zip(calls, in_turns(each, turn), strict=True):
            mine += made
        for _ in targets:
            on_goal()
    return calls
