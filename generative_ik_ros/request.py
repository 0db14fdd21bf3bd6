"""The arguments of IKSolver.solve in, a checked request with every default filled in out."""

import math
import operator
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError
from generative_ik_ros.robot.chain import KinematicChain

MAX_SOLUTIONS = 1_000_000
MAX_VALUES = 2**28
"""Most numbers in one result: targets x solutions x joints, 2 GiB of float64."""

_ROTATION_TOLERANCE = 1e-4
"""A matrix this close to a rotation is taken for one that was rounded, and made one."""


@dataclass(frozen=True)
class SolveRequest:
    """A checked call of IKSolver.solve for B targets.

    Attributes:
        targets: (B, 4, 4) tip in base [m], exact rotations.
        num_solutions: N >= 1.
        seed_state: (n,) inside the limits, or None.
        lower: (n,) bounds of the search: limits and consistency limits [rad or m], finite.
        upper: (n,) likewise.
        circular: (n,) joints whose solutions are looked for on a whole circle.
        reference: (n,) seed state, or the middle of the bounds: where turns are counted from.
        timeout: [s], inf for none.
        random_seed: Not negative.
    """

    targets: NDArray[np.float64]
    num_solutions: int
    seed_state: NDArray[np.float64] | None
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    circular: NDArray[np.bool_]
    reference: NDArray[np.float64]
    timeout: float
    random_seed: int


def check_request(
    chain: KinematicChain,
    targets: ArrayLike,
    num_solutions: int,
    seed_state: ArrayLike | None,
    consistency_limits: ArrayLike | None,
    timeout: float | None,
    random_seed: int | None,
) -> SolveRequest:
    """Check every argument of IKSolver.solve.

    Raises:
        InvalidTargetError: A target is no pose.
        InvalidArgumentError: Another argument is unusable; the message says which and why.
    """
    poses = check_targets(targets)
    count = _integer("num_solutions", num_solutions, 1, MAX_SOLUTIONS)
    if len(poses) * count * chain.num_joints > MAX_VALUES:
        raise InvalidArgumentError(
            f"{len(poses)} targets x {count} solutions x {chain.num_joints} joints are more than "
            f"{MAX_VALUES} numbers; ask in several calls"
        )
    seed = None if seed_state is None else _seed_state(chain, seed_state)
    lower, upper, circular = _bounds(chain, seed, consistency_limits)
    if seed is not None:
        seed = np.clip(seed, lower, upper)
    return SolveRequest(
        targets=poses,
        num_solutions=count,
        seed_state=seed,
        lower=lower,
        upper=upper,
        circular=circular,
        reference=(lower + upper) / 2.0 if seed is None else seed,
        timeout=_timeout(timeout),
        random_seed=0
        if random_seed is None
        else _integer("random_seed", random_seed, 0, 2**63 - 1),
    )


