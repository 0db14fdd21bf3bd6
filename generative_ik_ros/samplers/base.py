"""The contract of samplers."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from generative_ik_ros.arguments import MAX_SEED, MAX_SOLUTIONS, whole_number
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    UnsupportedChainError,
    check_names,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.kinematic_tree import check_kinematics
from generative_ik_ros.robot.targets import check_targets

_DEVICES = "cpu", "cuda"
_FOR_TREES = "quasi_random", "closed_form", "uniform", "postures"
IsFree = Callable[[Floats], Bools]
"""Says which configurations (N, n) are free of collisions of the robot with itself."""


@dataclass(frozen=True)
class SeedRequest:
    """A request for seeds.

    Seeds do not depend on earlier requests: the same request gives the same seeds, and a long
    request gives what two short ones give, the second with `first` set to the first one's count.

    Attributes:
        targets: (T, 4, 4) target poses, tip in base [m]; (T, G, 4, 4) for a tree with G tips.
        count: Number K of seeds for each target.
        lower: (n,) bounds of the search, finite [rad or m].
        upper: (n,) likewise.
        random_seed: Another one gives other seeds of the same quality.
        first: Number of seeds that these targets were given before.
    """

    targets: Floats
    count: int
    lower: Floats
    upper: Floats
    random_seed: int
    first: int = 0


class Sampler(ABC):
    """Proposes seeds for the local solver, for one chain; `propose` must be thread-safe.

    Args:
        chain: The chain to propose configurations for.
        device: "cpu" or "cuda", where a model runs.

    Attributes:
        name: Its name in the registry and in results.
        seeds_per_solution: Seeds that it takes to find one more distinct solution, for the size of
            the search's first batch; None if unknown.
        only_first: Whether only the first batch comes from this sampler; the search goes on with
            quasi-random seeds, which its kernel makes itself.
        takes_trees: Whether it may be made for a KinematicTree, too.
        any_pose: Whether `log_likelihood` compares configurations that reach different poses, too.
        first_seeds: Largest number of seeds that a search for one solution requests at a time in
            the beginning; later it requests as many as it needs.
    """

    name: ClassVar[str]
    seeds_per_solution: float | None = None
    only_first: bool = False
    takes_trees: ClassVar[bool] = False
    any_pose: ClassVar[bool] = False
    first_seeds: ClassVar[tuple[int, ...]] = ()

    def __init__(self, chain: KinematicChain, device: str = "cpu"):
        if not isinstance(check_kinematics(chain), KinematicChain) and not self.takes_trees:
            raise UnsupportedChainError(
                f"sampler '{self.name}' is for chains with one tip; trees take "
                + ", ".join(_FOR_TREES)
            )
        check_names("device", [device], _DEVICES)
        self.chain = chain
        self.device = device

    def among_free(self, free: IsFree) -> "Sampler":
        """Return the sampler for collision-free solutions; for most it is the same one."""
        return self

    @abstractmethod
    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) float64 configurations inside the bounds."""

    def samples(self, target: Floats, count: int, random_seed: int = 0) -> Floats:
        """Return raw samples (K, n) for one pose, within the chain's limits.

        Args:
            target: (4, 4) tip in base [m]; for a tree (K, 4, 4).
            count: How many.
            random_seed: Another one gives other samples.

        Raises:
            InvalidTargetError: The target is no pose.
            InvalidArgumentError: A number is not whole, or below 0.
        """
        tips = None if isinstance(self.chain, KinematicChain) else len(self.chain.tip_links)
        poses = check_targets(target, tips)
        if len(poses) != 1:
            raise InvalidTargetError(f"target must be one pose, not {len(poses)}")
        count = whole_number("count", count, 0, MAX_SOLUTIONS)
        seed = whole_number("random_seed", random_seed, 0, MAX_SEED)
        return self.propose(SeedRequest(poses, count, *finite_limits(self.chain), seed))[0]

    def log_likelihood(self, positions: Floats) -> Floats:
        """Return how likely configurations (N, n) [rad or m] are at their own poses, (N,) [nats].

        Raises:
            InvalidArgumentError: The sampler has learned no density.
        """
        raise InvalidArgumentError(
            f"sampler '{self.name}' has learned no density; 'ikflow' has, by `generative-ik train "
            "ikflow --configurations FILE`, and for trees samplers.demonstrations.Demonstrations"
        )
