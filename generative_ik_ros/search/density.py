"""The density that a sampler has learned, as a score to order solutions by."""

from typing import TypeVar

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.registry import make_sampler
from generative_ik_ros.select.own_score import OwnScore
from generative_ik_ros.select.preferences import LIKELIHOOD, TURN_FREE

_LEARNS = "ikflow"
"""The sampler whose weights are looked for where a solver's own has no density."""

Order = TypeVar("Order")


class LearnedDensity:
    """Scores configurations by how likely they are among those that a sampler has learned.

    Args:
        sampler: A solver's sampler.
        whole_pose: Whether solutions are held in position and orientation.
    """

    def __init__(self, sampler: Sampler, whole_pose: bool):  # noqa: FBT001
        """Load nothing yet."""
        self._sampler, self._whole_pose, self._checked = sampler, whole_pose, False

    def for_name(self, order_by: Order, one_pose: bool) -> "Order | LearnedDensity":  # noqa: FBT001
        """Return this score, ready to be used, in the place of "likelihood", else `order_by`.

        Args:
            order_by: What a call prefers.
            one_pose: Whether all solutions of a target reach the same pose.

        Raises:
            MissingDependencyError: It needs a package that is not installed.
            MissingWeightsError: Nothing has been learned for the chain.
            UnsupportedChainError: The chain is a tree, and the sampler has learned no density.
            InvalidArgumentError: Weights are of no user's configurations, or solutions reach
                several poses: densities are those of configurations given their pose.
        """
        if not (isinstance(order_by, str) and order_by == LIKELIHOOD):
            return order_by
        if not (one_pose and self._whole_pose) and not self._sampler.any_pose:
            raise InvalidArgumentError(
                f"order_by='{LIKELIHOOD}' compares solutions of one pose: it goes neither with a "
                "region nor with a goal set or an infinite tolerance"
            )
        if self._checked:
            return self
        if type(self._sampler).log_likelihood is Sampler.log_likelihood:
            tree = self._sampler.chain
            if not (isinstance(tree, KinematicChain) or tree.is_chain):
                raise UnsupportedChainError(
                    f"order_by='{LIKELIHOOD}' of a tree needs demonstrations: "
                    "IKSolver(tree, samplers.demonstrations.Demonstrations(tree, configurations))"
                )
            self._sampler = make_sampler(_LEARNS, self._sampler.chain, "cpu")
        self(np.zeros((0, self._sampler.chain.num_joints)))
        self._checked = True
        return self

    def __call__(self, positions: Floats) -> Floats:
        """Return the scores (N,) of configurations (N, n) [rad or m]."""
        return self._sampler.log_likelihood(positions)


def free_of_turns(order: str | OwnScore) -> bool:
    """Say whether full turns of joints leave the score of a solution as it is."""
    return isinstance(order, LearnedDensity) or order in TURN_FREE
