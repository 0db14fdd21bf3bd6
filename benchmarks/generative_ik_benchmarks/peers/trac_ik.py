"""TRAC-IK: the C++ library, called through `pytracik`."""

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError, imported
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.joints import finite_limits

_TOLERANCE = 1e-5
"""For each axis [m and rad]."""


class TracIK(Solver, SeededSolver):
    """TRAC-IK (Beeson and Ames, Humanoids 2015).

    Its tolerance is for each of the six axes, so its distances and angles are checked by sqrt(3)
    times that. It keeps joint limits as float32, so that rounding is allowed.

    Args:
        case: The chain.
        seeds: "mid" starts at mid limits, as in TRAC-IK's own table; "random" anywhere within.
        timeout: Its deadline [s]; 5 ms in its own table.
        seed: Root of the random start configurations.

    Raises:
        MissingDependencyError: `pytracik` is not installed.
        UnsupportedChainError: It cannot take the chain.
    """

    limit_slack = 1e-6

    def __init__(
        self,
        case: ChainCase,
        seeds: str = "mid",
        timeout: float = 0.005,
        seed: int = 0,
    ):
        """Build TRAC-IK's solver from the chain's description."""
        pytracik = imported("pytracik", "pytracik", "peer 'trac-ik'")
        self.name = f"TRAC-IK, {seeds}"
        self.position_tolerance = self.orientation_tolerance = _TOLERANCE * np.sqrt(3.0)
        self._pytracik, chain = pytracik, case.chain
        route = path(chain.description, chain.base_link, chain.tip_link)
        if any(joint.mimic for joint, _ in route):
            raise UnsupportedChainError("takes no mimic joints")
        try:
            self._solver = pytracik.TRAC_IK(
                chain.base_link,
                chain.tip_link,
                case.plain_urdf,
                timeout,
                _TOLERANCE,
                pytracik.SolveType.Speed,
            )
        except RuntimeError as error:
            raise UnsupportedChainError(f"refuses the description: {error}") from error
        if pytracik.get_num_joints(self._solver) != chain.num_joints:
            raise UnsupportedChainError("counts the joints otherwise")
        if chain.num_joints < 2:
            raise UnsupportedChainError("needs two joints or more")
        self._lower, self._upper = finite_limits(chain)
        self._start = (self._lower + self._upper) / 2 if seeds == "mid" else None
        self._rng = np.random.default_rng(seed)

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the one solution (1, n) or none (0, n), see `Solver`."""
        start = self._rng.uniform(self._lower, self._upper) if self._start is None else self._start
        return self.solve_from(tip_in_base, start[None])

    def solve_from(self, tip_in_base: Floats, seeds: Floats) -> Floats:
        """Return what one call from each of the seeds (K, n) finds for a pose (4, 4), (k, n)."""
        numbers = [
            *tip_in_base[:3, 3].tolist(),
            *Rotation.from_matrix(tip_in_base[:3, :3]).as_quat().tolist(),
        ]
        call, solver = self._pytracik.ik, self._solver
        replies = np.array([call(solver, seed, *numbers) for seed in seeds])
        return replies[replies[:, 0] >= 0, 1:]

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return the first solution (n,) that it comes to by its default, "Speed", or None."""
        found = self.solve_from(tip_in_base, seed_state[None])
        return found[0] if len(found) else None


def solvers(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return TRAC-IK from mid limits, then from random seeds; it has one solution a call."""
    return [TracIK(case, "mid", seed=seed), TracIK(case, "random", seed=seed)]


def seeded(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once."""
    solver = TracIK(case, timeout=seconds)
    solver.name = "TRAC-IK"
    return [solver]
