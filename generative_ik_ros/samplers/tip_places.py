"""Where the tips of a tree stand to each other: places, and the stored ones nearest to them.

A floating base moves all tips alike. So points on the tips' frames are moved together to where
they are nearest to the mean of many such sets (W. Kabsch 1976), and what is left is compared.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.robot.kinematic_tree import KinematicTree


class Places(NamedTuple):
    """Sets of P points, and how they were moved.

    Attributes:
        features: (N, 3 P) coordinates after that, in single precision [m].
        turns: (N, 3, 3) how the points were turned about their centres.
        centres: (N, 3) what was moved to the origin [m].
    """

    features: NDArray[np.float32]
    turns: NDArray[np.float64]
    centres: NDArray[np.float64]

    @classmethod
    def of(cls, points: NDArray[np.float64], mean: NDArray[np.float64] | None) -> "Places":
        """Move sets of points (N, P, 3) so that they are nearest to (P, 3) about the origin.

        They stay where they are if there is no mean.
        """
        count = len(points)
        turns, centres = np.empty((count, 3, 3)), np.zeros((count, 3))
        turns[:] = np.eye(3)
        if mean is not None:
            points = np.array(points, order="C")
            _core.gather_points(points, np.ascontiguousarray(mean), turns, centres)
        return cls(points.reshape(count, -1).astype(np.float32), turns, centres)


def tip_points(poses: NDArray[np.float64], tree: KinematicTree) -> NDArray[np.float64]:
    """Return points (N, 4 K, 3) of the frames of (N, K, 4, 4) tips, also of one, (N, 4, 4) [m]."""
    poses = poses.reshape(-1, tree.num_tips, 4, 4)
    origin = poses[:, :, None, :3, 3]
    axes = origin + tree.characteristic_length * np.swapaxes(poses[..., :3, :3], -1, -2)
    return np.concatenate([origin, axes], axis=2).reshape(len(poses), 4 * tree.num_tips, 3)
