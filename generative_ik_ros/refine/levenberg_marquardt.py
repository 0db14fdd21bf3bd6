"""Batched Levenberg-Marquardt on the CPU: the local solver that the package uses by default."""

import math
import time
from copy import copy

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask
from generative_ik_ros.robot.chain import KinematicChain

_WORK_A_PIECE = 1024
"""Seeds times joints that a thread takes at a time: little enough to spread over threads and to
keep a deadline (about 0.1 ms), enough to keep the eight lanes full. It does not depend on the
number of threads, so neither do the results."""
_LANES = _core.lanes()


class LevenbergMarquardt(Refiner):
    """Damped least squares in the native core, eight seeds at a time (core/src/local_solver).

    Attributes:
        options: (9,) its parameters: weights of position [1/m] and orientation [1/rad] first.
    """

    name = "levenberg_marquardt"

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Choose the parameters."""
        super().__init__(chain, position_tolerance, orientation_tolerance)
        self.options = self._options()

    def weighted_by_tolerances(self) -> "LevenbergMarquardt":
        """Return the same with another weight of positions; at most a thousand times as much."""
        tolerances = self.orientation_tolerance, self.position_tolerance
        ratio = tolerances[0] / tolerances[1]
        if math.isinf(max(tolerances)) or ratio == 1.0:
            return self
        other, most = copy(self), 1e3
        other.position_weight *= min(max(ratio, 1.0 / most), most)
        other.options = other._options()
        return other

    def _options(self) -> Floats:
        goals = self.chain.core.num_goals
        return _core.solver_options(*self.weights, *self.tolerances, goals)

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        result = Refinement.none_of(task.seeds)
        # Thorough seeds all take long, so refilling lanes gains nothing.
        size = _LANES if task.thorough else max(_LANES, _WORK_A_PIECE // task.seeds.shape[1])
        _core.refine(
            self.chain.core, self.options, task.thorough,
            np.ascontiguousarray(task.lower), np.ascontiguousarray(task.upper),
            np.ascontiguousarray(task.targets), task.target_of_seed, task.wanted,
            result.positions, result.positions, result.position_error, result.orientation_error,
            result.converged, result.iterations, size, task.deadline - time.perf_counter(),
            self._goals,
        )  # fmt: skip
        result.orientation_error[:] = _angle_of_chord(result.orientation_error)
        return result

    @property
    def _goals(self) -> tuple[Ints, Floats] | None:
        """What targets bound of each goal, and regions about them; None: they are tip poses."""
        return None


def _angle_of_chord(chord: Floats) -> Floats:
    """Turn 2 sin(angle / 2) into the angle; infinite stays infinite."""
    angle = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
    return np.where(np.isinf(chord), np.inf, angle)