def check_targets(targets: ArrayLike) -> NDArray[np.float64]:
    """Return targets as (B, 4, 4) float64 with exact rotations.

    Args:
        targets: (4, 4) or (B, 4, 4) poses, tip in base [m].

    Raises:
        InvalidTargetError: The shape is another, a value is not finite, or a matrix is no pose.
    """
    try:
        poses = np.array(targets, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidTargetError("targets must be an array of numbers") from None
    if poses.ndim == 2:
        poses = poses[None]
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise InvalidTargetError(
            f"targets have shape {np.shape(targets)}; they must be (4, 4) or (B, 4, 4)"
        )
    if not np.isfinite(poses).all():
        bad = int(np.flatnonzero(~np.isfinite(poses).all(axis=(1, 2)))[0])
        raise InvalidTargetError(f"target {bad} has a value that is NaN or infinite")
    last_row = np.abs(poses[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1, initial=0.0)
    if (last_row > 1e-9).any():
        bad = int(np.argmax(last_row))
        raise InvalidTargetError(f"target {bad} has last row {poses[bad, 3]}, not 0 0 0 1")
    defect, reflected = _defects(poses)
    wrong = (defect > _ROTATION_TOLERANCE) | reflected
    if wrong.any():
        bad = int(np.argmax(wrong))
        what = (
            f"its columns are {defect[bad]:.3g} away from orthonormal"
            if defect[bad] > _ROTATION_TOLERANCE
            else "it is a reflection"
        )
        raise InvalidTargetError(f"the rotation of target {bad} is no rotation matrix: {what}")
    rounded = defect > 1e-12
    if rounded.any():
        left, _, right = np.linalg.svd(poses[rounded, :3, :3])
        poses[rounded, :3, :3] = left @ right
    return poses


@njit(nogil=True, cache=True)
def _defects(poses):  # noqa: ANN001, ANN202
    """Measure how far the rotations of (B, 4, 4) poses are from orthonormal; find reflections."""
    defect, reflected = np.zeros(len(poses)), np.zeros(len(poses), np.bool_)
    for t in range(len(poses)):
        r = poses[t]
        for a in range(3):
            for b in range(a, 3):
                product = r[a, 0] * r[b, 0] + r[a, 1] * r[b, 1] + r[a, 2] * r[b, 2]
                defect[t] = max(defect[t], abs(product - (1.0 if a == b else 0.0)))
        volume = (
            r[0, 0] * (r[1, 1] * r[2, 2] - r[1, 2] * r[2, 1])
            + r[0, 1] * (r[1, 2] * r[2, 0] - r[1, 0] * r[2, 2])
            + r[0, 2] * (r[1, 0] * r[2, 1] - r[1, 1] * r[2, 0])
        )
        reflected[t] = volume < 0.0
    return defect, reflected


def _seed_state(chain: KinematicChain, seed_state: ArrayLike) -> NDArray[np.float64]:
    try:
        seed = chain.check_positions(seed_state)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"seed_state: {error}") from None
    if seed.shape != (chain.num_joints,):
        raise InvalidArgumentError(
            f"seed_state has shape {seed.shape}; it must be ({chain.num_joints},)"
        )
    return seed


def _bounds(
    chain: KinematicChain,
    seed: NDArray[np.float64] | None,
    consistency_limits: ArrayLike | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the finite search box and the joints that go round in it."""
    centre = np.zeros(chain.num_joints) if seed is None else seed
    lower = np.where(chain.continuous, centre - np.pi, chain.lower)
    upper = np.where(chain.continuous, centre + np.pi, chain.upper)
    circular = ~chain.prismatic & (upper - lower >= 2.0 * np.pi - 1e-12)
    if consistency_limits is None:
        return lower, upper, circular
    if seed is None:
        raise InvalidArgumentError("consistency_limits need a seed_state to be measured from")
    try:
        reach = np.asarray(consistency_limits, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgumentError("consistency_limits must be an array of numbers") from None
    if reach.shape != (chain.num_joints,):
        raise InvalidArgumentError(
            f"consistency_limits have shape {reach.shape}; one is needed for each of the "
            f"{chain.num_joints} joints: {', '.join(chain.joint_names)}"
        )
    if np.isnan(reach).any() or (reach < 0.0).any():
        raise InvalidArgumentError("consistency_limits must not be negative or NaN")
    narrow_lower = np.maximum(lower, seed - reach)
    narrow_upper = np.minimum(upper, seed + reach)
    outside = narrow_lower > narrow_upper
    if outside.any():
        names = [name for name, out in zip(chain.joint_names, outside, strict=True) if out]
        raise InvalidArgumentError(
            "seed_state is further outside the joint limits than consistency_limits allow: "
            + ", ".join(names)
        )
    return narrow_lower, narrow_upper, circular & (narrow_upper - narrow_lower >= 2.0 * np.pi)


def check_max_step(chain: KinematicChain, max_step: ArrayLike) -> NDArray[np.float64]:
    """Return the largest step of each joint as an (n,) array.

    Raises:
        InvalidArgumentError: It is neither a number nor one for each joint, or not above 0.
    """
    try:
        step = np.asarray(max_step, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgumentError("max_step must be a number or an array of numbers") from None
    if step.shape not in ((), (chain.num_joints,)):
        raise InvalidArgumentError(
            f"max_step has shape {step.shape}; give one number, or one for each of the "
            f"{chain.num_joints} joints: {', '.join(chain.joint_names)}"
        )
    if not (step > 0.0).all():
        raise InvalidArgumentError("max_step must be above 0 for every joint")
    return np.broadcast_to(step, (chain.num_joints,)).copy()


def _timeout(timeout: float | None) -> float:
    if timeout is None:
        return math.inf
    if isinstance(timeout, bool) or not isinstance(timeout, int | float | np.number):
        raise InvalidArgumentError(f"timeout must be a number of seconds, not {timeout!r}")
    if not timeout > 0.0:
        raise InvalidArgumentError(f"timeout must be above 0 s, not {timeout}; None is none")
    return float(timeout)


def _integer(name: str, value: object, least: int, most: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise InvalidArgumentError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise InvalidArgumentError(f"{name} must be from {least} to {most}, not {number}")
    return number
