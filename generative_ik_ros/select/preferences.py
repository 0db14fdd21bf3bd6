"""What makes one solution better than another: scores by which solutions can be ordered."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.chain import KinematicChain

DIVERSE, NEAREST, CLEARANCE = "diverse", "nearest", "clearance"


def manipulability(chain: KinematicChain, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far configurations (N, n) are from a singularity, (N,).

    The product of the singular values of the Jacobian, in metres and radians, of which there are
    six or as many as the chain has joints (T. Yoshikawa, Manipulability of robotic mechanisms,
    1985).
    """
    return np.linalg.svd(chain.jacobian(q), compute_uv=False).prod(axis=-1)


def limit_margin(chain: KinematicChain, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance to the nearest joint limit, as a share of the joint's range, (N,).

    It is at most 0.5; joints without limits do not count.
    """
    span = chain.upper - chain.lower
    limited = np.isfinite(span) & (span > 0.0)
    gaps = np.minimum(q - chain.lower, chain.upper - q)[:, limited] / span[limited]
    return gaps.min(axis=1, initial=0.5)


SCORES: dict[str, Callable[[KinematicChain, NDArray[np.float64]], NDArray[np.float64]]] = {
    "manipulability": manipulability,
    "limit_margin": limit_margin,
}
ORDERS = (DIVERSE, NEAREST, *SCORES, CLEARANCE)


def check_order(name: str | None, has_seed: bool, has_collision: bool) -> str:
    """Return the order of a call; None: nearest first if there is a seed state, else diverse.

    Raises:
        UnknownNameError: There is no such order.
        InvalidArgumentError: It needs a seed state, or a collision model.
    """
    if name is None:
        return NEAREST if has_seed else DIVERSE
    if name not in ORDERS:
        raise UnknownNameError("order", name, ORDERS)
    if name == NEAREST and not has_seed:
        raise InvalidArgumentError("order_by='nearest' needs a seed_state")
    if name == CLEARANCE and not has_collision:
        raise InvalidArgumentError("order_by='clearance' needs IKSolver(chain, collision=...)")
    return name


def scored(order: str) -> bool:
    """Say whether an order goes by a score of each solution."""
    return order in SCORES or order == CLEARANCE
