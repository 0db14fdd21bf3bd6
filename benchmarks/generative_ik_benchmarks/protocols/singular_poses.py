"""Configurations of six-joint chains at singularities, and a chosen distance from them."""

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

_SCANNED = 49
"""Angles of a joint at which the Jacobian's determinant is looked at."""
_HALVINGS = 55


def anywhere(chain: KinematicChain, rng: np.random.Generator, *size: int) -> Floats:
    """Draw configurations (*size, n): all angles [rad], prismatic joints within limits [m]."""
    return rng.uniform(*_ends(chain), (*size, chain.num_joints))


def singular_configurations(
    chain: KinematicChain, count: int, offset: float, rng: np.random.Generator
) -> Floats:
    """Draw configurations (count, 6) of a six-joint chain, limits of angles aside [rad or m].

    All joints are random, then one of joints 2 to 5 is moved to where the Jacobian is singular:
    at the elbow, the wrist or the shoulder, depending on the joint and on chance.

    Args:
        chain: The chain.
        count: How many.
        offset: How far from there that joint is moved again, in either direction [rad or m].
        rng: What they are drawn from.
    """
    found = np.empty((0, 6))
    while len(found) < count:
        drawn = anywhere(chain, rng, 4, count // 4 + 16)
        some = [_moved(chain, drawn[i], i + 1, offset, rng) for i in range(4)]
        found = np.concatenate([found, *some])
    return found[rng.permutation(len(found))[:count]]


def _moved(
    chain: KinematicChain, positions: Floats, joint: int, offset: float, rng: np.random.Generator
) -> Floats:
    """Move a joint of (N, 6) configurations to a zero of the determinant; leave out who has none.

    A determinant that touches zero without a change of sign, or is zero for any angle but for
    rounding, is none that bisection finds.
    """
    lower, upper = _ends(chain)
    angles = np.linspace(lower[joint], upper[joint], _SCANNED)
    scanned = np.stack([_determinants(chain, positions, joint, angle) for angle in angles])
    large = np.abs(scanned).max(axis=0) > 1e-9
    # An exact zero counts as positive, or it would be no change of sign.
    positive = scanned >= 0.0
    change = (positive[:-1] != positive[1:]) & large
    rows = np.flatnonzero(change.any(axis=0))
    # Not the first change always, but any of them.
    turn = rng.integers(0, _SCANNED - 1, len(rows))
    rolled = (np.arange(_SCANNED - 1)[:, None] + turn) % (_SCANNED - 1)
    first = np.take_along_axis(rolled, change[rolled, rows].argmax(axis=0)[None], axis=0)[0]
    low, high, chosen = angles[first], angles[first + 1], positions[rows]
    sign = positive[first, rows]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        same = (_determinants(chain, chosen, joint, middle) >= 0.0) == sign
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    chosen[:, joint] = low + offset * rng.choice([-1.0, 1.0], len(rows))
    return chosen


def _ends(chain: KinematicChain) -> tuple[Floats, Floats]:
    """Return the limits of prismatic joints, and a whole turn of others, (n,) each."""
    sliding = chain.prismatic
    return np.where(sliding, chain.lower, -np.pi), np.where(sliding, chain.upper, np.pi)


def _determinants(
    chain: KinematicChain, positions: Floats, joint: int, angle: Floats | float
) -> Floats:
    moved = positions.copy()
    moved[:, joint] = angle
    return np.linalg.det(chain.jacobian(moved))
