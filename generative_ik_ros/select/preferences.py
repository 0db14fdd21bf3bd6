"""What makes one solution better than another: scores by which solutions can be ordered."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.arguments import joint_array, true_or_false
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, check_names
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import Kinematics, check_kinematics

if TYPE_CHECKING:
    from generative_ik_ros.select.own_score import OwnScore

DIVERSE, NEAREST, CLEARANCE = "diverse", "nearest", "clearance"
DIVERSE_TIP = "diverse_tip"
LIKELIHOOD = "likelihood"
"""By the density that a sampler has learned, which takes the place of this name."""


def manipulability(chain: Kinematics, q: ArrayLike) -> Floats:
    """Return how far configurations (..., n) are from a singularity, (...).

    The product of the singular values of the Jacobian, in metres and radians, of which there are
    six or as many as the chain has joints (T. Yoshikawa, Manipulability of robotic mechanisms,
    1985). The Jacobian of a tree has the rows of all its tips; where loops couple its joints, it
    is that of motions which keep them closed.

    Raises:
        InvalidArgumentError: It is no chain, or these are no configurations of it.
    """
    q = check_kinematics(chain).check_positions(q)
    q, shape = q.reshape(-1, chain.num_joints), q.shape[:-1]
    if not isinstance(chain, KinematicChain):
        rows = chain.jacobian(q).reshape(len(q), -1, chain.num_joints)
        if chain.closures:
            from generative_ik_ros.robot.closing import closed_motions

            rows = rows @ closed_motions(chain, q, chain.mobility)
        return np.linalg.svd(rows, compute_uv=False).prod(axis=-1).reshape(shape)
    scores = np.empty(len(q))
    _core.manipulability(chain.core, np.ascontiguousarray(q), scores)
    return scores.reshape(shape)


def limit_margin(chain: Kinematics, q: ArrayLike) -> Floats:
    """Return how near configurations (..., n) are to a joint limit, (...).

    It is the distance to the nearest one as a share of the joint's range, at most 0.5; joints
    without limits do not count.

    Raises:
        InvalidArgumentError: It is no chain, or these are no configurations of it.
    """
    q = check_kinematics(chain).check_positions(q)
    q, shape = q.reshape(-1, chain.num_joints), q.shape[:-1]
    scores = np.empty(len(q))
    _core.limit_margin(np.ascontiguousarray(q), chain.lower, chain.upper, scores)
    return scores.reshape(shape)


SCORES: dict[str, Callable[[Kinematics, Floats], Floats]] = {
    "manipulability": manipulability,
    "limit_margin": limit_margin,
}
ORDERS = (DIVERSE, DIVERSE_TIP, NEAREST, *SCORES, CLEARANCE, LIKELIHOOD)
TURN_FREE = ("manipulability", CLEARANCE)
"""Scores that full turns of joints do not change."""


def check_order(
    order_by: "str | OwnScore | None",
    joint_weights: ArrayLike | None,
    optimize: object,
    joint_names: Sequence[str],
    has_seed: bool,
    has_collision: bool,
    has_region: bool,
) -> "Preferences":
    """Return what a call prefers; the default is nearest with a seed state, else diverse.

    Raises:
        UnknownNameError: There is no such order.
        InvalidArgumentError: The order needs a seed state, a collision model or a region; or
            another argument does not go with it.
    """
    if order_by is joint_weights is None and optimize is has_seed is False:
        return _USUAL
    order = order_by
    if order is None:
        order = NEAREST if has_seed else DIVERSE
    if not callable(order):
        check_names("order", [order], ORDERS)
    if order == NEAREST and not has_seed:
        raise InvalidArgumentError("order_by='nearest' needs a seed_state")
    if order == CLEARANCE and not has_collision:
        raise InvalidArgumentError("order_by='clearance' needs IKSolver(chain, collision=...)")
    if order == DIVERSE_TIP and not has_region:
        raise InvalidArgumentError(
            f"order_by='{DIVERSE_TIP}' needs a region: at a pose the tip is in one place"
        )
    if true_or_false("optimize", optimize) and order in (DIVERSE, DIVERSE_TIP):
        raise InvalidArgumentError(
            "optimize=True needs an order_by with a score: "
            f"{', '.join((NEAREST, *SCORES, CLEARANCE, LIKELIHOOD))}, or a function"
        )
    weights = None
    if joint_weights is not None:
        if order != NEAREST:
            raise InvalidArgumentError(
                "joint_weights are for order_by='nearest' only, the default with a seed_state"
            )
        weights = joint_array("joint_weights", joint_weights, joint_names).copy()
        if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
            raise InvalidArgumentError(
                "joint_weights must be finite and not negative, and above 0 for some joint"
            )
    return Preferences(order, weights, bool(optimize))


class Preferences(NamedTuple):
    """Which solutions a call prefers.

    Attributes:
        order: One of `ORDERS`, or a caller's own score.
        joint_weights: (n,) weight of a rad or m of each joint in the distance from the seed state
            of "nearest"; None: 1.
        optimize: Whether the best solutions move along their self-motions.
    """

    order: "str | OwnScore" = DIVERSE
    joint_weights: Floats | None = None
    optimize: bool = False

    @property
    def diverse(self) -> bool:
        """Whether the most diverse come first."""
        return self.order in (DIVERSE, DIVERSE_TIP)

    @property
    def scored(self) -> bool:
        """Whether more solutions than requested are searched for, to choose by a score."""
        return self.optimize or callable(self.order) or self.order in (*SCORES, CLEARANCE)


_USUAL = Preferences()
"""What most calls prefer."""
