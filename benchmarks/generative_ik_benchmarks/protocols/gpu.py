"""Calls on a device: batches, many solutions of a pose, samples a second.

Batches of random reachable poses with one solution each, one pose with many, and samplers by
themselves. The compiled search alone takes turns with the same solver on the device, whatever a
call's size, on the same poses. Compiling, capturing graphs and a first call of each size are
not in the times; how long all that took is said, and from which size on `IKSolver` uses the
device.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import in_turns
from generative_ik_benchmarks.options import RunOptions, option, samplers_option
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import ChainTable, Listing, OnStep, Protocol
from generative_ik_benchmarks.protocols.sampler_rates import SamplerRate, sampler_rates
from generative_ik_benchmarks.published import BATCH_TIMES
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.text import number, percent, spread, violations_text
from generative_ik_benchmarks.verification import Checker, Violations, violations_of
from generative_ik_ros.errors import GenerativeIKError, importing
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.search.device.engine import REFINER

CPU = "compiled kernel, CPU"
_SAMPLERS = "quasi_random", "ikflow"
_WARM_UP_CALLS = 2

_Solve = Callable[[NDArray[np.float64], int], list[NDArray[np.float64]]]
"""Solves poses (B, 4, 4) for a number of solutions each; returns the configurations (k, n)."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set."""

    device: str = option("auto", "cuda, cpu, or auto: CUDA where there is a device.")
    poses: tuple[int, ...] = option(
        (1, 100, 1000, 2000), "Poses a batch, may be given again.", quick=(1, 20), min=1
    )
    solutions: tuple[int, ...] = option(
        (100, 1000), "Solutions of one pose, likewise.", quick=(20,), min=1, max=20_000
    )
    samples: tuple[int, ...] = option(
        (1, 10, 100, 1000, 10_000, 100_000),
        "Samples of one pose, likewise.",
        quick=(1, 100),
        min=1,
    )
    samplers: tuple[str, ...] = samplers_option()
    rounds: int = option(10, "Calls of a size.", quick=2, min=1)


@dataclass(frozen=True)
class DeviceRow:
    """What one solver did with calls of one size.

    Attributes:
        solver: The compiled search, or the device and the sampler.
        poses: Poses a call.
        wanted: Solutions wanted for each.
        rounds: Calls measured.
        solved: Share of the poses with a right solution.
        solutions: Right solutions a pose, on average.
        seconds: Time of a call, copies included [s].
        violations: What it returned that is not true.
    """

    solver: str
    poses: int
    wanted: int
    rounds: int
    solved: float
    solutions: float
    seconds: Quartiles
    violations: Violations


@dataclass(frozen=True, kw_only=True)
class GpuTable(ChainTable):
    """One chain on one device.

    Attributes:
        device: "cpu" or "cuda".
        device_name: What the device calls itself.
        torch: The version of PyTorch.
        warm_up: Time before the first measured call on the device [s].
        least: From how many solutions on calls are made on the device, by their kind; none if
            never.
        rows: By size, the CPU first.
        samplers: Samples of each sampler [1/s].
    """

    device: str
    device_name: str
    torch: str
    warm_up: float
    least: dict[str, float | None]
    rows: tuple[DeviceRow, ...]
    samplers: tuple[SamplerRate, ...]

    violations = violations_of(lambda table: table.rows)


def measure(case: ChainCase, options: Options, on_step: OnStep) -> GpuTable:
    """Measure one chain."""
    torch = _torch()
    from generative_ik_ros.refine.torch_levenberg_marquardt import torch_device

    place = torch_device(options.device)
    chain, oracle, seed = case.chain, Oracle.of(case), options.random_seed
    solver = IKSolver(chain, "quasi_random", "cpu")
    solver.warm_up()
    checker = Checker(oracle, chain, solver.position_tolerance, solver.orientation_tolerance)
    solvers = {CPU: _solve(solver, seed)}
    absent: dict[str, str] = {}
    for name in options.samplers or _SAMPLERS:
        try:
            on_device = IKSolver(chain, name, place.type, refiner=REFINER)
            solvers[f"PyTorch, {place.type}, {name}"] = _solve(on_device, seed)
        except GenerativeIKError as reason:
            absent[f"{name} on the device"] = str(reason)
    sizes = _sizes(options)
    most = max(options.rounds, *(size for size, _ in sizes))
    pool = random_reachable_poses(chain, most, seed, oracle.forward)
    warm_up = _warm_up([solve for name, solve in solvers.items() if name != CPU], pool, sizes)
    rows = []
    for size, wanted in sizes:
        rng = np.random.default_rng((seed, size, wanted))
        rounds = [pool[rng.choice(most, size, replace=False)] for _ in range(options.rounds)]
        rows += _of_size(solvers, rounds, wanted, checker)
        on_step()
    rates, missing = sampler_rates(
        chain, pool[0], options.samples, options.samplers, place.type, seed
    )
    on_step()
    cuda = place.type == "cuda"
    return GpuTable(
        chain=case.label,
        dof=chain.num_joints,
        device=place.type,
        device_name=torch.cuda.get_device_name(place) if cuda else "the CPU, as reference",
        torch=torch.__version__,
        warm_up=warm_up,
        least=_least(chain) if cuda else {},
        rows=tuple(rows),
        samplers=rates,
        absent=absent | missing,
    )


