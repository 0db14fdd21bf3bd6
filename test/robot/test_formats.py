"""The same robot as URDF, xacro, SDF and MJCF: the same kinematics, also those of MuJoCo."""

import sys

import numpy as np
import pytest
from chain_formats import mjcf, random_robot, sdf, urdf, xacro
from hypothesis import given, settings
from hypothesis import strategies as st

from generative_ik_ros.errors import (
    GenerativeIKError,
    InvalidArgumentError,
    MissingDependencyError,
    RobotDescriptionError,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.kinematic_tree import KinematicTree

SAME = 1e-9
"""Poses may differ by this [m, and entries of rotation matrices]."""


def moving_seed(seed):
    """The first seed from this one on whose robot has a moving joint."""
    while not any(joint.moves and joint.mimic is None for joint in random_robot(seed)):
        seed += 1
    return seed


def chain_of(source, robot, missing_limits="error"):
    return KinematicChain.from_urdf(source, "l0", f"l{len(robot)}", missing_limits=missing_limits)


def assert_same(expected, found, seed=0, prefix=""):
    """Same joints, limits and poses, whatever the order of the joints."""
    names = [prefix + name for name in expected.joint_names]
    assert sorted(names) == sorted(found.joint_names)
    order = [names.index(name) for name in found.joint_names]
    np.testing.assert_allclose(found.lower, expected.lower[order], atol=1e-12)
    np.testing.assert_allclose(found.upper, expected.upper[order], atol=1e-12)
    assert found.continuous.tolist() == expected.continuous[order].tolist()
    q = np.random.default_rng(seed).uniform(-2.0, 2.0, (20, len(names)))
    np.testing.assert_allclose(found.forward(q[:, order]), expected.forward(q), atol=SAME)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_sdf_has_the_kinematics_of_urdf(seed):
    robot = random_robot(moving_seed(seed))
    assert_same(chain_of(urdf(robot), robot), chain_of(sdf(robot, seed), robot), seed)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_mjcf_has_the_kinematics_of_urdf(seed):
    pytest.importorskip("mujoco")
    robot = random_robot(moving_seed(seed))
    assert_same(chain_of(urdf(robot), robot), chain_of(mjcf(robot), robot), seed)


@pytest.mark.parametrize("seed", range(3))
def test_xacro_has_the_kinematics_of_urdf(seed, tmp_path):
    pytest.importorskip("xacro")
    robot = random_robot(moving_seed(seed))
    path = xacro(robot, tmp_path)
    expected = chain_of(urdf(robot), robot)
    assert_same(expected, chain_of(path, robot), seed)
    named = RobotDescription.from_urdf(path, xacro_args={"prefix": "left_"})
    chain = KinematicChain.from_urdf(named, "left_l0", f"left_l{len(robot)}")
    assert_same(expected, chain, seed, "left_")
    assert named.file == path


@pytest.mark.parametrize("seed", range(10))
def test_all_links_of_a_tree_are_where_mujoco_puts_them(seed):
    mujoco = pytest.importorskip("mujoco")
    robot = random_robot(seed, 10, tree=True)
    text = mjcf(robot)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    description = RobotDescription.from_urdf(text)
    tips = [f"l{i + 1}" for i, joint in enumerate(robot) if moves(robot, i)]
    tree = KinematicTree.from_urdf(description, "world", tips)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, tree.num_joints)
        values = dict(zip(tree.joint_names, q, strict=True))
        for i, joint in enumerate(robot):
            if joint.moves:
                driver, factor, offset = joint.mimic or (i, 1.0, 0.0)
                value = factor * values[f"j{driver + 1}"] + offset
                data.qpos[model.joint(f"j{i + 1}").qposadr] = value
        mujoco.mj_kinematics(model, data)
        for tip, found in zip(tips, tree.forward(q), strict=True):
            np.testing.assert_allclose(found[:3, 3], data.body(tip).xpos, atol=SAME)
            np.testing.assert_allclose(found[:3, :3].ravel(), data.body(tip).xmat, atol=SAME)


def moves(robot, i):
    while i >= 0:
        if robot[i].moves:
            return True
        i = robot[i].parent - 1
    return False


def test_what_a_file_is_is_decided_by_what_is_in_it(tmp_path):
    robot = random_robot(1)
    path = tmp_path / "robot.txt"
    for text in (urdf(robot), sdf(robot)):
        path.write_text(text)
        assert chain_of(path, robot).joint_names == chain_of(urdf(robot), robot).joint_names


