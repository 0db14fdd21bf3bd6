"""Branches in closed form instead of seeds, for arms whose geometry allows it."""

from typing import TYPE_CHECKING, cast

from generative_ik_ros.errors import UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import (
    find_family,
    find_limbs,
    find_locked,
    why_no_limbs,
    why_none,
)
from generative_ik_ros.samplers.quasi_random import QuasiRandom

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree


class ClosedForm(QuasiRandom):
    """Has the search take all branches of a pose from the chain's closed form.

    Of a tree whose limbs share no joint it takes all combinations of the limbs' own. Where that
    does not settle a call (singular poses, regions), seeds are quasi-random.

    Raises:
        UnsupportedChainError: The chain, or a limb of the tree, has none; the message says why.
    """

    name = "closed_form"

    def __init__(self, chain: "KinematicChain | KinematicTree", device: str = "cpu"):
        super().__init__(cast(KinematicChain, chain), device)
        if not isinstance(chain, KinematicChain):
            if not find_limbs(chain):
                raise UnsupportedChainError(
                    f"sampler '{self.name}': the tree {why_no_limbs(chain)}"
                )
        elif find_family(chain) is None and find_locked(chain) is None:
            raise UnsupportedChainError(f"sampler '{self.name}': the chain {why_none(chain)}")
