"""What a path search is given, and the memory that its compiled code needs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.paths.records import RUN
from generative_ik_ros.robot.rodrigues import RodriguesChain
from generative_ik_ros.search.records import new_records
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.verify import Verifier

if TYPE_CHECKING:
    from generative_ik_ros._core import AddressedCheck
    from generative_ik_ros.collision.checker import SceneCheck

RESOLUTION = 0.02
"""Largest motion of a joint between two collision checks, in its own unit (`joint_units`)."""
Solutions = Callable[[int, int, int], NDArray[np.float64]]
"""Returns solutions (K, n) of a pose: its index, how many are wanted, and a random seed."""


@dataclass(frozen=True)
class PathTask:
    """Poses to follow, and within what bounds.

    Attributes:
        stages: Refiner and verifier of the chain, and the regions about the targets.
        targets: (B, 4, 4) tip in base [m]; (B, 1, 4, 4) with regions.
        bounds: (4, n) joint limits, lower and upper; largest step from a pose to the next; largest
            motion between two collision checks [rad or m].
        weight: (n,) what a radian or metre of each joint's motion counts.
        deadline: Reading of `time.perf_counter` [s].
        check: The robot among its obstacles; None: nothing is checked.
        arrays: The chain, for self-motions.
        narrower: Finds a path (L, n) through the poses themselves; None where it would not be one.
        first_pose: Index of the first of the targets among the poses that were asked for.
        closer: How many times closer to each other the checks of a path that is found are.
    """

    stages: Stages
    targets: NDArray[np.float64]
    bounds: NDArray[np.float64]
    weight: NDArray[np.float64]
    deadline: float
    check: "SceneCheck | None"
    arrays: RodriguesChain
    narrower: Callable[[], NDArray[np.float64]] | None = None
    first_pose: int = 0
    closer: float = 4.0

    def closely(self) -> "PathTask":
        """Return the same task with all checks as close as those of a path that is found."""
        bounds = self.bounds.copy()
        bounds[3] /= self.closer
        return replace(self, bounds=bounds, closer=1.0)

    @classmethod
    def of(
        cls,
        stages: Stages,
        targets: NDArray[np.float64],
        max_step: NDArray[np.float64],
        joint_weights: NDArray[np.float64],
        deadline: float,
        check: "SceneCheck | None",
    ) -> "PathTask":
        """Put together what is asked for; `joint_weights` (n,) are per joint unit."""
        chain, units = stages.chain, stages.chain.joint_units
        bounds = np.stack([chain.lower, chain.upper, max_step, RESOLUTION * units])
        targets = np.require(targets, requirements=("C", "W"))
        verifier = stages.verifier
        if not isinstance(verifier, Verifier):
            verifier = Verifier(chain)
        weight = joint_weights / units
        return cls(stages, targets, bounds, weight, deadline, check, verifier.arrays)

    @property
    def num_joints(self) -> int:
        """Number of joints."""
        return self.bounds.shape[1]

    def new_run(self) -> tuple[NDArray[np.void], "AddressedCheck | None"]:
        """Return a RUN record, and what it holds addresses of and does not own."""
        run = new_records(1, RUN)
        if self.check is None:
            return run, None
        own = self.check.addressed()
        run["check"], run["check_context"] = own.CHECK, own.context
        return run, own

    def lengths(self, path: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weighted length of each motion of a path (L, n): (L - 1,)."""
        return np.sqrt(((np.diff(path, axis=0) * self.weight) ** 2).sum(axis=1))


class Ends(NamedTuple):
    """Where a path begins and ends.

    Attributes:
        before: (n,) where the arm is, within a step of the first pose; None: anywhere.
        first: (n,) solution of the first pose to begin at; None: any.
        last: (n,) solution of the last pose to end at; None: any.
    """

    before: NDArray[np.float64] | None = None
    first: NDArray[np.float64] | None = None
    last: NDArray[np.float64] | None = None
