"""Quaternions and rotation matrices, against scipy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from generative_ik_ros.robot.quaternions import rotation_matrices, unit_quaternions

RANDOM = Rotation.random(200, random_state=1)
HALF_TURNS = Rotation.from_rotvec(
    np.pi * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0], [0, 0.6, -0.8]])
)
SMALL = Rotation.from_rotvec(np.geomspace(1e-12, 1e-3, 10)[:, None] * [0.36, 0.48, -0.8])


@pytest.mark.parametrize("rotations", [RANDOM, HALF_TURNS, SMALL], ids=["any", "half", "small"])
def test_both_ways(rotations: Rotation):
    matrices, expected = rotations.as_matrix(), rotations.as_quat(canonical=True)
    found = unit_quaternions(matrices)
    assert (found[:, 3] >= 0.0).all()
    # The sign of a half turn is not determined.
    sign = np.sign((found * expected).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(sign * found, expected, atol=1e-15)
    np.testing.assert_allclose(rotation_matrices(expected), matrices, atol=1e-15)
    np.testing.assert_allclose(rotation_matrices(3.0 * expected), matrices, atol=1e-15)


def test_small_turns_keep_their_digits():
    angles = np.linalg.norm(unit_quaternions(SMALL.as_matrix())[:, :3], axis=1)
    np.testing.assert_allclose(2.0 * angles, np.geomspace(1e-12, 1e-3, 10), rtol=1e-6)
