"""`ssik`'s solution nearest to a seed state, from the module generated for the arm."""

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded.base import SeededSolver
from generative_ik_benchmarks.peers.ssik import Ssik
from generative_ik_ros.array_types import Floats


class SsikNear(SeededSolver):
    """The first of `ssik`'s solutions by the Euclidean distance from the seed state.

    Args:
        case: The chain.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: It cannot take the chain.
    """

    name = "ssik"

    def __init__(self, case: ChainCase):
        """Generate the arm's module."""
        self._peer = Ssik(case)

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return its nearest solution (n,), see `SeededSolver`."""
        return self._peer.nearest(tip_in_base, seed_state)


def solvers(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once; it does not iterate."""
    return [SsikNear(case)]
