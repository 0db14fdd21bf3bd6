"""Planar and floating joints as variables: where pinocchio puts the tip, and what is refused."""

import re

import numpy as np
import pytest
from bad_urdfs import edited

from generative_ik_ros import IKSolver, KinematicChain, KinematicTree
from generative_ik_ros.errors import (
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.description import RobotDescription

PLANAR = edited(('name="turn" type="revolute"', 'name="drive" type="planar"'))
FLOATING = edited(('name="turn" type="revolute"', 'name="drive" type="floating"'))
ROOM = {"drive/x": (-3.0, 3.0), "drive/y": (-2.0, 2.0)}
SPACE = ROOM | {"drive/z": (0.0, 1.0)}
ANGLES = ["yaw", "pitch", "roll"]


def pinocchio_tip(text, place):
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    q = pinocchio.neutral(model)
    for name, values in place.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = values
    pinocchio.framesForwardKinematics(model, data, q)
    return data.oMf[model.getFrameId("tip")].homogeneous


def test_a_planar_joint_is_where_pinocchio_has_it():
    chain = KinematicChain.from_urdf(PLANAR, joint_limits=ROOM)
    assert chain.joint_names == ["drive/x", "drive/y", "drive/yaw", "slide", "roll"]
    assert chain.continuous.tolist() == [False, False, True, False, True]
    assert chain.lower[:2].tolist() == [-3.0, -2.0]
    for x, y, yaw, slide, roll in np.random.default_rng(0).uniform(-1, 1, (10, 5)):
        place = {
            "drive": [x, y, np.cos(yaw), np.sin(yaw)],
            "slide": [slide],
            "roll": [np.cos(roll), np.sin(roll)],
        }
        tip = chain.forward([x, y, yaw, slide, roll])
        np.testing.assert_allclose(tip, pinocchio_tip(PLANAR, place), atol=1e-12)


def test_a_floating_joint_is_where_pinocchio_has_it():
    chain = KinematicChain.from_urdf(FLOATING, joint_limits=SPACE)
    parts = [f"drive/{key}" for key in ("x", "y", "z", *ANGLES)]
    assert chain.joint_names == [*parts, "slide", "roll"]
    from scipy.spatial.transform import Rotation

    for q in np.random.default_rng(0).uniform(-1, 1, (10, 8)):
        turned = Rotation.from_euler("ZYX", q[3:6]).as_quat()
        place = {
            "drive": [*q[:3], *turned],
            "slide": [q[6]],
            "roll": [np.cos(q[7]), np.sin(q[7])],
        }
        np.testing.assert_allclose(chain.forward(q), pinocchio_tip(FLOATING, place), atol=1e-12)


def test_base_and_arm_are_solved_together():
    chain = KinematicChain.from_urdf(PLANAR, joint_limits=ROOM)
    rng = np.random.default_rng(1)
    q = rng.uniform(np.maximum(chain.lower, -3), np.minimum(chain.upper, 3), (20, 5))
    targets = chain.forward(q)
    found = IKSolver(chain).solve(targets, 5)
    assert (found.counts > 0).all()
    for b, target in enumerate(targets):
        for one in found.of(b):
            assert (chain.lower <= one).all() and (one <= chain.upper).all()
            np.testing.assert_allclose(chain.forward(one), target, atol=2e-5)


def test_a_tree_takes_it_too_and_the_yaw_may_have_limits():
    limits = ROOM | {"drive/yaw": (-1.0, 1.0)}
    tree = KinematicTree.from_urdf(PLANAR, None, ["tip", "upper"], joint_limits=limits)
    assert tree.joint_names[:3] == ["drive/x", "drive/y", "drive/yaw"]
    assert not tree.continuous[2]


def test_without_limits_of_its_parts_the_joint_stays_one():
    assert RobotDescription.from_urdf(PLANAR).joint_named["drive"].type == "planar"
    hint = "drive/x, drive/y, drive/yaw in joint_limits="
    with pytest.raises(RobotDescriptionError, match=re.escape(hint)):
        KinematicChain.from_urdf(PLANAR)
    with pytest.raises(RobotDescriptionError, match="'drive/y' has no limits"):
        KinematicChain.from_urdf(PLANAR, joint_limits={"drive/x": (-1.0, 1.0)})


@pytest.mark.parametrize(
    ("text", "limits", "error", "message"),
    [
        (PLANAR, {"drive/z": (0.0, 1.0)}, UnknownNameError, "drive/x, drive/y, drive/yaw"),
        (PLANAR, {"drive": (0.0, 1.0)}, InvalidArgumentError, "is planar and has no limits"),
        (PLANAR, {"drive/x": (-np.inf, np.inf)}, InvalidArgumentError, "finite"),
        (
            PLANAR.replace('xyz="0 0 1"', 'xyz="0 1 0"', 1),
            ROOM,
            RobotDescriptionError,
            "has the axis 0 1 0; its plane must be that of x and y",
        ),
        (
            PLANAR.replace("</robot>", '<link name="drive/x_link"/><joint name="o" type="fixed">'
            '<parent link="base"/><child link="drive/x_link"/></joint></robot>'),
            ROOM,
            RobotDescriptionError,
            "that parts of a planar or floating joint are named",
        ),
    ],
)  # fmt: skip
def test_misuse_is_told(text, limits, error, message):
    with pytest.raises(error, match=re.escape(message)):
        KinematicChain.from_urdf(text, joint_limits=limits)
