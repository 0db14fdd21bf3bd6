"""The solution in a region that is nearest to a seed state, as loops ask for it.

Seed states are random steps from configurations whose tips are somewhere in the region about the
target. A seeded call with the region goes in strict turns with a seeded call for the pose of that
configuration itself. What is further is compared with the nearest that is known: that
configuration, and those of a call for a hundred that are moved to the local optimum of the
distance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import in_warm_turns
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import Listing
from generative_ik_benchmarks.region_specs import RegionChecker, RegionSpec
from generative_ik_benchmarks.text import Quartiles, percent, spread
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.region import TaskSpaceRegion

STEPS = {"loop": 0.02, "walk": 0.25}
"""Largest step of a joint [rad or m]."""
_STREAM = 17
"""Separates the random numbers of these goals from others."""
_ROUNDS = 5
"""How often a call is measured."""
_KNOWN = 100
_FURTHER = 1.01
"""By this factor a solution is further than another."""


@dataclass(frozen=True)
class NearFigures:
    """One region and one length of steps."""

    region: str = figure("Which.")
    goals: str = figure("A key of `STEPS`.")
    count: int = figure("How many goals.")
    solved: float = figure("Share with a solution.")
    median: float = figure("Median time of a call [s].")
    p99: float = figure("99th percentile [s].")
    over_pose: Quartiles = figure("Its time over that of the call for a pose, goal by goal.")
    distance: float = figure("From the seed state, on average [rad].")
    further: float = figure(
        "Share of the solutions that are further than the nearest that is known."
    )
    violations: Violations = figure("Everything untrue in what was returned.")


def measure(
    case: ChainCase, solver: IKSolver, spec: RegionSpec, count: int, random_seed: int
) -> list[NearFigures]:
    """Measure `count` goals of each length of steps, of one region and chain."""
    oracle, chain = Oracle.of(case), case.chain
    checker = RegionChecker(
        oracle, chain, solver.position_tolerance, solver.orientation_tolerance, spec=spec
    )
    lower, upper = (np.clip(bound, -np.pi, np.pi) for bound in (chain.lower, chain.upper))
    figures = []
    for name, step in STEPS.items():
        rng = np.random.default_rng((random_seed, _STREAM))
        inside = rng.uniform(lower, upper, (count, chain.num_joints))
        seeds = np.clip(inside + rng.uniform(-step, step, inside.shape), lower, upper)
        poses = oracle.forward(inside)
        targets = poses @ np.linalg.inv(spec.draw(rng.random((count, 6)), 0.3))
        seconds, gaps, violations = [], [], Violations()
        for turn, (q, seed, pose, target) in enumerate(
            zip(inside, seeds, poses, targets, strict=True)
        ):
            calls = (
                partial(_nearest, solver, target, seed, spec.region),
                partial(_nearest, solver, pose, seed, None),
            )
            (found, spent), (_, at_pose) = in_warm_turns(calls, turn, _ROUNDS)
            seconds.append((spent, at_pose))
            violations += checker.violations(target, found)
            known = solver.solve(
                target, _KNOWN, seed_state=seed, region=spec.region, optimize=True
            ).of(0)
            best = np.linalg.norm(np.vstack([q[None], known]) - seed, axis=1).min()
            gaps.append((np.linalg.norm(found[0] - seed) if len(found) else np.nan, best))
        figures.append(_figures(spec, name, np.array(seconds), np.array(gaps), violations))
    return figures


def _nearest(
    solver: IKSolver, target: Floats, seed: Floats, region: TaskSpaceRegion | None
) -> Floats:
    return solver.solve(target, 1, seed_state=seed, region=region).of(0)


def _figures(
    spec: RegionSpec, name: str, seconds: Floats, gaps: Floats, violations: Violations
) -> NearFigures:
    solved = ~np.isnan(gaps[:, 0])
    found, best = gaps[solved].T
    return NearFigures(
        region=spec.name,
        goals=name,
        count=len(gaps),
        solved=float(solved.mean()),
        median=float(np.median(seconds[:, 0])),
        p99=float(np.percentile(seconds[:, 0], 99)),
        over_pose=Quartiles.of(seconds[:, 0] / seconds[:, 1]),
        distance=float(found.mean()),
        further=float((found > _FURTHER * best + 1e-6).mean()),
        violations=violations,
    )


def listing(rows: Sequence[tuple[str, NearFigures]]) -> Listing:
    """Show a row a chain, region and length of steps."""
    steps = ", ".join(f"{name} {step} rad" for name, step in STEPS.items())
    return Listing(
        f"The solution nearest to a seed state, each joint of which is at most so far from a "
        f"configuration inside: {steps}. In strict turns with the call for that configuration's "
        f"pose, each time the median of {_ROUNDS} warm calls. us: median (99th percentile). over "
        "a pose: its time over that of the call for the pose. further: more than 1 % further than "
        f"the nearest that is known, of that configuration and {_KNOWN} that are optimised. "
        "false: outside by more than the tolerances/outside joint limits/duplicates.",
        (
            ("chain", lambda chain, _: chain),
            ("region", lambda _, row: row.region),
            ("goals", lambda _, row: f"{row.count}, {row.goals}"),
            ("solved %", lambda _, row: percent(row.solved)),
            ("us", lambda _, row: f"{1e6 * row.median:.3g} ({1e6 * row.p99:.3g})"),
            ("over a pose", lambda _, row: spread(row.over_pose, digits=2)),
            ("distance: rad", lambda _, row: f"{row.distance:.3g}"),
            ("further %", lambda _, row: percent(row.further)),
            ("false", lambda _, row: row.violations.text),
        ),
        rows,
    )
