"""The test sets of experiment c: uniform, near-singular, singular, nonsingular."""

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.learned.torch_kinematics import jacobian
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import finite_limits, random_configurations

UNIFORM, NEAR, SINGULAR, NONSINGULAR = "uniform", "near-singular", "singular", "nonsingular"
TEST_SETS = (UNIFORM, NEAR, SINGULAR, NONSINGULAR)
_CANDIDATES = 40
"""Uniform configurations for each one that is wanted: the near-singular set is their most
singular fortieth, the nonsingular set is without their most singular fifth."""
_REMOVED = 0.2
_SWEEPS = 4
_STEPS = np.geomspace(0.5, 5e-7, 25)
"""By which joints are moved to make a configuration more singular [rad or m]."""
_SLAB = 4096


def test_set(chain: KinematicChain, kind: str, count: int, seed: int) -> NDArray[np.float64]:
    """Return configurations (count, n) of a kind.

    Singular ones start from near-singular ones; then one joint after the other is moved where
    that makes the Jacobian's smallest singular value smaller, until it is practically zero.

    Args:
        chain: The chain.
        kind: One of `TEST_SETS`.
        count: How many.
        seed: The same seed gives the same.
    """
    if kind == UNIFORM:
        return random_configurations(chain, count, seed)
    drawn = random_configurations(chain, _CANDIDATES * count, seed)
    order = np.argsort(least_singular_value(chain, drawn), kind="stable")
    if kind == NONSINGULAR:
        kept = np.sort(order[int(_REMOVED * len(order)) :])
        return drawn[kept[:count]]
    near = drawn[order[:count]]
    return near if kind == NEAR else _more_singular(chain, near, seed)


def least_singular_value(
    chain: KinematicChain, positions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the least singular value (N,) of the Jacobian at configurations (N, n).

    Of the directions in which the chain can move at all: three for a planar arm. Rows are in m
    and rad as they are.
    """
    rank = min(6, chain.num_joints)
    values = np.empty(len(positions))
    for i in range(0, len(positions), _SLAB):
        matrices = jacobian(chain, torch.tensor(positions[i : i + _SLAB])).numpy()
        values[i : i + _SLAB] = np.linalg.svd(matrices, compute_uv=False)[:, rank - 1]
    return values


def _more_singular(
    chain: KinematicChain, positions: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Move joints, one at a time, while that makes the configurations (N, n) more singular."""
    lower, upper = finite_limits(chain)
    rng = np.random.default_rng((seed, 5))
    best = positions.copy()
    values = least_singular_value(chain, best)
    for _ in range(_SWEEPS):
        for joint in range(chain.num_joints):
            for step in _STEPS:
                moved = np.repeat(best[None], 2, axis=0)
                shift = step * rng.random(len(best))
                moved[:, :, joint] += np.stack([-shift, shift])
                moved[:, :, joint] = np.clip(moved[:, :, joint], lower[joint], upper[joint])
                tried = least_singular_value(chain, moved.reshape(-1, chain.num_joints))
                tried = tried.reshape(2, -1)
                side = tried.argmin(axis=0)
                rows = np.arange(len(best))
                better = tried[side, rows] < values
                best[better] = moved[side, rows][better]
                values[better] = tried[side, rows][better]
    return best
