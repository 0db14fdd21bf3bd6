"""A chain and a device come in, what the path that stays on the device takes goes out.

Batches of random reachable poses with one solution each, one pose with many, and samplers by
themselves. The compiled solver on the CPU takes turns with the device on the same poses. Times are
whole calls: poses go from host to device and configurations come back. Compiling, capturing graphs
and a first call of each size are not in them; how long all that took is said.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocols.sampler_rates import SamplerRate, sampler_rates
from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.errors import GenerativeIKError, MissingDependencyError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import random_reachable_poses

POSES = (1, 100, 1000, 2000)
SOLUTIONS = (100, 1000)
SAMPLES = (1, 10, 100, 1000, 10_000, 100_000)
CPU = "compiled kernel, CPU"
_REHEARSALS = 2

_Call = Callable[[NDArray[np.float64], int], list[NDArray[np.float64]]]
"""Poses (B, 4, 4) and a number of solutions in, the configurations (k, n) of each pose out."""


@dataclass(frozen=True)
class DeviceRow:
    """What one contestant did with calls of one size.

    Attributes:
        contestant: The compiled solver on the CPU, or the device and its sampler.
        poses: Poses a call.
        wanted: Solutions wanted for each.
        rounds: Calls measured.
        solved: Share of the poses with a right solution.
        solutions: Right solutions a pose, on average.
        seconds: Time of a call, copies included [s].
        faults: What it returned that is not true.
    """

    contestant: str
    poses: int
    wanted: int
    rounds: int
    solved: float
    solutions: float
    seconds: Quartiles
    faults: Violations


@dataclass(frozen=True)
class GpuTable:
    """One chain on one device.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        device: "cpu" or "cuda".
        device_name: What the device calls itself.
        torch: The version of PyTorch.
        compiled: Whether kernels were fused by torch.compile.
        warm_up: Time before the first measured call on the device [s].
        rows: By size, the CPU first.
        samplers: Samples a second of each sampler.
        absent: Why samplers did not take part.
    """

    chain: str
    dof: int
    device: str
    device_name: str
    torch: str
    compiled: bool
    warm_up: float
    rows: tuple[DeviceRow, ...]
    samplers: tuple[SamplerRate, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in what was returned."""
        return sum((row.faults for row in self.rows), Violations())


def gpu_table(
    case: ChainCase,
    *,
    device: str = "auto",
    compiled: bool | None = None,
    poses: Sequence[int] = POSES,
    solutions: Sequence[int] = SOLUTIONS,
    samples: Sequence[int] = SAMPLES,
    samplers: Sequence[str] = (),
    rounds: int = 10,
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> GpuTable:
    """Measure one chain.

    Args:
        case: The chain.
        device: "cpu", "cuda", or "auto" for CUDA where there is a device.
        compiled: Whether to fuse kernels; None to do so on CUDA only.
        poses: Sizes of batches with one solution each.
        solutions: How many are wanted of a single pose.
        samples: How many samples of a pose samplers are asked for; none for no such table.
        samplers: Names of samplers; all if empty.
        rounds: Calls of each size.
        seed: Of poses and seeds.
        on_step: Called after each size, for a progress bar.

    Raises:
        GenerativeIKError: The chain is refused, the device is not there, or PyTorch is missing.
    """
    torch = _torch()
    from generative_ik_ros.learned.device_batch import DEVICE_SAMPLERS, DeviceBatch
    from generative_ik_ros.refine.torch_levenberg_marquardt import torch_device

    place = torch_device(device)
    chain, oracle = case.chain, Oracle.of(case)
    solver = IKSolver(chain)
    solver.warm_up()
    checker = Checker(oracle, chain, solver.position_tolerance, solver.orientation_tolerance)
    batches, absent = {}, {}
    for name in DEVICE_SAMPLERS:
        if not samplers or name in samplers:
            try:
                batches[name] = DeviceBatch(
                    chain, device, sampler=name, random_seed=seed, compiled=compiled
                )
            except GenerativeIKError as reason:
                absent[f"{name} on the device"] = str(reason)
    contestants: dict[str, _Call] = {CPU: _ours(solver, seed)}
    for name, batch in batches.items():
        contestants[f"PyTorch, {place.type}, {name}"] = _on_device(batch)
    pool = random_reachable_poses(chain, max(max(poses, default=1), rounds), seed, oracle.forward)
    start = time.perf_counter()
    sizes = [(size, 1) for size in poses] + [(1, wanted) for wanted in solutions]
    for size, wanted in sizes:
        for _ in range(_REHEARSALS):
            for name, call in contestants.items():
                if name != CPU:
                    call(pool[:size], wanted)
    warm_up = time.perf_counter() - start
    rows = []
    for size, wanted in sizes:
        rows += _of_size(contestants, pool, size, wanted, rounds, checker, seed)
        on_step()
    rates, missing = ((), {})
    if samples:
        rates, missing = sampler_rates(
            chain, pool[0], samples, samplers, batches, str(place.type), seed
        )
        on_step()
    return GpuTable(
        case.label,
        chain.num_joints,
        place.type,
        torch.cuda.get_device_name(place) if place.type == "cuda" else "the CPU, as reference",
        torch.__version__,
        place.type == "cuda" if compiled is None else compiled,
        warm_up,
        tuple(rows),
        rates,
        absent | missing,
    )


def _torch():  # noqa: ANN202 (a module)
    try:
        import torch
    except ImportError as error:
        raise MissingDependencyError(
            "this protocol needs PyTorch, which is not installed: "
            "pip install 'generative_ik_ros[learned]'"
        ) from error
    return torch


def _of_size(
    contestants: dict[str, _Call],
    pool: NDArray[np.float64],
    size: int,
    wanted: int,
    rounds: int,
    checker: Checker,
    seed: int,
) -> list[DeviceRow]:
    """Give every round's poses to every contestant in turn."""
    rng = np.random.default_rng((seed, size, wanted))
    names = list(contestants)
    seconds = np.empty((len(names), rounds))
    found_by: list[list[int]] = [[] for _ in names]
    faults = [Violations() for _ in names]
    for turn in range(rounds):
        batch = pool[rng.choice(len(pool), size, replace=False)]
        for i in np.roll(np.arange(len(names)), turn):
            start = time.perf_counter()
            found = contestants[names[i]](batch, wanted)
            seconds[i, turn] = time.perf_counter() - start
            for target, positions in zip(batch, found, strict=True):
                wrong = checker.violations(target, positions)
                faults[i] += wrong
                found_by[i].append(len(positions) - wrong.wrong)
    return [
        DeviceRow(
            name,
            size,
            wanted,
            rounds,
            float(np.mean(np.array(found_by[i]) > 0)),
            float(np.mean(found_by[i])),
            Quartiles.of(seconds[i]),
            faults[i],
        )
        for i, name in enumerate(names)
    ]


def _ours(solver: IKSolver, seed: int) -> _Call:
    def call(poses: NDArray[np.float64], wanted: int) -> list[NDArray[np.float64]]:
        found = solver.solve(poses, num_solutions=wanted, random_seed=seed)
        return [found.of(t) for t in range(len(poses))]

    return call


def _on_device(batch) -> _Call:  # noqa: ANN001 (a DeviceBatch, of a module that needs PyTorch)
    from torch import from_numpy

    def call(poses: NDArray[np.float64], wanted: int) -> list[NDArray[np.float64]]:
        positions, counts = batch.solve(from_numpy(poses), wanted).to_host()
        return [one[:count] for one, count in zip(positions, counts, strict=True)]

    return call
