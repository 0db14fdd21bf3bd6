"""Poses as callers write them, many at once: matrices, positions, or numbers with a quaternion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.collision.shapes import MAX_SIZE
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.poses import pose_matrix

FORMS = "(4, 4), a position x y z, or seven numbers x y z qx qy qz qw"


@dataclass(frozen=True)
class PoseTolerances:
    """What counts as a rotation."""

    exact: float = 1e-6
    """Rotations that are less exact than this are not taken as they are."""
    rounded: float = 1e-4
    """A matrix this close to a rotation is taken for one that was rounded, and made one."""
    shortest: float = 1e-9
    """A quaternion with no entry larger than this counts as zero."""


TOLERANCES = PoseTolerances()


def pose_matrices(names: Sequence[str], poses: Sequence[object]) -> Floats:
    """Return poses as read-only (N, 4, 4) [m].

    Args:
        names: What each is the pose of, for messages.
        poses: N poses, each in one of the `FORMS`.

    Raises:
        InvalidArgumentError: One of them is none; the message names it.
    """
    matrices = np.zeros((len(poses), 4, 4))
    matrices[:, (0, 1, 2, 3), (0, 1, 2, 3)] = 1.0
    grouped: dict[tuple[int, ...], tuple[list[int], list[Floats]]] = {}
    for k, pose in enumerate(poses):
        try:
            numbers = number_array("pose", cast(ArrayLike, pose))
        except InvalidArgumentError:
            raise InvalidArgumentError(f"{names[k]}: a pose must be {FORMS}") from None
        places, group = grouped.setdefault(numbers.shape, ([], []))
        places.append(k)
        group.append(numbers)
    for shape, (places, group) in grouped.items():
        numbers = np.stack(group)
        if shape not in ((4, 4), (3,), (7,)):
            raise InvalidArgumentError(
                f"{names[places[0]]}: a pose must be {FORMS}, not an array of shape {shape}"
            )
        in_group = [names[k] for k in places]
        refuse(
            in_group,
            ~(np.abs(numbers.reshape(len(group), -1)) <= MAX_SIZE).all(axis=1),
            f"the pose has a number that is not finite, or above {MAX_SIZE}",
        )
        if shape == (4, 4):
            matrices[places] = _rotations_made_exact(in_group, numbers)
        elif shape == (3,):
            matrices[places, :3, 3] = numbers
        else:
            refuse(
                in_group,
                np.abs(numbers[:, 3:]).max(axis=1) < TOLERANCES.shortest,
                "the quaternion is zero, which is no rotation; no rotation at all is 0 0 0 1",
            )
            matrices[places] = pose_matrix(numbers[:, :3], numbers[:, 3:])
    matrices.flags.writeable = False
    return matrices


def one_pose(name: str, pose: object) -> Floats:
    """Return one pose as read-only (4, 4) [m]; see `pose_matrices`."""
    return pose_matrices((name,), (pose,))[0]


def refuse(names: Sequence[str], bad: Bools | np.bool_, message: str) -> None:
    """Raise an error about the first name that is bad.

    Raises:
        InvalidArgumentError: There is one.
    """
    if bad.any():
        raise InvalidArgumentError(f"{names[int(np.argmax(bad))]}: {message}")


def _rotations_made_exact(names: Sequence[str], poses: Floats) -> Floats:
    """Check finite (N, 4, 4) matrices; make rotations exact that were rounded."""
    rotations = poses[:, :3, :3]
    product = rotations @ rotations.transpose(0, 2, 1)
    defect = np.abs(product - np.eye(3)).max(axis=(1, 2), initial=0.0)
    no_pose = (
        (defect > TOLERANCES.rounded)
        | (np.linalg.det(rotations) < 0.0)
        | (poses[:, 3] != (0.0, 0.0, 0.0, 1.0)).any(axis=1)
    )
    refuse(names, no_pose, "the pose is no rigid transform")
    rounded = defect > TOLERANCES.exact
    if rounded.any():
        left, _, right = np.linalg.svd(rotations[rounded])
        rotations[rounded] = left @ right
    return poses
