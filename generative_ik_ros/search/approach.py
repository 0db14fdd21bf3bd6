"""How close a chain comes to poses that it does not reach: measured when it is first asked for.

To say that a pose is out of reach takes a fraction of the time that it takes to find the closest
configuration, and who asks for a thousand poses seldom wants to know.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.search.seeding import Seeding
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions, SolveStatus
from generative_ik_ros.space import SearchSpace

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree

_BEST_EFFORT = "best_effort", "best_effort_position_error", "best_effort_orientation_error"


class ApproachTuning(NamedTuple):
    """How many seeds are driven to their local minima, to come as close to targets as it goes."""

    seeds: int = _core.TO_MINIMA
    """Of each target."""
    near: int = _core.TO_MINIMA_NEAR
    """Of a target that restarts came near."""
    across_limits: int = _core.ACROSS_LIMITS
    """Seeds that cross the limits on their way, where those within them may be trapped."""
    closed: int = 256
    """Configurations with closed loops that are compared."""
    in_memory: int = 65536
    """Most seeds, of all targets, that are in memory at a time; a sampler's, too."""

    def pieces(self, targets: Ints, seeds: int, deadline: float) -> Iterator[Ints]:
        """Yield as many targets at a time as have that many seeds each in memory.

        After the deadline, a reading of `time.perf_counter`, no more than the first are yielded.
        """
        size = self.in_memory // seeds
        for i in range(0, len(targets), size):
            if i and time.perf_counter() >= deadline:
                return
            yield targets[i : i + size]


APPROACH = ApproachTuning()


