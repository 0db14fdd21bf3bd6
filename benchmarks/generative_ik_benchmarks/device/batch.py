"""Inverse kinematics of many targets, or many solutions of one, entirely on a device.

Seeds are made, refined, verified and told apart where the targets are. Numbers come back to the
host only to say how many seeds or targets are left, never configurations.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.device.distinct import first_distinct
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError, UnknownNameError
from generative_ik_ros.refine.torch_chain import torch
from generative_ik_ros.refine.torch_levenberg_marquardt import (
    TorchLevenbergMarquardt,
    target_columns,
)
from generative_ik_ros.refine.torch_run import Run
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.policy import GIVE_UP
from generative_ik_ros.space import SearchSpace

Tensor = torch.Tensor

DEVICE_SAMPLERS = ("quasi_random", "ikflow")
MAX_DISTINCT = 20_000
"""Most solutions of a target: telling them apart compares each with all."""
_SEEDS_PER_SOLUTION = 3.5
_FILL = 1 << 15
"""Seeds of a first round, all targets together, that are worth a GPU's while ..."""
_LEAST, _MOST = 16, 256
"""... and how many of them a target gets at least and at most."""
_SLAB = 1 << 20
"""Most seeds in memory at a time."""
_ALL_KNOWN = 0.02
"""When no more than this share of the seeds that converge is new, nothing is left to find."""
_EFFORT = 32
"""Most seeds for each solution wanted."""

Propose = Callable[[Tensor, int, int], Tensor]
"""Targets (T, 4, 4), number K of seeds each, and how many there were before in; (T, K, n) out."""


