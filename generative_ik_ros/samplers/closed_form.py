"""Branches in closed form instead of seeds, for chains whose geometry allows it."""

from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import find_family, find_locked, why_none
from generative_ik_ros.samplers.quasi_random import QuasiRandom


class ClosedForm(QuasiRandom):
    """Has the search take all branches of a pose from the chain's closed form.

    Where that does not settle a call (singular poses, regions), seeds are quasi-random.

    Raises:
        UnsupportedChainError: The chain has none; the message says why.
    """

    name = "closed_form"
    takes_trees = False

    def __init__(self, chain: KinematicChain, device: str = "cpu"):
        """Check that there is a closed form."""
        super().__init__(chain, device)
        if find_family(chain) is None and find_locked(chain) is None:
            raise UnsupportedChainError(f"sampler '{self.name}': the chain {why_none(chain)}")
