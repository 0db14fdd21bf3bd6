"""Batched Levenberg-Marquardt on the CPU: the local solver that the package uses by default."""

import math

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.lanes import WIDTH
from generative_ik_ros.parallel import for_each
from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask, characteristic_length
from generative_ik_ros.refine.kernel_chain import kernel_chain, pose_rows
from generative_ik_ros.refine.lm_kernel import refine_kernel
from generative_ik_ros.refine.lm_step import KernelOptions
from generative_ik_ros.robot.chain import KinematicChain

_WORK_A_PIECE = 1024
"""Seeds times joints that a thread takes at a time: little enough to spread over threads and to
keep a deadline (about 0.1 ms), enough to keep the eight lanes full. It does not depend on the
number of threads, so that neither do the results."""


_THOROUGH_ITERATIONS = 300


class LevenbergMarquardt(Refiner):
    """Damped least squares in one compiled kernel, eight seeds a vector; see `lm_kernel`.

    Attributes:
        kernel_chain: The chain, for compiled code.
        options: What steers the iteration, likewise.
    """

    name = "levenberg_marquardt"

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Fold the chain into the kernel's arrays."""
        super().__init__(chain, position_tolerance, orientation_tolerance)
        self.kernel_chain = kernel_chain(chain, characteristic_length(chain))
        self.options = KernelOptions(
            position_weight=self.position_weight,
            orientation_weight=self.orientation_weight,
            # The kernel measures the chord of the angle; the margin covers rounding.
            position_tolerance=min(position_tolerance, 1e9) * (1.0 - 1e-3),
            orientation_tolerance=2.0
            * math.sin(min(orientation_tolerance, math.pi) / 2.0)
            * (1.0 - 1e-3),
            max_iterations=40,
            damping=0.03,
            max_step=10.0,
            stall_window=4,
            stall_ratio=0.3,
        )

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        num_seeds, num_joints = task.seeds.shape
        # Arrays of one type only: a read-only one would have the kernel compiled anew.
        positions = np.array(task.seeds, order="C")
        lower, upper = (np.require(x, requirements=("C", "W")) for x in (task.lower, task.upper))
        position_error = np.full(num_seeds, np.inf)
        orientation_error = np.full(num_seeds, np.inf)
        converged = np.zeros(num_seeds, np.bool_)
        iterations = np.zeros(num_seeds, np.int64)
        options = self.options
        if task.thorough:
            options = options._replace(max_iterations=_THOROUGH_ITERATIONS)
        targets = pose_rows(task.targets)

        def work(piece: slice) -> None:
            refine_kernel(
                self.kernel_chain, options, task.thorough, lower, upper, targets,
                task.target_of_seed[piece], task.wanted, positions[piece],
                positions[piece], position_error[piece], orientation_error[piece],
                converged[piece], iterations[piece],
            )  # fmt: skip

        # Thorough seeds all run for long, so that there is nothing to refill lanes with.
        size = WIDTH if task.thorough else max(WIDTH, _WORK_A_PIECE // num_joints)
        pieces = [slice(i, i + size) for i in range(0, num_seeds, size)]
        for_each(work, pieces, task.deadline)
        return Refinement(
            positions,
            position_error,
            _angle_of_chord(orientation_error),
            converged,
            iterations,
        )


def _angle_of_chord(chord: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn 2 sin(angle / 2) into the angle; infinite stays infinite."""
    angle = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
    return np.where(np.isinf(chord), np.inf, angle)