@pytest.mark.parametrize("text", ["<cad/>", "<robots/>"])
def test_other_formats_are_named(text):
    with pytest.raises(RobotDescriptionError, match=r"<robot> \(URDF\) or <sdf> \(SDF\) or <muj"):
        RobotDescription.from_urdf(text)


def test_arguments_are_for_xacro_files():
    with pytest.raises(InvalidArgumentError, match="whose names end with .xacro"):
        RobotDescription.from_urdf(urdf(random_robot(0)), xacro_args={"a": "1"})


XACRO = "xmlns:xacro='http://www.ros.org/wiki/xacro'"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<robot", "cannot expand"),
        (f"<robot {XACRO}><xacro:none/></robot>", "unknown macro"),
        (f"<robot {XACRO}><a b='${{1/0}}'/></robot>", "division by zero"),
        (
            f"<robot {XACRO}><a b='$(find gone_package)'/></robot>",
            "neither a sourced ROS 2 workspace nor the folders around have .*gone_package",
        ),
        (f"<robot {XACRO}><xacro:include filename='no.xacro'/></robot>", "no.xacro"),
        (f"<robot {XACRO}><a b='$(arg none)'/></robot>", r"none; give it by xacro_args="),
        (
            f"<robot {XACRO}><xacro:macro name='arm'><link name='a'/></xacro:macro></robot>",
            "expands to nothing: it defines macros",
        ),
    ],
)
def test_faults_of_xacro_files_are_told(content, message, tmp_path):
    pytest.importorskip("xacro")
    path = tmp_path / "bad.xacro"
    path.write_text(content)
    with pytest.raises(RobotDescriptionError, match=message):
        RobotDescription.from_urdf(path)


@pytest.mark.parametrize("without_ros", [False, True])
def test_packages_around_a_xacro_file_are_found(without_ros, tmp_path, monkeypatch):
    pytest.importorskip("xacro")
    index = ["ament_index_python", "ament_index_python.packages"]
    if without_ros:
        for name in index:
            monkeypatch.setitem(sys.modules, name, None)
    before = [sys.modules.get(name) for name in index]
    robot = random_robot(3)
    text = xacro(robot, tmp_path).read_text().replace("arm.xacro", "$(find arm_macros)/a.xacro")
    parts, macros = tmp_path / "src" / "parts", tmp_path / "src" / "arm_macros"
    for folder in (parts / "urdf", macros):
        folder.mkdir(parents=True)
    file = parts / "urdf" / "robot.urdf.xacro"
    file.write_text(text)
    (tmp_path / "arm.xacro").rename(macros / "a.xacro")
    found = RobotDescription.from_urdf(file)
    assert [joint.name for joint in found.joints]
    # By its manifest rather than by the name of its folder.
    macros.rename(tmp_path / "src" / "macros-main")
    with pytest.raises(RobotDescriptionError, match="arm_macros"):
        RobotDescription.from_urdf(file)
    manifest = tmp_path / "src" / "macros-main" / "package.xml"
    manifest.write_text("<package><name> arm_macros </name></package>")
    again = RobotDescription.from_urdf(file)
    assert [joint.name for joint in again.joints] == [joint.name for joint in found.joints]
    assert [sys.modules.get(name) for name in index] == before


def test_text_is_never_expanded(tmp_path):
    """An expression would be evaluated, and a file read."""
    text = f"<robot name='${{open}}' {XACRO}><xacro:include filename='{tmp_path}'/>"
    with pytest.raises(RobotDescriptionError, match="unexpanded xacro"):
        RobotDescription.from_urdf(text + "<link name='a'/></robot>")


@pytest.mark.parametrize("package", ["mujoco", "xacro"])
def test_what_is_missing_is_named(package, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    robot = random_robot(1)
    source = mjcf(robot) if package == "mujoco" else xacro(robot, tmp_path)
    with pytest.raises(MissingDependencyError, match=f"{package}.*formats") as error:
        RobotDescription.from_urdf(source)
    assert isinstance(error.value, GenerativeIKError)


BOMB = (
    '<!DOCTYPE {0} [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><{0}>&b;</{0}>'
)


@pytest.mark.parametrize("root", ["robot", "sdf", "mujoco"])
def test_entities_are_refused_in_all_formats(root):
    with pytest.raises(RobotDescriptionError, match="DOCTYPE or entities"):
        RobotDescription.from_urdf(BOMB.format(root))
