"""Where the tips of a tree stand to each other: places, and the stored ones nearest to them.

A floating base moves all tips alike. So points on the tips' frames are moved together to where
they are nearest to the mean of many such sets (W. Kabsch 1976), and what is left is compared.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.robot.kinematic_tree import KinematicTree

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)


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
            points = points.copy()
            _gather(points, mean, turns, centres)
        return cls(points.reshape(count, -1).astype(np.float32), turns, centres)


def tip_points(poses: NDArray[np.float64], tree: KinematicTree) -> NDArray[np.float64]:
    """Return points (N, 4 K, 3) of the frames of (N, K, 4, 4) tips, also of one, (N, 4, 4) [m]."""
    poses = poses.reshape(-1, tree.num_tips, 4, 4)
    origin = poses[:, :, None, :3, 3]
    axes = origin + tree.characteristic_length * np.swapaxes(poses[..., :3, :3], -1, -2)
    return np.concatenate([origin, axes], axis=2).reshape(len(poses), 4 * tree.num_tips, 3)


@kernel()
def _gather(points, mean, turns, centres):
    """Do what `Places.of` says, in place."""
    for k in range(len(points)):
        for i in range(3):
            centres[k, i] = points[k, :, i].mean()
            points[k, :, i] -= centres[k, i]
        left, _, right = np.linalg.svd(points[k].T @ mean)
        turn = (left @ right).T
        if np.linalg.det(turn) < 0.0:  # A reflection: the least direction is turned over.
            left[:, 2] *= -1.0
            turn = (left @ right).T
        turns[k] = turn
        points[k] = points[k] @ turn.T


@kernel()
def nearest(columns, squares, begin, end, features, first, rows):
    """Find the stored sets of points that are nearest to others.

    Args:
        columns: (3 P, N) features of the stored sets.
        squares: (N,) the squares of their lengths.
        begin: Sets from here on are looked at,
        end: before there.
        features: (T, 3 P) of the others.
        first: Rank of the first that is wanted.
        rows: (T, K) out: which sets have the ranks from `first` on.
    """
    last = first + rows.shape[1]
    best, distance = np.empty(last, np.int64), np.empty(last, np.float32)
    for t in range(len(features)):
        gap = squares[begin:end].copy()
        for c in range(len(columns)):
            twice = np.float32(2.0) * features[t, c]
            for k in range(end - begin):
                gap[k] -= twice * columns[c, begin + k]
        count = 0
        for k in range(end - begin):
            if count == last and gap[k] >= distance[last - 1]:
                continue
            place = min(count, last - 1)
            count = min(count + 1, last)
            while place > 0 and distance[place - 1] > gap[k]:
                best[place], distance[place] = best[place - 1], distance[place - 1]
                place -= 1
            best[place], distance[place] = begin + k, gap[k]
        rows[t] = best[first:last]


@kernel()
def stand(turns, centres, rows, stored_turns, stored_centres, base, seeds):
    """Write where a floating base stands that moves stored sets of points to others.

    Args:
        turns: (T, 3, 3) of the others, as of `Places`.
        centres: (T, 3) likewise [m].
        rows: (T, K) which stored sets.
        stored_turns: (N, 3, 3) theirs.
        stored_centres: (N, 3) theirs [m].
        base: (6,) variables of x y z [m] yaw pitch roll [rad].
        seeds: (T, K, n) out: these variables.
    """
    turn = np.empty((3, 3))
    for t in range(len(rows)):
        for k in range(rows.shape[1]):
            row, seed = rows[t, k], seeds[t, k]
            for i in range(3):
                moved = 0.0
                for j in range(3):
                    turn[i, j] = 0.0
                    for c in range(3):
                        turn[i, j] += turns[t, c, i] * stored_turns[row, c, j]
                    moved += turn[i, j] * stored_centres[row, j]
                seed[base[i]] = centres[t, i] - moved
            seed[base[3]] = np.arctan2(turn[1, 0], turn[0, 0])
            seed[base[4]] = np.arcsin(min(1.0, max(-1.0, -turn[2, 0])))
            seed[base[5]] = np.arctan2(turn[2, 1], turn[2, 2])
