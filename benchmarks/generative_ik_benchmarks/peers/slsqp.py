"""SciPy's SLSQP from random seeds: the baseline of the papers."""

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.solver import Solver
from generative_ik_ros.array_types import Floats
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, Refinement, RefineTask
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits

_RESTARTS = 32
"""Most seeds a pose."""


class SLSQP:
    """SciPy's SLSQP on half the squared pose error, at most 100 iterations a seed.

    These are the settings of the baseline in GGIK (Limoyo et al., T-RO 2025, table IV). Gradients
    are analytic, from the geometric Jacobian. Arguments are those of `LevenbergMarquardt`.
    """

    def __init__(
        self, chain: KinematicChain, position_tolerance: float, orientation_tolerance: float
    ):
        """Take over the weights of our own local solver."""
        self._chain, self._tolerances = chain, (position_tolerance, orientation_tolerance)
        self._weight = np.repeat(LevenbergMarquardt(chain, *self._tolerances).weights, 3)

    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        result = Refinement.none_of(task.seeds)
        found = np.zeros(len(task.targets), np.int64)
        bounds = list(zip(task.lower, task.upper, strict=True))
        for s, t in enumerate(task.target_of_seed):
            if found[t] >= task.wanted[t]:
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
            error = _error(self._chain.forward(result.positions[s]), target)
            distance, angle = np.linalg.norm(error[:3]), np.linalg.norm(error[3:])
            result.position_error[s], result.orientation_error[s] = distance, angle
            result.converged[s] = distance <= self._tolerances[0] and angle <= self._tolerances[1]
            result.iterations[s] = optimum.nit
            found[t] += result.converged[s]
        return result

    def _cost(self, q: Floats, target: Floats) -> tuple[float, Floats]:
        """Return half the weighted squared error and its gradient."""
        tip, jacobian = self._chain.tip_and_jacobian(q)
        error = _error(tip, target) * self._weight
        return 0.5 * float(error @ error), -(self._weight * error) @ jacobian


def _error(tip: Floats, target: Floats) -> Floats:
    """Return (6,): from tip to target the shift [m] and the rotation vector [rad]."""
    rotation = Rotation.from_matrix(target[:3, :3] @ tip[:3, :3].T)
    return np.concatenate([target[:3, 3] - tip[:3, 3], rotation.as_rotvec()])


class Slsqp(Solver):
    """Random restarts of SciPy's SLSQP, at most 100 iterations each.

    The row "SQP + rand" of GGIK's table IV (T-RO) and table 2 (CoRL), with our cost function and
    analytic gradients, and with our tolerance in place of SciPy's default one, which stops far
    from it. Restarts end when enough converged.
    """

    name = "SLSQP, 100 iterations"
    position_tolerance = orientation_tolerance = 1e-5

    def __init__(self, chain: KinematicChain, wanted: int, seed: int = 0):
        """Remember the settings."""
        self._refiner = SLSQP(chain, self.position_tolerance, self.orientation_tolerance)
        self._space = JointSpace.of(chain)
        self._lower, self._upper = finite_limits(chain)
        self._wanted = wanted
        self._rng = np.random.default_rng(seed)

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the distinct solutions (k, n), see `Solver`."""
        seeds = self._rng.uniform(self._lower, self._upper, (_RESTARTS, len(self._lower)))
        refinement = self._refiner.refine(
            RefineTask(
                tip_in_base[None],
                seeds,
                np.zeros(_RESTARTS, np.int64),
                self._lower,
                self._upper,
                np.array([self._wanted]),
            )
        )
        found = refinement.positions[refinement.converged]
        return found[self._space.thin(found, 0.05, LARGEST)]


def solvers(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return it once."""
    return [Slsqp(case.chain, wanted, seed=seed)]