@dataclass(frozen=True)
class DeviceSolutions:
    """Solutions of B targets, in the order of the seeds that found them.

    Attributes:
        positions: (B, N, n) float64 joint positions [rad or m]; NaN where there is no N-th.
        counts: (B,) number of solutions of each target.
        position_error: (B, N) distance of the tip from the target [m]; NaN as above.
        orientation_error: (B, N) angle between them [rad]; NaN as above.
        seeds: Seeds that were made, all targets together.
    """

    positions: Tensor
    counts: Tensor
    position_error: Tensor
    orientation_error: Tensor
    seeds: int

    def to_host(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return positions and counts as arrays."""
        return self.positions.cpu().numpy(), self.counts.cpu().numpy()


class DeviceBatch:
    """Solves many targets, or one target many times, without leaving the device.

    What it gives is what `IKSolver` promises: inside the limits, within the tolerances by a
    forward kinematics that shares no code with the solver, distinct. It does not sort by
    diversity, takes no seed state and has no deadline. Not for two threads at once.

    Args:
        chain: The chain to solve.
        device: "cpu", "cuda", or "auto" for CUDA where there is a device.
        position_tolerance: [m].
        orientation_tolerance: [rad].
        sampler: Where seeds come from, one of `DEVICE_SAMPLERS`.
        distinct_distance: Solutions with no joint further apart are one [rad or m].
        random_seed: Chooses the seeds; the same gives the same solutions.
        precision: As for `TorchLevenbergMarquardt`.
        compiled: Likewise.

    Raises:
        UnknownNameError: There is no such device, sampler or precision.
        InvalidArgumentError: There is no CUDA device.
        MissingWeightsError: The sampler has no weights for the chain.
    """

    def __init__(
        self,
        chain: KinematicChain,
        device: str = "auto",
        position_tolerance: float = 1e-5,
        orientation_tolerance: float = 1e-5,
        *,
        sampler: str = "quasi_random",
        distinct_distance: float = 0.05,
        random_seed: int = 0,
        precision: str = "auto",
        compiled: bool | None = None,
    ):
        """Put chain, bounds and weights on the device."""
        # Imported late, so that jaxtyping is needed by nobody else.
        from generative_ik_ros.learned.torch_kinematics import forward_kinematics

        self.chain = chain
        self._forward = forward_kinematics
        self._refiner = TorchLevenbergMarquardt(
            chain,
            position_tolerance,
            orientation_tolerance,
            device=device,
            precision=precision,
            compiled=compiled,
        )
        self.device = self._refiner.device
        self._distance = distinct_distance
        space = SearchSpace.of(chain, distinct_distance)

        def constant(values: NDArray) -> Tensor:
            return torch.tensor(values, device=self.device)

        self._lower, self._upper = constant(space.lower), constant(space.upper)
        self._soft = constant(space.box[2]), constant(space.box[3])
        self._circular = space.circular.tolist()
        self._endless = constant(chain.continuous)
        self._propose = self._sampler(sampler, random_seed)

    def _sampler(self, name: str, random_seed: int) -> Propose:
        if name not in DEVICE_SAMPLERS:
            raise UnknownNameError("sampler on a device", name, DEVICE_SAMPLERS)
        if name == "ikflow":
            from generative_ik_benchmarks.device.flow import DeviceFlow

            return DeviceFlow(
                self.chain, self.device, self._lower, self._upper, random_seed=random_seed
            )
        shift, ratios = torch.tensor(recurrence(random_seed, self.chain.num_joints)).to(
            self.device
        )

        def quasi_random(targets: Tensor, count: int, first: int) -> Tensor:
            steps = torch.arange(first + 1, first + count + 1, device=self.device)[:, None]
            unit = torch.frac(shift + steps * ratios)
            seeds = torch.minimum(self._lower + unit * (self._upper - self._lower), self._upper)
            return seeds.expand(len(targets), *seeds.shape)

        return quasi_random

    @torch.inference_mode()
    def propose(self, targets: Tensor, count: int, first: int = 0) -> Tensor:
        """Return (T, K, n) float64 seeds for (T, 4, 4) targets; see `Propose`."""
        return self._propose(targets, count, first)

    @torch.inference_mode()
    def solve(self, targets: Tensor, num_solutions: int = 1) -> DeviceSolutions:
        """Find solutions of each target.

        Args:
            targets: (B, 4, 4) tip in base [m], proper rotations, on the device or not.
            num_solutions: Number N of distinct solutions wanted for each.

        Raises:
            InvalidTargetError: The targets have another shape.
            InvalidArgumentError: The number is out of its range.
        """
        if targets.ndim != 3 or targets.shape[1:] != (4, 4):
            raise InvalidTargetError(f"targets have shape {tuple(targets.shape)}, not (B, 4, 4)")
        if not 1 <= num_solutions <= MAX_DISTINCT:
            raise InvalidArgumentError(
                f"num_solutions must be from 1 to {MAX_DISTINCT}, not {num_solutions}"
            )
        targets = targets.to(self.device, torch.float64)
        shape = len(targets), num_solutions
        found = torch.full(
            (*shape, self.chain.num_joints), torch.nan, dtype=torch.float64, device=self.device
        )
        counts = torch.zeros(shape[0], dtype=torch.int64, device=self.device)
        closed = torch.zeros(shape[0], dtype=torch.bool, device=self.device)
        hungry = torch.arange(shape[0], device=self.device)
        first, count = 0, _first_round(*shape)
        most, seeds = max(GIVE_UP, _EFFORT * num_solutions), 0
        while len(hungry) and first < most:
            count = min(count, most - first)
            size = max(1, _SLAB // count)
            for part in hungry.split(size):
                new = self._solutions(targets[part], count, first, num_solutions)
                merged = self._merged(found[part], counts[part], *new)
                found[part], counts[part], closed[part] = merged
            seeds += len(hungry) * count
            first, count = first + count, 4 * count if num_solutions == 1 else 2 * count
            hungry = hungry[~closed[hungry]]
        distance, angle = self._errors(found, targets)
        return DeviceSolutions(found, counts, distance, angle, seeds)

    def _solutions(
        self, targets: Tensor, count: int, first: int, wanted: int
    ) -> tuple[Tensor, Tensor]:
        """Refine K seeds of each of T targets; return (T, K, n), and (T, K) which are true."""
        seeds = self._propose(targets, count, first)
        owners = torch.arange(len(targets), device=self.device).repeat_interleave(count)
        enough = torch.full((len(targets),), 1 if wanted == 1 else count, device=self.device)
        q = seeds.reshape(-1, seeds.shape[-1]).T.contiguous()
        run = Run.of(q, target_columns(targets), owners, enough)
        self._refiner.runner.run(run, *self._soft, float("inf"))
        ended = run.q.T.unflatten(0, (len(targets), count))
        turns = torch.where(self._endless, torch.round(ended / (2.0 * torch.pi)), 0.0)
        ended = ended - 2.0 * torch.pi * turns
        distance, angle = self._errors(ended, targets)
        true = run.converged.unflatten(0, (len(targets), count))
        true = true & (distance <= self._refiner.position_tolerance)
        true = true & (angle <= self._refiner.orientation_tolerance)
        return ended, true & ((ended >= self._lower) & (ended <= self._upper)).all(-1)

    def _errors(self, positions: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Measure (T, K, n) configurations by matrices, which the solver has no part in."""
        reached, wanted = self._forward(self.chain, positions), targets[:, None]
        distance = torch.linalg.vector_norm(reached[..., :3, 3] - wanted[..., :3, 3], dim=-1)
        # Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in this norm.
        gap = (reached - wanted)[..., :3, :3].flatten(-2)
        chord = torch.linalg.vector_norm(gap, dim=-1) / 8.0**0.5
        return distance, 2.0 * torch.asin(torch.clamp(chord, max=1.0))

    def _merged(
        self, found: Tensor, counts: Tensor, new: Tensor, true: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Put what is new behind (T, N, n) solutions; say for which targets that was the last."""
        wanted, joints = found.shape[1:]
        known = torch.arange(wanted, device=self.device) < counts[:, None]
        positions, valid = torch.cat([found, new], 1), torch.cat([known, true], 1)
        # What is no solution need not be compared with anything.
        order = _first_of(valid, int(valid.sum(1).max()))
        positions = positions.gather(1, order[..., None].expand(-1, -1, joints))
        valid = valid.gather(1, order)
        if wanted > 1:
            distinct = int(counts.min())
            valid = first_distinct(positions, valid, self._circular, self._distance, distinct)
        added = (valid & (order >= wanted)).sum(1)
        poor = (counts > 0) & (added <= _ALL_KNOWN * true.sum(1))
        total = torch.clamp(valid.sum(1), max=wanted)
        order = _first_of(valid, min(wanted, valid.shape[1]))
        found = torch.full_like(found, torch.nan)
        filled = (torch.arange(order.shape[1], device=self.device) < total[:, None])[..., None]
        kept = positions.gather(1, order[..., None].expand(-1, -1, joints))
        found[:, : order.shape[1]] = torch.where(filled, kept, torch.nan)
        return found, total, poor | (total == wanted)


def _first_of(chosen: Tensor, count: int) -> Tensor:
    """Return (T, count) indices of what is chosen among (T, C), in order, then of the rest."""
    return torch.sort((~chosen).to(torch.int8), dim=1, stable=True).indices[:, :count]


def _first_round(targets: int, wanted: int) -> int:
    """Return how many seeds each target begins with."""
    if wanted == 1:
        return min(max(_FILL // max(targets, 1), _LEAST), _MOST)
    return int(_SEEDS_PER_SOLUTION * wanted) + _LEAST
