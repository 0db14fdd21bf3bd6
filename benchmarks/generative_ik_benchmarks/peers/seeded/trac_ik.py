"""TRAC-IK from a seed state."""

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded.base import SeededSolver
from generative_ik_benchmarks.peers.trac_ik import TracIK
from generative_ik_ros.array_types import Floats


class TracIKNear(SeededSolver):
    """The first solution that TRAC-IK comes to from the seed state, by its default, "Speed".

    Args:
        case: The chain.
        seconds: Its deadline [s].

    Raises:
        MissingDependencyError: `pytracik` is not installed.
        UnsupportedChainError: It cannot take the chain.
    """

    name = "TRAC-IK"
    limit_slack = TracIK.limit_slack

    def __init__(self, case: ChainCase, seconds: float):
        """Build TRAC-IK's solver."""
        self._peer = TracIK(case, timeout=seconds)
        self.position_tolerance = self._peer.position_tolerance
        self.orientation_tolerance = self._peer.orientation_tolerance

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return its solution (n,), see `SeededSolver`."""
        found = self._peer.solve_from(tip_in_base, seed_state[None])
        return found[0] if len(found) else None


def solvers(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once."""
    return [TracIKNear(case, seconds)]
