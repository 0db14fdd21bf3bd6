"""How close a chain comes to poses that it does not reach: measured when it is first asked for.

To say that a pose is out of reach takes a fraction of the time that it takes to find the closest
configuration, and who asks for a thousand poses seldom wants to know.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions, SolveStatus
from generative_ik_ros.space import SearchSpace

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree

_CLOSED = 256
"""Configurations with closed loops that are compared."""
_ONE = np.zeros(1, np.int64)
_BEST_EFFORT = "best_effort", "best_effort_position_error", "best_effort_orientation_error"


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
        """Follow seeds to their local minima, as far as there is time for it."""
        deadline, request = time.perf_counter() + self.time_left, self.request
        unknown = self.targets[np.isinf(self.errors[self.targets, 0])]
        if len(unknown):
            if request.seed_states is not None:
                self.positions[unknown] = [self._space(t).reference for t in unknown]
            self.errors[unknown] = self._measured(self.positions[unknown], unknown)
        asked = [(request, self.targets, self.targets)]
        if request.seed_states is not None:  # each has a box of its own
            asked = [(request.about(t), np.array([t]), _ONE) for t in self.targets.tolist()]
        for one, rows, targets in asked:
            self._find(one, rows, targets, deadline)

    def _find(self, request: SolveRequest, rows: Ints, targets: Ints, deadline: float) -> None:
        """Do so for the targets of a request that are in some rows."""
        space, positions, errors = request.space, self.positions[rows], self.errors[rows]
        points = recurrence(request.random_seed, len(space.lower))
        _core.find_closest(
            (self.stages.problem, space.box, points, request.targets), self._refiner.options,
            request.alternatives, targets, positions, errors, deadline - time.perf_counter(),
        )  # fmt: skip
        self.positions[rows] = _core.nearest_turn(
            positions, space.reference, space.lower, space.upper, space.circular
        )
        self.errors[rows] = errors

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
        still_open = rows[gaps.max(axis=1) > LARGEST_TOLERANCE].tolist()
        closed = random_configurations(chain, _CLOSED * bool(still_open), 0)
        for t in still_open:
            errors = self._measured(closed, np.full(len(closed), t))
            best = np.hypot(*(errors * self._refiner.weights).T).argmin()
            self.positions[t], self.errors[t] = closed[best], errors[best]

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

    def _measured(self, positions: Floats, targets: Ints) -> Floats:
        return self.stages.verifier.errors(positions, self.request.targets, targets)
