"""Link frames for pictures, worked out by hand."""

import numpy as np
import pytest
from test_chain import PLANAR, link, mimic, planar_tip, robot

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.tree import link_transforms

FINGER = '<axis xyz="0 1 0"/><limit lower="0.01" upper="0.04"/>'
GRIPPER = RobotDescription.from_urdf(
    robot(
        link(1, "prismatic", FINGER),
        link(2, "prismatic", '<axis xyz="0 1 0"/>' + mimic("j1", -1, 0.001), parent="l0"),
        link(3, "floating", "", origin="0 0 7", parent="l0"),
    )
)


def test_frames_of_a_planar_arm():
    frames = link_transforms(
        RobotDescription.from_urdf(PLANAR), {"j1": [0.1, 0.2], "j2": np.array([0.3, 0.4])}, "l0"
    )
    assert list(frames) == ["l0", "l1", "l2", "l3"]
    np.testing.assert_array_equal(frames["l0"], np.stack([np.eye(4)] * 2))
    np.testing.assert_allclose(frames["l3"][1], planar_tip(0.2, 0.4), atol=1e-15)


def test_unnamed_joints_follow_or_stand_within_their_limits():
    frames = link_transforms(GRIPPER, {}, "l0")
    assert frames["l1"].shape == (1, 4, 4)
    np.testing.assert_allclose(frames["l1"][0, :3, 3], [0, 0.01, 0])
    np.testing.assert_allclose(frames["l2"][0, :3, 3], [0, -0.009, 0])
    np.testing.assert_allclose(frames["l3"][0, :3, 3], [0, 0, 7])
    frames = link_transforms(GRIPPER, {"j1": [0.03]}, "l1")
    np.testing.assert_allclose(frames["l2"][0, :3, 3], [0, -0.029 - 0.03, 0])
    frames = link_transforms(GRIPPER, {"j1": [0.03], "j2": [0.5]}, "l0")
    np.testing.assert_allclose(frames["l2"][0, :3, 3], [0, 0.5, 0])


def test_misuse_is_named():
    with pytest.raises(UnknownNameError, match="unknown joint 'j9'; choose from: j1, j2, j3"):
        link_transforms(GRIPPER, {"j9": [0.0]}, "l0")
    with pytest.raises(UnknownNameError, match="unknown link 'l9'"):
        link_transforms(GRIPPER, {}, "l9")
    for bad in ({"j1": [0.0, 1.0], "j2": [0.0, 1.0, 2.0]}, {"j1": ["a"]}, {"j1": [[0.0]]}):
        with pytest.raises(InvalidArgumentError, match="as many"):
            link_transforms(GRIPPER, bad, "l0")
