"""SciPy's SLSQP from random seeds: the baseline of the papers."""

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.solver import Solver
from generative_ik_ros.array_types import Floats
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.slsqp import SLSQP
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits

_RESTARTS = 32
"""Most seeds a pose."""


class Slsqp(Solver):
    """Random restarts of SciPy's SLSQP, at most 100 iterations each.

    The row "SQP + rand" of GGIK's table IV (T-RO) and table 2 (CoRL), with our cost function and
    analytic gradients, and with our tolerance in place of SciPy's default one, which stops far
    from it. Restarts end when enough converged.

    Args:
        chain: The chain.
        wanted: Distinct solutions wanted a pose.
        seed: Root of the random seeds.
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
