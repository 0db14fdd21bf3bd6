"""GGIK's samples as starts of local solvers: T-RO's table IV and CoRL's table 2.

SLSQP with at most 100 iterations, the Riemannian solver on the distance graph, and our own local
solver, each from random configurations and from GGIK's samples.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.metrics.pose_error import EXACT, NEAR, Summary, successes
from generative_ik_benchmarks.peers.riemannian import Riemannian
from generative_ik_benchmarks.peers.slsqp import SLSQP
from generative_ik_benchmarks.reproduce.ggik_samples import Subject
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.uniform import Uniform

_TOLERANCE = 1e-5
Solve = Callable[[Floats, Floats], tuple[Floats, int]]
"""From a pose (4, 4) and a start (n,) to the configuration reached (n,) and the iterations."""


@dataclass(frozen=True)
class StartsRow:
    """One solver from one kind of starts, over all robots: a row of table IV."""

    solver: str = figure('"slsqp", "levenberg_marquardt", "riemannian", or "none".')
    starts: str = figure("The sampler that proposed the starts.")
    iterations: tuple[float, float] = figure("Mean and standard deviation a start; NaN for none.")
    milliseconds: tuple[float, float] = figure(
        "Mean and standard deviation a start, sampling left out [ms]."
    )
    position: Summary = figure("Distances of where the starts ended [m].")
    orientation: Summary = figure("Angles [rad].")
    success: float = figure("Share of problems with a result within 1 cm and 1 degree.")
    ended: float = figure("Share of starts with one.")
    exact: float = figure("Share of starts with a result within 1e-5 m and 1e-5 rad.")


def starts_table(
    subjects: Sequence[Subject], problems: int, starts: int, riemannian_starts: int
) -> tuple[list[StartsRow], dict[str, str]]:
    """Measure all rows.

    Args:
        subjects: A model for each robot, of six or seven revolute joints.
        problems: Random reachable poses a robot; the papers have 2000.
        starts: Starts of each.
        riemannian_starts: Starts of each for the Riemannian solver, which is slow.

    Returns:
        The rows, and why a solver is absent.
    """
    samplers: dict[str, Callable[[Subject], Sampler]] = {
        "uniform": lambda one: Uniform(one.case.chain),
        "quasi_random": lambda one: QuasiRandom(one.case.chain),
        "ggik": lambda one: one.sampler,
    }
    rows, absent = [], {}
    for solver in ("none", "levenberg_marquardt", "slsqp", "riemannian"):
        count = riemannian_starts if solver == "riemannian" else starts
        for name, sampler in samplers.items():
            try:
                runs = [_run(one, solver, sampler(one), problems, count) for one in subjects]
            except GenerativeIKError as reason:
                absent[solver] = str(reason)
                continue
            rows.append(_row(solver, name, runs))
    return rows, absent


def _run(
    subject: Subject, solver: str, sampler: Sampler, problems: int, count: int
) -> list[Floats]:
    """Return errors, iterations and times (T, K) of one robot [m, rad, 1, ms]."""
    targets = subject.poses(problems)
    starts = np.array(sampler.propose(subject.box.seed_request(targets, count, subject.seed)))
    ends, iterations, times = np.empty_like(starts), np.zeros((problems, count)), []
    if solver == "none":
        ends, iterations, times = starts, np.full((problems, count), np.nan), [0.0]
    else:
        solve = _solver(solver, subject.case.chain)
        if solver != "riemannian":
            solve(targets[0], starts[0, 0])  # compiling is not measured
        for t, k in np.ndindex(problems, count):
            begin = time.perf_counter()
            ends[t, k], iterations[t, k] = solve(targets[t], starts[t, k])
            times.append(1e3 * (time.perf_counter() - begin))
    return [*subject.errors(ends, targets), iterations, np.resize(times, (problems, count))]


def _solver(name: str, chain: KinematicChain) -> Solve:
    """Return a solver of a chain by its name."""
    if name == "riemannian":
        return Riemannian(chain).solve_from
    kind = SLSQP if name == "slsqp" else LevenbergMarquardt
    box, local = SearchBox.of(chain), kind(chain, _TOLERANCE, _TOLERANCE)

    def solve(tip_in_base: Floats, q: Floats) -> tuple[Floats, int]:
        task = box.refine_task(tip_in_base[None], q[None, None])
        refined = local.refine(replace(task, wanted=np.array([1])))
        return refined.positions[0], int(refined.iterations[0])

    return solve


def _row(solver: str, starts: str, runs: Sequence[list[Floats]]) -> StartsRow:
    distance, angle, iterations, times = map(np.concatenate, zip(*runs, strict=True))
    near, success = successes(distance, angle, NEAR)
    return StartsRow(
        solver,
        starts,
        (float(iterations.mean()), float(iterations.std())),
        (float(times.mean()), float(times.std())),
        Summary.of(distance),
        Summary.of(angle),
        success,
        near,
        successes(distance, angle, EXACT)[0],
    )
