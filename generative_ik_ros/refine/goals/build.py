"""Builds the arrays that the core reads of a chain or a tree and its goals."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.goals.tree_arrays import GoalTree
from generative_ik_ros.refine.kernel_chain import frame_with_z, pose_rows
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree


def goal_tree(robot: KinematicChain | KinematicTree) -> GoalTree:
    """Turn every joint's frame so that its axis is z, and poses into quaternions."""
    layout, m, n = robot.layout, len(robot.joint_axes), robot.num_joints
    aligned = np.array([frame_with_z(axis) for axis in robot.joint_axes]).reshape(m, 4, 4)
    undone = aligned.transpose(0, 2, 1)  # pure rotations

    def seen(joints: NDArray[np.int64], poses: NDArray[np.float64]) -> NDArray[np.float64]:
        turned = [undone[j] @ x if j >= 0 else x for j, x in zip(joints, poses, strict=True)]
        return pose_rows(np.array(turned).reshape(-1, 4, 4))

    path, ends, column = _columns(layout.paths(), np.asarray(robot.joint_variable), n)
    return GoalTree(
        origins=seen(layout.parent, robot.joint_origins @ aligned),
        **robot.joint_drives,
        begin=layout.begin.astype(np.int64),
        slot=layout.slot.astype(np.int64),
        scale=np.array(robot.step_units),
        tip_slot=layout.tip_slot.astype(np.int64),
        tip=seen(layout.tip_joint, layout.tip),
        reference_slot=layout.reference_slot.astype(np.int64),
        reference=seen(layout.reference_joint, layout.reference),
        path=path,
        path_end=ends,
        column=column,
        coupled=_coupled(column),
        bounded=np.zeros(len(ends), np.int64),
    )


def _columns(
    paths: list[list[tuple[int, int]]], variable: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return `path`, `path_end` and `column` of a GoalTree."""
    rows, ends, column, count = [], [], np.full((len(paths), n), -1, np.int64), 0
    for g, joints in enumerate(paths):
        for joint, sign in joints:
            v = variable[joint]
            if column[g, v] < 0:
                column[g, v] = count
                count += 1
            rows.append((joint, sign, column[g, v]))
        ends.append(len(rows))
    return np.array(rows, np.int64).reshape(-1, 3), np.array(ends, np.int64), column


def _coupled(column: NDArray[np.int64]) -> NDArray[np.int64]:
    """Say which goals' normal equations are coupled: by a variable of both, or by elimination."""
    used = column >= 0
    coupled = (used.astype(np.int64) @ used.T.astype(np.int64)) > 0
    np.fill_diagonal(coupled, True)
    for k in range(len(coupled)):
        below = np.flatnonzero(coupled[k + 1 :, k]) + k + 1
        coupled[np.ix_(below, below)] = True
    return coupled.astype(np.int64)
