"""Conversions between poses and transforms, and flat arrays."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from geometry_msgs.msg import Point, Pose, Quaternion, Transform
from scipy.spatial.transform import Rotation

from generative_ik_ros.errors import InvalidTargetError
from generative_ik_ros.ros.conversions import (
    NORM_TOLERANCE,
    flat,
    poses_to_transforms,
    transform_to_matrix,
    transforms_to_poses,
)
from generative_ik_ros.srv import GetIKSolutions


def test_round_trip():
    rng = np.random.default_rng(0)
    transforms = np.tile(np.eye(4), (50, 1, 1))
    transforms[:, :3, :3] = Rotation.random(50, rng=rng).as_matrix()
    transforms[:, :3, 3] = rng.normal(size=(50, 3))
    poses = transforms_to_poses(transforms)
    assert np.allclose(poses_to_transforms(poses), transforms, atol=1e-12)
    assert poses_to_transforms([]).shape == (0, 4, 4) and transforms_to_poses(transforms[:0]) == []


def test_by_hand():
    pose = Pose()
    pose.position.x, pose.position.z = 1.0, 3.0
    # A quarter turn about z takes x to y.
    pose.orientation.z = pose.orientation.w = np.sqrt(0.5)
    wanted = [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 3], [0, 0, 0, 1]]
    assert np.allclose(poses_to_transforms([pose])[0], wanted)
    transform = Transform()
    transform.translation.x, transform.translation.z = 1.0, 3.0
    transform.rotation = pose.orientation
    assert np.allclose(transform_to_matrix(transform), wanted)


@pytest.mark.parametrize("share", [1.0 - NORM_TOLERANCE / 2, 1.0, 1.0 + NORM_TOLERANCE / 2])
def test_a_norm_within_tolerance_is_normalised(share):
    pose = Pose()
    pose.orientation.w = share
    assert np.array_equal(poses_to_transforms([pose])[0], np.eye(4))


@pytest.mark.parametrize("norm", [0.0, 1e-3, 1.0 - 2 * NORM_TOLERANCE, 1.0 + 2 * NORM_TOLERANCE])
def test_a_norm_beyond_tolerance_is_refused(norm):
    pose = Pose()
    pose.orientation.w = norm
    with pytest.raises(InvalidTargetError, match="target 1: orientation"):
        poses_to_transforms([Pose(), pose])


@pytest.mark.parametrize("page", ["install.md", "ros.md", "paths.md"])
def test_poses_of_the_documented_service_calls(page):
    """A message in which w is not given has w = 1."""
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    (call,) = re.findall(r'ros2 service call .*/srv/\w+ "(.*?)"\n', text, re.DOTALL)
    rows = yaml.safe_load(call)["targets"]["poses"]
    poses = [
        Pose(position=Point(**p["position"]), orientation=Quaternion(**p["orientation"]))
        for p in rows
    ]
    assert len(poses_to_transforms(poses)) == len(rows) > 0


def test_flat_arrays_fit_the_messages():
    response = GetIKSolutions.Response()
    response.positions = flat(np.arange(6.0).reshape(2, 3), "d")
    response.counts = flat(np.array([3, 4], np.int64), "I")
    response.statuses = flat((1, -4), "b")
    assert response.positions.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert response.counts.tolist() == [3, 4] and response.statuses.tolist() == [1, -4]
    assert flat(np.empty((0, 7)), "d").tolist() == []
