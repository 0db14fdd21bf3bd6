"""Chains and a model in, what local solvers make of its samples and of random starts out.

GGIK's table IV (T-RO) and table 2 (CoRL): SLSQP with at most 100 iterations, and the Riemannian
solver on the distance graph, each from random configurations and from GGIK's samples.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.pose_error import Summary, pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.riemannian import Riemannian
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.uniform import Uniform

_EXACT = 1e-5
_NEAR, _TURNED = 1e-2, np.deg2rad(1.0)


@dataclass(frozen=True)
class StartsRow:
    """One solver from one kind of starts, over all robots; a row of table IV.

    Attributes:
        solver: "slsqp", "levenberg_marquardt", "riemannian", or "none".
        starts: The sampler that proposed the starts.
        position: Distances of where the starts ended [m].
        orientation: Angles [rad].
        iterations: Mean and standard deviation a start; NaN for none.
        milliseconds: Mean and standard deviation a start, sampling left out [ms].
        success: Share of problems with an end within 1 cm and 1 degree.
        ended: Share of starts that ended there.
        exact: Share of starts that ended within 1e-5 m and 1e-5 rad.
    """

    solver: str
    starts: str
    position: Summary
    orientation: Summary
    iterations: tuple[float, float]
    milliseconds: tuple[float, float]
    success: float
    ended: float
    exact: float


class SeededRiemannian(Riemannian):
    """The Riemannian peer from starts of one's choice."""

    def solve_from(
        self, tip_in_base: NDArray[np.float64], q: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], int]:
        """Return the configuration (n,) that a start (n,) leads to, and the iterations."""
        problem = self._problem(self._graph.squared_distances(tip_in_base) / self._scale**2)
        start = self._graph.points(q) / self._scale
        result = self._optimizer.run(problem, initial_point=start - start.mean(axis=0))
        return self._graph.configuration(result.point * self._scale, tip_in_base), (
            result.iterations
        )


def starts_table(
    cases: Sequence[ChainCase],
    paths: dict[str, Path],
    *,
    problems: int = 20,
    starts: int = 32,
    riemannian_starts: int = 2,
    device: str = "cpu",
    seed: int = 1,
) -> tuple[list[StartsRow], dict[str, str]]:
    """Measure all rows.

    Args:
        cases: The robots, six or seven turning joints each.
        paths: The model for each robot, by label.
        problems: Random reachable poses a robot; the papers have 2000.
        starts: Starts of each.
        riemannian_starts: Starts of each for the Riemannian solver, which is slow.
        device: Where the model runs.
        seed: Of poses and starts.

    Returns:
        The rows, and why a solver is absent.
    """
    rows, absent = [], {}
    for solver in ("none", "levenberg_marquardt", "slsqp", "riemannian"):
        count = riemannian_starts if solver == "riemannian" else starts
        for name in ("uniform", "quasi_random", "ggik"):
            try:
                runs = [
                    _run(case, solver, _sampler(name, case, paths, device), problems, count, seed)
                    for case in cases
                ]
            except GenerativeIKError as reason:
                absent[solver] = str(reason)
                continue
            rows.append(_row(solver, name, runs))
    return rows, absent


@dataclass(frozen=True)
class _Run:
    """Errors (T, K), iterations (T, K) and times (T, K) of one robot."""

    distance: NDArray[np.float64]
    angle: NDArray[np.float64]
    iterations: NDArray[np.float64]
    milliseconds: NDArray[np.float64]


def _sampler(name: str, case: ChainCase, paths: dict[str, Path], device: str) -> Sampler:
    if name == "ggik":
        return GGIK(case.chain, device, weights=paths[case.label])
    return (Uniform if name == "uniform" else QuasiRandom)(case.chain)


def _run(
    case: ChainCase, solver: str, sampler: Sampler, problems: int, count: int, seed: int
) -> _Run:
    oracle, box = Oracle.of(case), SearchBox.of(case.chain)
    targets = random_reachable_poses(case.chain, problems, seed, oracle.forward)
    seeds = np.array(sampler.propose(box.seed_request(targets, count, seed)))
    ends, iterations, milliseconds = _ends(case.chain, solver, targets, seeds)
    distance, angle = pose_errors(oracle.forward, ends, targets[:, None])
    return _Run(distance, angle, iterations, milliseconds)


def _ends(
    chain: KinematicChain,
    solver: str,
    targets: NDArray[np.float64],
    seeds: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return where starts (T, K, n) end, the iterations (T, K) and the times (T, K) [ms]."""
    box, shape = SearchBox.of(chain), seeds.shape[:2]
    if solver == "none":
        return seeds, np.full(shape, np.nan), np.zeros(shape)
    ends, iterations = np.empty_like(seeds), np.zeros(shape)
    milliseconds = np.zeros(shape)
    local = refiner_class(solver)(chain, _EXACT, _EXACT) if solver != "riemannian" else None
    peer = SeededRiemannian(chain) if local is None else None
    if local is not None:  # compiling is not measured
        local.refine(box.refine_task(targets[:1], seeds[:1, :1]))
    for t in range(len(targets)):
        for k in range(shape[1]):
            begin = time.perf_counter()
            if local is not None:
                task = box.refine_task(targets[t : t + 1], seeds[t : t + 1, k : k + 1])
                refined = local.refine(replace(task, wanted=np.array([1])))
                ends[t, k], iterations[t, k] = refined.positions[0], refined.iterations[0]
            elif peer is not None:
                ends[t, k], iterations[t, k] = peer.solve_from(targets[t], seeds[t, k])
            milliseconds[t, k] = 1e3 * (time.perf_counter() - begin)
    return ends, iterations, milliseconds


def _row(solver: str, starts: str, runs: Sequence[_Run]) -> StartsRow:
    distance, angle, iterations, milliseconds = (
        np.concatenate([getattr(run, name) for run in runs])
        for name in ("distance", "angle", "iterations", "milliseconds")
    )
    near = (distance < _NEAR) & (angle < _TURNED)
    return StartsRow(
        solver,
        starts,
        Summary.of(distance),
        Summary.of(angle),
        (float(iterations.mean()), float(iterations.std())),
        (float(milliseconds.mean()), float(milliseconds.std())),
        float(near.any(axis=1).mean()),
        float(near.mean()),
        float(((distance < _EXACT) & (angle < _EXACT)).mean()),
    )
