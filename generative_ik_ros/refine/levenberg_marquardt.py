"""Batched Levenberg-Marquardt on the CPU: the local solver that the package uses by default."""

import math
import time
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask
from generative_ik_ros.refine.goals.tree_arrays import GoalTree
from generative_ik_ros.refine.kernel_chain import (
    KernelChain,
    KernelOptions,
    kernel_chain,
    pack_chain,
)
from generative_ik_ros.robot.chain import KinematicChain

_WORK_A_PIECE = 1024
"""Seeds times joints that a thread takes at a time: little enough to spread over threads and to
keep a deadline (about 0.1 ms), enough to keep the eight lanes full. It does not depend on the
number of threads, so neither do the results."""
_LANES = _core.lanes()


class LevenbergMarquardt(Refiner):
    """Damped least squares in the native core, eight seeds at a time (core/src/local_solver).

    Attributes:
        kernel_chain: The chain, for the core.
        options: Its parameters, likewise.
    """

    name = "levenberg_marquardt"

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Fold the chain into the core's arrays."""
        super().__init__(chain, position_tolerance, orientation_tolerance)
        self.kernel_chain = self._arrays(chain)
        # The kernel measures the chord of the angle; the margin covers rounding.
        chord = 2.0 * math.sin(min(orientation_tolerance, math.pi) / 2.0)
        margin = 1.0 - 1e-3
        self.options = KernelOptions(
            position_weight=self.position_weight,
            orientation_weight=self.orientation_weight,
            position_tolerance=min(position_tolerance, 1e9) * margin,
            orientation_tolerance=chord * margin,
            max_iterations=40,
            damping=0.03,
            max_step=10.0,
            stall_window=4,
            stall_ratio=0.3,
        )

    def weighted_by_tolerances(self) -> "LevenbergMarquardt":
        """Return the same with another weight of positions; at most a thousand times as much."""
        tolerances = self.orientation_tolerance, self.position_tolerance
        ratio = tolerances[0] / tolerances[1]
        if math.isinf(max(tolerances)) or ratio == 1.0:
            return self
        other, most = copy(self), 1e3
        other.position_weight *= min(max(ratio, 1.0 / most), most)
        other.options = self.options._replace(position_weight=other.position_weight)
        return other

    @cached_property
    def _packed(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        assert isinstance(self.kernel_chain, KernelChain)  # noqa: S101
        return pack_chain(self.kernel_chain)

    def _arrays(self, chain: KinematicChain) -> KernelChain | GoalTree:
        """Return the chain as the core takes it."""
        return kernel_chain(chain)

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        result = Refinement.none_of(task.seeds)
        options = self.options
        if task.thorough:
            options = options._replace(max_iterations=300)
        # Thorough seeds all take long, so refilling lanes gains nothing.
        size = _LANES if task.thorough else max(_LANES, _WORK_A_PIECE // task.seeds.shape[1])
        refine, problem = self._core_call
        refine(
            *problem, np.array(options, np.float64), task.thorough,
            np.ascontiguousarray(task.lower), np.ascontiguousarray(task.upper),
            np.ascontiguousarray(task.targets), task.target_of_seed, task.wanted,
            result.positions, result.positions, result.position_error, result.orientation_error,
            result.converged, result.iterations, size, task.deadline - time.perf_counter(),
        )  # fmt: skip
        result.orientation_error[:] = _angle_of_chord(result.orientation_error)
        return result

    @property
    def _core_call(self) -> tuple[Callable[..., None], Sequence[object]]:
        """What the core is called by, and its first arguments: the kinematics."""
        return _core.refine, self._packed


def _angle_of_chord(chord: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn 2 sin(angle / 2) into the angle; infinite stays infinite."""
    angle = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
    return np.where(np.isinf(chord), np.inf, angle)