def _torch():  # noqa: ANN202 (a module)
    with importing("this protocol needs PyTorch", "'generative_ik_ros[learned]'"):
        import torch
    return torch


def _sizes(options: Options) -> list[tuple[int, int]]:
    """Return the numbers of poses and of solutions of each that calls are measured with."""
    batches = [(size, 1) for size in sorted(set(options.poses))]
    return batches + [(1, wanted) for wanted in sorted(set(options.solutions))]


def _solve(solver: IKSolver, seed: int) -> _Solve:
    def solve(poses: NDArray[np.float64], wanted: int) -> list[NDArray[np.float64]]:
        found = solver.solve(poses, num_solutions=wanted, random_seed=seed)
        return [found.of(t) for t in range(len(poses))]

    return solve


def _least(chain: KinematicChain) -> dict[str, float | None]:
    """Return from how many solutions on calls of a solver with CUDA are made there."""
    calls = IKSolver(chain, "quasi_random", "cuda").device_calls
    least = {} if calls is None else calls.least
    return {kind: None if math.isinf(count) else count for kind, count in least.items()}


def _warm_up(
    solvers: Sequence[_Solve], pool: NDArray[np.float64], sizes: Sequence[tuple[int, int]]
) -> float:
    """Solve poses of every size; return the time that it took [s]."""
    start = time.perf_counter()
    for size, wanted in sizes:
        for _ in range(_WARM_UP_CALLS):
            for solve in solvers:
                solve(pool[:size], wanted)
    return time.perf_counter() - start


def _of_size(
    solvers: Mapping[str, _Solve],
    rounds: Sequence[NDArray[np.float64]],
    wanted: int,
    checker: Checker,
) -> list[DeviceRow]:
    """Give the poses (B, 4, 4) of every round to every solver in turn."""
    seconds = np.empty((len(solvers), len(rounds)))
    found_by: list[list[int]] = [[] for _ in solvers]
    violations = [Violations() for _ in solvers]
    for turn, batch in enumerate(rounds):
        calls = [partial(solve, batch, wanted) for solve in solvers.values()]
        for i, (found, spent) in enumerate(in_turns(calls, turn)):
            seconds[i, turn] = spent
            for target, positions in zip(batch, found, strict=True):
                untrue = checker.violations(target, positions)
                violations[i] += untrue
                found_by[i].append(len(positions) - untrue.wrong)
    return [
        DeviceRow(
            solver=name,
            poses=len(rounds[0]),
            wanted=wanted,
            rounds=len(rounds),
            solved=float(np.mean(np.array(found_by[i]) > 0)),
            solutions=float(np.mean(found_by[i])),
            seconds=Quartiles.of(seconds[i]),
            violations=violations[i],
        )
        for i, name in enumerate(solvers)
    ]


def listings(tables: Sequence[GpuTable]) -> Iterator[Listing | str]:
    """Show whole calls, on what they ran, what others published, and samplers by themselves."""
    rows = []
    for table in tables:
        on_cpu = {(r.poses, r.wanted): r.seconds.median for r in table.rows if r.solver == CPU}
        rows += [(table, row, on_cpu[row.poses, row.wanted]) for row in table.rows]
    yield Listing(
        "Whole calls, host to host; medians (quartiles), the same poses for all, in turns. "
        "times the CPU: how many times faster than the compiled solver on the CPU.",
        (
            ("chain", lambda table, row, cpu: table.chain),
            ("solver", lambda table, row, cpu: row.solver),
            ("poses", lambda table, row, cpu: str(row.poses)),
            ("wanted", lambda table, row, cpu: str(row.wanted)),
            ("solved %", lambda table, row, cpu: percent(row.solved)),
            ("found", lambda table, row, cpu: f"{row.solutions:.1f}"),
            ("ms", lambda table, row, cpu: spread(row.seconds, 1e3)),
            ("times the CPU", lambda table, row, cpu: number(cpu / row.seconds.median)),
            ("false", lambda table, row, cpu: violations_text(row.violations)),
        ),
        rows,
    )
    for table in tables:
        least = ", ".join(f"{kind}: {count or 'never'}" for kind, count in table.least.items())
        yield (
            f"{table.chain}: {table.device}, {table.device_name}, PyTorch {table.torch}; "
            f"warm-up {table.warm_up:.0f} s; solutions from which on calls are made there: "
            f"{least or 'none without CUDA'}"
        )
    times = "; ".join(
        f"{one.solver}, {one.hardware}, {one.poses} poses: {one.milliseconds:g} ms"
        for one in BATCH_TIMES
    )
    yield f"published for the Panda, tolerances hundreds of times looser: {times}\n"
    rates = [(table, rate) for table in tables for rate in table.samplers]
    if rates:
        yield Listing(
            "Samplers by themselves, one pose.",
            (
                ("chain", lambda table, _: table.chain),
                ("sampler", lambda _, rate: rate.sampler),
                ("samples", lambda _, rate: f"{rate.samples:,}"),
                ("ms", lambda _, rate: spread(rate.seconds, 1e3)),
                ("samples/s", lambda _, rate: number(rate.per_second)),
            ),
            rates,
        )


PROTOCOL = Protocol(
    Options,
    GpuTable,
    measure,
    listings,
    steps=lambda options: len(_sizes(options)) + 1,
    robots=("panda",),
)
