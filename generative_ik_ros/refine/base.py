"""The contract of local solvers: `Refiner`, its RefineTask and its Refinement."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class RefineTask:
    """Seeds to refine.

    Attributes:
        targets: (T, 4, 4) target poses, tip in base [m].
        seeds: (S, n) start configurations inside the bounds [rad or m].
        target_of_seed: (S,) index of each seed's target.
        lower: (n,) bounds that no result may leave; infinite for free continuous joints.
        upper: (n,) likewise.
        wanted: (T,) how many converged seeds of a target are enough; the rest may be left out.
        deadline: Reading of `time.perf_counter` after which no more work is started [s].
        thorough: Whether seeds that do not converge are followed to their local minimum.
    """

    targets: Floats
    seeds: Floats
    target_of_seed: Ints
    lower: Floats
    upper: Floats
    wanted: Ints
    deadline: float = float("inf")
    thorough: bool = False


@dataclass(frozen=True)
class Refinement:
    """Where each seed ended.

    Attributes:
        positions: (S, n) where the seed ended [rad or m].
        position_error: (S,) distance of the tip from the target [m]; inf for a seed left out.
        orientation_error: (S,) angle between tip and target [rad]; inf for a seed left out.
        converged: (S,) whether both errors are within the tolerances.
        iterations: (S,) iterations spent; 0 for a seed left out.
    """

    positions: Floats
    position_error: Floats
    orientation_error: Floats
    converged: Bools
    iterations: Ints

    @classmethod
    def none_of(cls, seeds: Floats) -> "Refinement":
        """Return a refinement that leaves all of (S, n) seeds out, in arrays of its own."""
        count = len(seeds)
        return cls(
            np.array(seeds, order="C"),
            np.full(count, np.inf),
            np.full(count, np.inf),
            np.zeros(count, np.bool_),
            np.zeros(count, np.int64),
        )


class Refiner(ABC):
    """A local solver for one chain; safe to use from several threads at once.

    Args:
        chain: The chain to solve.
        position_tolerance: [m]; inf leaves the position free.
        orientation_tolerance: [rad]; inf leaves the orientation free.
    """

    name: ClassVar[str]

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Prepare what does not depend on the targets."""
        self.chain = chain
        self.position_tolerance = position_tolerance
        self.orientation_tolerance = orientation_tolerance
        # A rotation by 1 rad moves the tip by about the characteristic length.
        free = np.isinf(position_tolerance)
        self.position_weight = 0.0 if free else 1.0 / chain.characteristic_length
        self.orientation_weight = 0.0 if np.isinf(orientation_tolerance) else 1.0

    @property
    def tolerances(self) -> tuple[float, float]:
        """Of positions [m] and orientations [rad]; inf leaves them free."""
        return self.position_tolerance, self.orientation_tolerance

    @property
    def weights(self) -> tuple[float, float]:
        """Of distances [1/m] and angles [1/rad]; 0 of what is free."""
        return self.position_weight, self.orientation_weight

    def weighted_by_tolerances(self) -> "Refiner":
        """Return one that weighs errors by what is tolerated, where both are held to be 0.

        With tolerances of as many metres as radians, the default, its own weights are those. One
        that cannot weigh them so is returned as it is.
        """
        return self

    @abstractmethod
    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
