"""Sequential quadratic programming with SciPy: the papers' baseline, one seed at a time."""

import time

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from generative_ik_ros.array_types import Floats
from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask


class SLSQP(Refiner):
    """SciPy's SLSQP on half the squared pose error, at most 100 iterations a seed.

    These are the settings of the baseline in GGIK (Limoyo et al., T-RO 2025, table IV). Gradients
    are analytic, from the geometric Jacobian.
    """

    name = "slsqp"

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        result = Refinement.none_of(task.seeds)
        found = np.zeros(len(task.targets), np.int64)
        bounds = list(zip(task.lower, task.upper, strict=True))
        for s, t in enumerate(task.target_of_seed):
            if found[t] >= task.wanted[t] or time.perf_counter() >= task.deadline:
                continue
            target = task.targets[t]
            optimum = minimize(
                self._cost,
                task.seeds[s],
                args=(target,),
                jac=True,
                bounds=bounds,
                method="SLSQP",
                options={"maxiter": 100, "ftol": 1e-16},
            )
            result.positions[s] = np.clip(optimum.x, task.lower, task.upper)
            error = _error(self.chain.forward(result.positions[s]), target)
            distance, angle = np.linalg.norm(error[:3]), np.linalg.norm(error[3:])
            result.position_error[s], result.orientation_error[s] = distance, angle
            result.converged[s] = (
                distance <= self.position_tolerance and angle <= self.orientation_tolerance
            )
            result.iterations[s] = optimum.nit
            found[t] += result.converged[s]
        return result

    def _cost(self, q: Floats, target: Floats) -> tuple[float, Floats]:
        """Return half the weighted squared error and its gradient."""
        tip, jacobian = self.chain.tip_and_jacobian(q)
        weight = np.repeat([self.position_weight, self.orientation_weight], 3)
        error = _error(tip, target) * weight
        return 0.5 * float(error @ error), -(weight * error) @ jacobian


def _error(tip: Floats, target: Floats) -> Floats:
    """Return (6,): from tip to target the shift [m] and the rotation vector [rad]."""
    rotation = Rotation.from_matrix(target[:3, :3] @ tip[:3, :3].T)
    return np.concatenate([target[:3, 3] - tip[:3, 3], rotation.as_rotvec()])
