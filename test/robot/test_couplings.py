"""Couplings: sums of joint positions, by YAML and by MuJoCo's tendons, and chains of mimics."""

import numpy as np
import pytest
from loop_robots import GEOM, Hinge, Mechanism

from generative_ik_ros import IKSolver, KinematicChain, KinematicTree
from generative_ik_ros.errors import (
    ClosedLoopError,
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.random_poses import random_configurations

pytestmark = pytest.mark.slow

Z = (0.0, 0.0, 1.0)
ARM = Mechanism(
    "base",
    (
        Hinge("one", "base", "a", (0.0, 0.0, 0.1), Z, (-2.0, 2.0)),
        Hinge("two", "a", "b", (0.3, 0.0, 0.0), Z, (-2.0, 2.0)),
        Hinge("three", "b", "tip", (0.3, 0.0, 0.0), Z, (-2.5, 2.5)),
    ),
    (),
)
"""A planar arm whose last joint the others drive in the tests, or limit."""


def arm(coupling, **how):
    return ARM.tree("tip", loops={"couplings": {"belt": coupling}}, **how)


def test_a_sum_that_is_held():
    # The belt of a SCARA-like arm: the tip keeps its direction but for 0.4 rad.
    tree = arm({"joints": {"one": 1, "two": 1.0, "three": 1.0}, "equals": 0.4})
    assert (tree.names, tree.mobility) == (("one", "two", "three"), 2)
    q = random_configurations(tree, 50, 0)
    np.testing.assert_allclose(q.sum(axis=1), 0.4, atol=1e-9)
    tips = tree.forward(q)[:, 0]
    np.testing.assert_allclose(np.arctan2(tips[:, 1, 0], tips[:, 0, 0]), 0.4, atol=1e-9)
    found = IKSolver(tree).solve(tips, 10)
    assert found.counts.all() and found.counts.max() == 2
    for t in range(len(q)):
        np.testing.assert_allclose(found.of(t).sum(axis=1), 0.4, atol=1e-5)
    other = tips[:5].copy()
    other[:, :3, :3] = np.eye(3)
    assert not IKSolver(tree).solve(other, 1).counts.any()


def test_a_sum_that_is_limited():
    bounds = -0.3, 0.5
    tree = arm({"joints": {"one": 2.0, "two": -1.0}, "limits": bounds})
    assert tree.mobility == 3
    chain = KinematicChain.from_urdf(ARM.urdf(), "base", "tip")
    q = random_configurations(chain, 300, 0)
    poses = chain.forward(q)
    whole, limited = IKSolver(chain).solve(poses, 10), IKSolver(tree).solve(poses, 10)
    inside = 0
    for t in range(len(q)):
        sums = whole.of(t) @ [2.0, -1.0, 0.0]
        kept = whole.of(t)[(sums >= bounds[0]) & (sums <= bounds[1])]
        clearly = np.abs(sums[:, None] - bounds).min(axis=1) > 1e-4
        inside += len(kept)
        if clearly.all():
            assert limited.counts[t] == len(kept)
        for one in limited.of(t):
            assert bounds[0] - 1e-12 <= 2.0 * one[0] - one[1] <= bounds[1] + 1e-12
    assert 20 < inside < 500


def test_a_coupling_off_the_path_and_joints_that_stand():
    gear = {"joints": {"two": 3.0, "three": -1.0}, "equals": 0.0}
    tree = ARM.tree("b", loops={"couplings": {"gear": gear}})
    assert (tree.names, tree.mobility) == (("one", "two", "three"), 2)
    q = random_configurations(tree, 40, 0)
    assert np.abs(q[:, 1]).max() <= 2.5 / 3.0 + 1e-9
    far = tree.forward([0.0, 1.2, 0.0])[0]
    assert not IKSolver(tree).solve(far, 1).counts[0]
    held = arm({"joints": {"one": 1.0, "two": 1.0}, "equals": 0.5}, fixed={"one": 0.2})
    assert held.mobility == 1
    np.testing.assert_allclose(held.close(np.zeros(2))[0], 0.3, atol=1e-9)


def test_prismatic_and_mimic_joints_in_a_coupling():
    text = ARM.urdf().replace(
        '<joint name="three" type="revolute">',
        '<joint name="three" type="prismatic"><mimic joint="two" multiplier="0.1" offset="0.05"/>',
    )
    loops = {"couplings": {"rack": {"joints": {"one": 0.2, "three": 1.0}, "equals": 0.1}}}
    tree = KinematicTree.from_urdf(text, "base", ["tip"], loops=loops)
    assert (tree.names, tree.mobility) == (("one", "two"), 1)
    q = random_configurations(tree, 20, 0)
    np.testing.assert_allclose(0.2 * q[:, 0] + 0.1 * q[:, 1] + 0.05, 0.1, atol=1e-9)


@pytest.mark.parametrize(
    ("coupling", "kind", "match"),
    [
        ({"joints": {"four": 1.0}, "equals": 0}, UnknownNameError, "unknown joint 'four'"),
        ({"joints": {"one": 1.0}}, InvalidArgumentError, "either equals or limits"),
        ({"joints": {}, "equals": 0}, InvalidArgumentError, "names no joints"),
        ({"joints": {"one": "2"}, "equals": 0}, InvalidArgumentError, "must be a number"),
        ({"joints": {"one": True}, "equals": 0}, InvalidArgumentError, "must be a number"),
        ({"joints": {"one": 1e9}, "equals": 0}, InvalidArgumentError, "must be a number"),
        ({"joints": {"one": 1.0}, "limits": [1, 0]}, InvalidArgumentError, "above upper"),
        ({"joints": {"one": 1.0}, "limits": [0]}, InvalidArgumentError, "must be 2 numbers"),
        ({"joints": ["one"], "equals": 0}, InvalidArgumentError, "must be a mapping"),
        ({"joints": {"one": 1.0}, "equals": 9.0}, RobotDescriptionError, "coupling 'belt'"),
    ],
)
def test_couplings_that_cannot_be(coupling, kind, match):
    with pytest.raises(kind, match=match):
        arm(coupling)


def test_a_continuous_joint_has_no_sum():
    coupling = {"joints": {"one": 1.0, "two": 1.0}, "equals": 0.0}
    with pytest.raises(RobotDescriptionError, match="'one' of the coupling 'belt' is continuous"):
        arm(coupling, joint_limits={"one": (-np.inf, np.inf)})


def test_a_chain_names_the_coupling():
    loops = {"couplings": {"belt": {"joints": {"one": 1, "two": 1}, "equals": 0}}}
    with pytest.raises(ClosedLoopError, match="are in the coupling 'belt'"):
        KinematicChain.from_urdf(ARM.urdf(), "base", "tip", loops=loops)


TENDON = (
    '<tendon><fixed name="belt" {limits}><joint joint="one" coef="1"/>'
    '<joint joint="three" coef="-0.5"/></fixed>'
    '<fixed name="cable"><joint joint="two" coef="2"/></fixed></tendon>'
)


def test_fixed_tendons_are_sums():
    mujoco = pytest.importorskip("mujoco")
    text = ARM.mjcf(extra='<tendon tendon1="belt" tendon2="cable" polycoef="0.1 0.5 0 0 0"/>')
    text = text.replace("</mujoco>", TENDON.format(limits="") + "</mujoco>")
    text = text.replace('name="two"', 'name="two" ref="0.3"')
    tree = KinematicTree.from_urdf(text, "base", ["tip"])
    assert (tree.names, tree.mobility) == (("one", "two", "three"), 2)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for q in random_configurations(tree, 20, 0):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        assert data.ne == 1 and abs(data.efc_pos[0]) < 1e-9
        np.testing.assert_allclose(data.body("tip").xpos, tree.forward(q)[0, :3, 3], atol=1e-12)


def test_limits_of_a_fixed_tendon_are_limits_of_a_sum():
    pytest.importorskip("mujoco")
    text = ARM.mjcf().replace(
        "</mujoco>", TENDON.format(limits='limited="true" range="-0.1 0.2"') + "</mujoco>"
    )
    tree = KinematicTree.from_urdf(text, "base", ["tip"])
    found = IKSolver(tree).solve(tree.forward(random_configurations(tree, 30, 0))[:, 0], 5)
    assert found.counts.all()
    for t in range(30):
        sums = found.of(t) @ [1.0, 0.0, -0.5]
        assert (sums >= -0.1 - 1e-12).all() and (sums <= 0.2 + 1e-12).all()


def test_joints_that_mimic_a_mimic_against_mujoco():
    mujoco = pytest.importorskip("mujoco")
    hinges = [("a", "driver"), ("b", "a"), ("c", "b"), ("d", "c")]
    bodies = f'<body name="base">{GEOM}'
    for k, (name, _) in enumerate(hinges):
        bodies += (
            f'<body name="l{k}" pos="0 0.02 0.3"><joint name="{name}" axis="1 0.{k} 0" '
            f'range="-3 3" limited="true"/>{GEOM}'
        )
    bodies += "</body>" * (len(hinges) + 1)
    equalities = "".join(
        f'<joint joint1="{name}" joint2="{before}" polycoef="{0.1 * k} {1.0 - 0.5 * k} 0 0 0"/>'
        for k, (name, before) in enumerate(hinges)
        if k
    )
    text = (
        f'<mujoco><compiler angle="radian"/><worldbody>{bodies}</worldbody>'
        f"<equality>{equalities}</equality></mujoco>"
    )
    chain = KinematicChain.from_urdf(text, "base", "l3")
    assert chain.names == ("a",)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for a in np.linspace(*chain.lower, chain.upper[0], 11):
        b = 0.1 + 0.5 * a
        c = 0.2 + 0.0 * b
        data.qpos[:] = a, b, c, 0.3 - 0.5 * c
        mujoco.mj_forward(model, data)
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12
        np.testing.assert_allclose(data.body("l3").xpos, chain.forward([a])[:3, 3], atol=1e-12)
    # In a URDF likewise.
    urdf = ARM.urdf()
    for name, mimic in (
        ("two", 'joint="one" multiplier="-0.5"'),
        ("three", 'joint="two" multiplier="-2" offset="0.1"'),
    ):
        urdf = urdf.replace(
            f'"{name}" type="revolute">', f'"{name}" type="revolute"><mimic {mimic}/>'
        )
    follower = KinematicChain.from_urdf(urdf, "base", "tip")
    open_chain = KinematicChain.from_urdf(ARM.urdf(), "base", "tip")
    np.testing.assert_allclose(
        follower.forward([0.4]), open_chain.forward([0.4, -0.2, 0.5]), atol=1e-12
    )