@dataclass(frozen=True)
class ClosestApproaches:
    """What it takes to find the closest configurations of a call that is over.

    Attributes:
        stages: Refiner and verifier.
        request: What was asked for.
        targets: (A,) those whose closest approach is looked for.
        positions: (B, n) closest configurations so far [rad or m]; changed by `find`.
        errors: (B, 2) their distances [m] and angles [rad], likewise; inf if not measured yet.
        time_left: What was left of the call's time limit [s].
    """

    stages: Stages
    request: SolveRequest
    targets: Ints
    positions: Floats
    errors: Floats
    time_left: float

    def find(self) -> None:
        """Drive seeds to their local minima, as far as there is time for it."""
        deadline = time.perf_counter() + self.time_left
        unknown = self.targets[np.isinf(self.errors[self.targets, 0])]
        if len(unknown):
            if self.request.seed_states is not None:
                self.positions[unknown] = [self._space(t).reference for t in unknown]
            self.errors[unknown] = self._measured(self.positions[unknown], unknown)
        for some, minima in self._minima(deadline):
            self._keep_closest(some, minima)

    def _minima(self, deadline: float) -> Iterator[tuple[Ints, Floats]]:
        """Return targets (A,), some after others, and local minima of their errors (A, K, n)."""
        stages, request = replace(self.stages, refiner=self._refiner), self.request
        if request.seed_states is not None:  # each has a box of its own
            for t in self.targets:
                if t != self.targets[0] and time.perf_counter() >= deadline:
                    return
                seeding = Seeding(stages, request.about(t), deadline)
                minima = seeding.at_minimum(np.zeros(1, np.int64), APPROACH.seeds, _core.GIVE_UP)
                yield np.array([t]), minima
            return
        seeding = Seeding(stages, request, deadline)
        for some in APPROACH.pieces(self.targets, APPROACH.seeds, deadline):
            yield some, seeding.at_minimum(some, APPROACH.seeds, _core.GIVE_UP)

    @property
    def _refiner(self) -> LevenbergMarquardt:
        """What drives seeds: by the tolerances, or to what is preferred."""
        if self.stages.approximate is not None:
            return self.stages.approximate.refiner
        return self.stages.refiner.weighted_by_tolerances()

    def complete(self, result: IKSolutions) -> None:
        """Give the result of the call its best effort, which counts as solution where it is one.

        So many seeds may find what a search has missed.
        """
        self.find()
        self._close_loops()
        best = self.positions, self.errors[:, 0], self.errors[:, 1]
        reached, pairs = self.reached()
        # As these are computed when they are first read, before anything is written.
        counts, status = result.counts, list(result.status)
        blocked_by = list(result.blocked_by or ())
        result.positions[reached, 0] = self.positions[reached]
        result.position_error[reached, 0] = self.errors[reached, 0]
        result.orientation_error[reached, 0] = self.errors[reached, 1]
        counts[reached] = 1
        for t in reached.tolist():
            one = result.positions.shape[1] == 1
            status[t] = SolveStatus.SOLVED if one else SolveStatus.PARTIAL
        for t, pair in pairs.items():
            blocked_by[t] = pair
        vars(result).update(
            zip(_BEST_EFFORT, best, strict=True),
            status=tuple(status),
            blocked_by=result.blocked_by and tuple(blocked_by),
        )

    def _close_loops(self) -> None:
        """Close the loops of a robot: what is nearest to a target is seldom closed by itself.

        Where that cannot be done nearby, it is the nearest of some configurations that are closed.
        """
        chain, rows = cast("KinematicChain | KinematicTree", self.stages.chain), self.targets
        if isinstance(chain, KinematicChain) or not chain.closures or not len(rows):
            return
        from generative_ik_ros.robot.closing import closed_near
        from generative_ik_ros.robot.closures import LARGEST_TOLERANCE
        from generative_ik_ros.robot.random_poses import random_configurations

        none = np.zeros(chain.num_joints, np.bool_)
        self.positions[rows], gaps = closed_near(chain, self.positions[rows], none)
        self.errors[rows] = self._measured(self.positions[rows], rows)
        still_open = rows[gaps.max(axis=1) > LARGEST_TOLERANCE]
        if len(still_open):
            self.errors[still_open] = np.inf
            closed = random_configurations(chain, APPROACH.closed, 0)
            self._keep_closest(still_open, np.stack([closed] * len(still_open)))

    def reached(self) -> tuple[Ints, dict[int, tuple[str, str]]]:
        """Return targets to which a solution was found, and what collides in others' closest."""
        tolerances, check = self.stages.refiner.tolerances, self.request.check
        reached = self.targets[(self.errors[self.targets] <= tolerances).all(axis=1)]
        # What was moved to close loops may have left the consistency limits.
        reached = np.array([t for t in reached.tolist() if self._is_within(t)], np.int64)
        pairs = {}
        if check is not None:
            found = {t: check.colliding_pair(self.positions[t]) for t in reached.tolist()}
            pairs = {t: pair for t, pair in found.items() if pair is not None}
            reached = np.array([t for t in reached.tolist() if t not in pairs], np.int64)
        return reached, pairs

    def _space(self, target: int) -> SearchSpace:
        """Return where to search for a target."""
        request = self.request
        return request.space if request.seed_states is None else request.about(target).space

    def _is_within(self, target: int) -> bool:
        """Say whether the closest configuration is within the consistency limits."""
        space, q = self._space(target), self.positions[target]
        return not space.narrowed or bool(((space.lower <= q) & (q <= space.upper)).all())

    def _keep_closest(self, targets: Ints, found: Floats) -> None:
        """Keep the closest of (A, K, n) configurations where it is closer than what is kept."""
        count, of_target = found.shape[1], np.repeat(targets, found.shape[1])
        errors = self._measured(found.reshape(len(of_target), -1), of_target)
        errors = errors.reshape(len(targets), count, 2)
        best = self._closeness(errors).argmin(axis=1)
        rows = np.arange(len(targets))
        closer = self._closeness(errors[rows, best]) < self._closeness(self.errors[targets])
        self.positions[targets[closer]] = found[rows, best][closer]
        self.errors[targets[closer]] = errors[rows, best][closer]

    def _measured(self, positions: Floats, targets: Ints) -> Floats:
        return self.stages.verifier.errors(positions, self.request.targets, targets)

    def _closeness(self, errors: Floats) -> Floats:
        """Return by what (..., 2) distances [m] and angles [rad] are compared."""
        weights = self._refiner.weights
        return np.hypot(weights[0] * errors[..., 0], weights[1] * errors[..., 1])
