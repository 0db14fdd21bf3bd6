"""Sequential quadratic programming by SciPy: the papers' baseline, one seed at a time."""

import time

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask

_ITERATIONS = 100


class SLSQP(Refiner):
    """SciPy's SLSQP on half the squared pose error, at most 100 iterations a seed.

    The setting is that of the baseline in GGIK (Limoyo et al., T-RO 2025, table IV). Gradients are
    analytic, by the geometric Jacobian.
    """

    name = "slsqp"

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        num_seeds = len(task.seeds)
        positions = task.seeds.copy()
        errors = np.full((num_seeds, 2), np.inf)
        converged = np.zeros(num_seeds, np.bool_)
        iterations = np.zeros(num_seeds, np.int64)
        found = np.zeros(len(task.targets), np.int64)
        bounds = list(zip(task.lower, task.upper, strict=True))
        for s, t in enumerate(task.target_of_seed):
            if found[t] >= task.wanted[t] or time.perf_counter() >= task.deadline:
                continue
            target = task.targets[t]
            result = minimize(
                self._cost,
                task.seeds[s],
                args=(target,),
                jac=True,
                bounds=bounds,
                method="SLSQP",
                options={"maxiter": _ITERATIONS, "ftol": 1e-16},
            )
            positions[s] = np.clip(result.x, task.lower, task.upper)
            error = self._error(positions[s], target)
            errors[s] = np.linalg.norm(error[:3]), np.linalg.norm(error[3:])
            converged[s] = bool(
                errors[s, 0] <= self.position_tolerance
                and errors[s, 1] <= self.orientation_tolerance
            )
            iterations[s] = result.nit
            found[t] += converged[s]
        return Refinement(positions, errors[:, 0], errors[:, 1], converged, iterations)

    def _error(self, q: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
        tip = self.chain.forward(q)
        rotation = Rotation.from_matrix(target[:3, :3] @ tip[:3, :3].T)
        return np.concatenate([target[:3, 3] - tip[:3, 3], rotation.as_rotvec()])

    def _cost(
        self, q: NDArray[np.float64], target: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return half the weighted squared error and its gradient."""
        weight = np.repeat([self.position_weight, self.orientation_weight], 3)
        error = self._error(q, target) * weight
        return 0.5 * float(error @ error), -(weight * error) @ self._jacobian(q)

    def _jacobian(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the (6, n) geometric Jacobian at the tip, linear rows first, in the base."""
        chain = self.chain
        jacobian = np.zeros((6, chain.num_joints))
        tip = chain.forward(q)[:3, 3]
        frame = np.eye(4)
        for i, origin in enumerate(chain.joint_origins):
            frame = frame @ origin
            axis = frame[:3, :3] @ chain.joint_axes[i]
            v, multiplier = chain.joint_variable[i], chain.joint_multiplier[i]
            value = multiplier * q[v] + chain.joint_offset[i]
            move = np.eye(4)
            if chain.joint_prismatic[i]:
                column = np.concatenate([axis, np.zeros(3)])
                move[:3, 3] = chain.joint_axes[i] * value
            else:
                column = np.concatenate([np.cross(axis, tip - frame[:3, 3]), axis])
                move[:3, :3] = Rotation.from_rotvec(chain.joint_axes[i] * value).as_matrix()
            jacobian[:, v] += multiplier * column
            frame = frame @ move
        return jacobian
