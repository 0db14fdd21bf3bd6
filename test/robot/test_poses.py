"""Transforms from positions and quaternions: against scipy, in batches, and what is refused."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from generative_ik_ros import pose_matrix
from generative_ik_ros.errors import InvalidTargetError
from generative_ik_ros.robot.poses import pose_numbers

NONE = [0.0, 0.0, 0.0, 1.0]


def test_one_pose():
    pose = pose_matrix([1, 2, 3], [0, 0, 1, 1])  # of any length: a quarter turn about z
    expected = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
    np.testing.assert_allclose(pose, expected, atol=1e-15)


def test_batches_and_broadcasting():
    rng = np.random.default_rng(0)
    positions, quaternions = rng.normal(size=(5, 3)), rng.normal(size=(5, 4))
    poses = pose_matrix(positions, quaternions)
    assert poses.shape == (5, 4, 4)
    np.testing.assert_allclose(
        poses[:, :3, :3], Rotation.from_quat(quaternions).as_matrix(), atol=1e-15
    )
    np.testing.assert_array_equal(poses[:, :3, 3], positions)
    np.testing.assert_array_equal(poses[:, 3], [[0, 0, 0, 1]] * 5)
    np.testing.assert_array_equal(pose_matrix(positions, quaternions[0])[3], pose_matrix(
        positions[3], quaternions[0]))  # fmt: skip
    assert pose_matrix(positions[0], quaternions).shape == (5, 4, 4)
    assert pose_matrix(np.zeros((2, 3, 3)), np.tile(NONE, (2, 3, 1))).shape == (2, 3, 4, 4)
    assert pose_matrix(np.empty((0, 3)), np.empty((0, 4))).shape == (0, 4, 4)


def test_there_and_back():
    rng = np.random.default_rng(3)
    for quaternion in Rotation.random(20, random_state=3).as_quat():
        position = rng.normal(size=3)
        numbers = pose_numbers(pose_matrix(position, quaternion * rng.uniform(0.1, 10)))
        np.testing.assert_allclose(numbers[:3], position, atol=1e-15)
        assert numbers[6] >= 0.0
        np.testing.assert_allclose(abs(np.dot(numbers[3:], quaternion)), 1.0, atol=1e-12)
    huge = pose_matrix([0, 0, 0], [1e308, 1e308, 0, 0])
    np.testing.assert_allclose(huge[:3, :3] @ huge[:3, :3].T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("position", "quaternion", "message"),
    [
        ([0, 0], NONE, r"position has shape \(2,\); it must be \(3,\) or \(B, 3\)"),
        ([0, 0, 0], [0, 0, 1], r"quaternion_xyzw has shape \(3,\)"),
        (0.0, NONE, "position has shape"),
        ([0, 0, "up"], NONE, "position must be an array of numbers"),
        ([0, 0, np.nan], NONE, "position has a number that is NaN"),
        ([0, 0, 0], [0, 0, 0, np.inf], "quaternion_xyzw has a number that is NaN or infinite"),
        ([0, 0, 0], [0, 0, 0, 0], "quaternion_xyzw is zero"),
        (np.zeros((2, 3)), np.tile(NONE, (3, 1)), "equally many of both"),
    ],
)
def test_misuse_is_named(position, quaternion, message):
    with pytest.raises(InvalidTargetError, match=message):
        pose_matrix(position, quaternion)
