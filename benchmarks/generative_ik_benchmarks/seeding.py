"""What samplers and local solvers need to work on a chain directly, without the search."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_ros._core import nearest_turn
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import GenerativeIKError, check_names
from generative_ik_ros.refine.levenberg_marquardt import RefineTask
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.closed_form import ClosedForm
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.samplers.registry import make_sampler, sampler_names


@dataclass(frozen=True)
class SearchBox:
    """The bounds of seeds and solutions, as in `IKSolver.solve`.

    Attributes:
        lower: (n,) bounds of seeds, finite [rad or m].
        upper: (n,) likewise.
        free: (n,) joints that the local solver may turn without end.
        circular: (n,) joints with room for a full turn.
    """

    lower: Floats
    upper: Floats
    free: Bools
    circular: Bools

    @classmethod
    def of(cls, chain: KinematicChain) -> "SearchBox":
        """Return the box of a chain."""
        lower, upper = finite_limits(chain)
        return cls(lower, upper, chain.continuous, chain.circular)

    def seed_request(
        self, targets: Floats, count: int, random_seed: int, first: int = 0
    ) -> SeedRequest:
        """Return the request for seeds `first` to `first + count` of targets (T, 4, 4)."""
        return SeedRequest(targets, count, self.lower, self.upper, random_seed, first)

    def refine_task(self, targets: Floats, seeds: Floats, *, thorough: bool = False) -> RefineTask:
        """Return the task to make seeds (T, K, n) of targets (T, 4, 4) exact, all of them."""
        return RefineTask(
            targets,
            np.ascontiguousarray(seeds).reshape(-1, seeds.shape[-1]),
            np.repeat(np.arange(len(targets)), seeds.shape[1]),
            np.where(self.free, -np.inf, self.lower),
            np.where(self.free, np.inf, self.upper),
            np.full(len(targets), np.iinfo(np.int64).max),
            thorough=thorough,
        )

    def into_box(self, positions: Floats) -> Floats:
        """Turn joints of configurations (N, n) that went round back into the box."""
        middle = (self.lower + self.upper) / 2.0
        return nearest_turn(positions, middle, self.lower, self.upper, self.circular)


def check_samplers(names: Sequence[str]) -> None:
    """Refuse names that are no samplers.

    Raises:
        UnknownNameError: One is not.
    """
    check_names("sampler", names, sampler_names())


def available_samplers(
    chain: KinematicChain, names: Sequence[str] = (), device: str = "cpu"
) -> tuple[dict[str, Sampler], dict[str, str]]:
    """Return the samplers that work on a chain, all or some, and why the others do not.

    Raises:
        UnknownNameError: There is no such sampler.
    """
    check_samplers(names)
    samplers: dict[str, Sampler] = {}
    absent: dict[str, str] = {}
    for name in names or sampler_names():
        try:
            samplers[name] = make_sampler(name, chain, device)
        except GenerativeIKError as reason:
            absent[name] = str(reason)
    return samplers, absent


def seed_samplers(
    chain: KinematicChain, names: Sequence[str] = (), device: str = "cpu"
) -> tuple[dict[str, Sampler], dict[str, str]]:
    """Return what `available_samplers` does, without the closed form.

    That has its part in whole calls; the seeds that it proposes are those of quasi_random.

    Raises:
        UnknownNameError: There is no such sampler.
    """
    names = names or sampler_names()
    proposing = [name for name in names if name != ClosedForm.name]
    samplers, absent = available_samplers(chain, proposing, device) if proposing else ({}, {})
    if ClosedForm.name in names:
        absent[ClosedForm.name] = f"its seeds are those of {QuasiRandom.name}"
    return samplers, absent


def count_samplers(names: Sequence[str]) -> int:
    """Return how many samplers `available_samplers` would look at."""
    return len(names or sampler_names())
