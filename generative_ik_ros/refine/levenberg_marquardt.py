"""Batched Levenberg-Marquardt on the CPU: the local solver that the package uses by default."""

import math

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.parallel import for_each
from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask
from generative_ik_ros.refine.goals.tree_arrays import GoalTree
from generative_ik_ros.refine.kernel_chain import kernel_chain
from generative_ik_ros.refine.lm_kernel import refine_kernel
from generative_ik_ros.refine.lm_step import KernelChain, KernelOptions
from generative_ik_ros.robot.chain import KinematicChain

_WORK_A_PIECE = 1024
"""Seeds times joints that a thread takes at a time: little enough to spread over threads and to
keep a deadline (about 0.1 ms), enough to keep the eight lanes full. It does not depend on the
number of threads, so neither do the results."""
THOROUGH_ITERATIONS = 300
"""Most iterations of a thorough seed."""
_MARGIN = 1.0 - 1e-3
_NO_REGIONS = np.empty((0, 0, 0))


class LevenbergMarquardt(Refiner):
    """Damped least squares in one compiled kernel, eight seeds at a time; see `lm_kernel`.

    Attributes:
        kernel_chain: The chain, for compiled code.
        regions: (R, G, 18) regions about targets, which a chain has none of.
        options: Its parameters, likewise.
    """

    name = "levenberg_marquardt"

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Fold the chain into the kernel's arrays."""
        super().__init__(chain, position_tolerance, orientation_tolerance)
        self.kernel_chain, self.regions = self._arrays(chain), _NO_REGIONS
        self.options = KernelOptions(
            position_weight=self.position_weight,
            orientation_weight=self.orientation_weight,
            # The kernel measures the chord of the angle; the margin covers rounding.
            position_tolerance=min(position_tolerance, 1e9) * _MARGIN,
            orientation_tolerance=2.0
            * math.sin(min(orientation_tolerance, math.pi) / 2.0)
            * _MARGIN,
            max_iterations=40,
            damping=0.03,
            max_step=10.0,
            stall_window=4,
            stall_ratio=0.3,
        )

    def _arrays(self, chain: KinematicChain) -> KernelChain | GoalTree:
        """Return the chain as the kernel takes it."""
        return kernel_chain(chain)

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        result = Refinement.none_of(task.seeds)
        num_seeds, num_joints = task.seeds.shape
        # A read-only array is another type, for which the kernel would be compiled anew.
        lower, upper = (np.require(x, requirements=("C", "W")) for x in (task.lower, task.upper))
        options = self.options
        if task.thorough:
            options = options._replace(max_iterations=THOROUGH_ITERATIONS)
        poses, regions = np.ascontiguousarray(task.targets), self.regions

        def work(piece: slice) -> None:
            refine_kernel(
                self.kernel_chain, options, task.thorough, lower, upper, poses, regions,
                task.target_of_seed[piece], task.wanted, result.positions[piece],
                result.positions[piece], result.position_error[piece],
                result.orientation_error[piece], result.converged[piece],
                result.iterations[piece],
            )  # fmt: skip

        # Thorough seeds all take long, so refilling lanes gains nothing.
        size = WIDTH if task.thorough else max(WIDTH, _WORK_A_PIECE // num_joints)
        pieces = [slice(i, i + size) for i in range(0, num_seeds, size)]
        for_each(work, pieces, task.deadline)
        result.orientation_error[:] = _angle_of_chord(result.orientation_error)
        return result


def _angle_of_chord(chord: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn 2 sin(angle / 2) into the angle; infinite stays infinite."""
    angle = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
    return np.where(np.isinf(chord), np.inf, angle)
