"""The arguments of IKSolver.solve in, a checked request with every default filled in out."""

import math
import operator
import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.space import SearchSpace

MAX_SOLUTIONS = 1_000_000
MAX_VALUES = 2**28
"""Most numbers in one result: targets x solutions x joints, 2 GiB of float64."""

_ROUNDING = 1e-12
"""Rotations that are less exact than this are made so."""
_ROTATION_TOLERANCE = 1e-4
"""A matrix this close to a rotation is taken for one that was rounded, and made one."""


class SolveRequest(NamedTuple):
    """A checked call of IKSolver.solve for B targets.

    Attributes:
        targets: (B, 4, 4) tip in base [m], exact rotations.
        num_solutions: N >= 1.
        seed_state: (n,) inside the limits, or None.
        space: Where to search.
        timeout: [s], inf for none.
        random_seed: Not negative.
    """

    targets: NDArray[np.float64]
    num_solutions: int
    seed_state: NDArray[np.float64] | None
    space: SearchSpace
    timeout: float
    random_seed: int


def check_request(
    chain: KinematicChain,
    whole: SearchSpace,
    distinct_distance: float,
    targets: ArrayLike,
    num_solutions: int,
    seed_state: ArrayLike | None,
    consistency_limits: ArrayLike | None,
    timeout: float | None,
    random_seed: int | None,
) -> SolveRequest:
    """Check every argument of IKSolver.solve.

    Args:
        chain: The chain.
        whole: Where to search unless a seed state says otherwise.
        distinct_distance: For a space about a seed state [rad or m].
        targets: As for IKSolver.solve, like the rest.
        num_solutions: Likewise.
        seed_state: Likewise.
        consistency_limits: Likewise.
        timeout: Likewise.
        random_seed: Likewise.

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
    seed, space = None, whole
    if seed_state is not None or consistency_limits is not None:
        seed = None if seed_state is None else _seed_state(chain, seed_state)
        space = SearchSpace.of(chain, distinct_distance, seed, consistency_limits)
        seed = space.reference
    return SolveRequest(
        targets=poses,
        num_solutions=count,
        seed_state=seed,
        space=space,
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
        poses = np.array(targets, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise InvalidTargetError("targets must be an array of numbers") from None
    if poses.ndim == 2:
        poses = poses[None]
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise InvalidTargetError(
            f"targets have shape {np.shape(targets)}; they must be (4, 4) or (B, 4, 4)"
        )
    if not _are_poses(poses):
        _explain(poses)
    return poses


@kernel()
def _are_poses(poses):  # noqa: ANN001, ANN202
    """Say whether all of (B, 4, 4) matrices are poses with rotations as exact as can be."""
    for t in range(len(poses)):
        for a in range(4):
            for b in range(4):
                if not np.isfinite(poses[t, a, b]):
                    return False
        for b in range(4):
            if poses[t, 3, b] != (1.0 if b == 3 else 0.0):
                return False
        defect, reflected = _defect(poses[t])
        if reflected or defect > _ROUNDING:
            return False
    return True


def _explain(poses: NDArray[np.float64]) -> None:
    """Say what is wrong with the first bad pose, or make rotations exact that were rounded."""
    if not np.isfinite(poses).all():
        bad = int(np.flatnonzero(~np.isfinite(poses).all(axis=(1, 2)))[0])
        raise InvalidTargetError(f"target {bad} has a value that is NaN or infinite")
    last_row = np.abs(poses[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1, initial=0.0)
    if (last_row > 1e-9).any():
        bad = int(np.argmax(last_row))
        raise InvalidTargetError(f"target {bad} has last row {poses[bad, 3]}, not 0 0 0 1")
    defect, reflected = (np.array(x) for x in zip(*map(_defect, poses), strict=True))
    wrong = (defect > _ROTATION_TOLERANCE) | reflected
    if wrong.any():
        bad = int(np.argmax(wrong))
        what = (
            f"its columns are {defect[bad]:.3g} away from orthonormal"
            if defect[bad] > _ROTATION_TOLERANCE
            else "it is a reflection"
        )
        raise InvalidTargetError(f"the rotation of target {bad} is no rotation matrix: {what}")
    rounded = defect > _ROUNDING
    left, _, right = np.linalg.svd(poses[rounded, :3, :3])
    poses[rounded, :3, :3] = left @ right


@kernel()
def _defect(r):  # noqa: ANN001, ANN202
    """Measure how far the rotation of a (4, 4) pose is from orthonormal; find a reflection."""
    defect = 0.0
    for a in range(3):
        for b in range(a, 3):
            product = r[a, 0] * r[b, 0] + r[a, 1] * r[b, 1] + r[a, 2] * r[b, 2]
            defect = max(defect, abs(product - (1.0 if a == b else 0.0)))
    volume = (
        r[0, 0] * (r[1, 1] * r[2, 2] - r[1, 2] * r[2, 1])
        + r[0, 1] * (r[1, 2] * r[2, 0] - r[1, 0] * r[2, 2])
        + r[0, 2] * (r[1, 0] * r[2, 1] - r[1, 1] * r[2, 0])
    )
    return defect, volume < 0.0


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


def check_max_step(chain: KinematicChain, max_step: ArrayLike) -> NDArray[np.float64]:
    """Return the largest step of each joint as an (n,) array.

    Raises:
        InvalidArgumentError: It is neither a number nor one for each joint, or not above 0.
    """
    try:
        step = np.asarray(max_step, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
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
    # A whole number may be larger than any float.
    return math.inf if timeout > sys.float_info.max else float(timeout)


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
