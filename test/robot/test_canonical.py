"""Fingerprints: equal for one arm however it is mounted, equipped, named and drawn."""

import re

import numpy as np
import pytest
from bad_urdfs import edited, joint
from chain_formats import rpy_of, text
from six_joint_arms import unit

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse, shift, turn

KINDS = ("revolute", "revolute", "prismatic", "revolute", "continuous", "revolute")


def _origin(frame):
    return f'<origin xyz="{text(frame[:3, 3])}" rpy="{text(rpy_of(frame[:3, :3]))}"/>'


def _random_frame(generator):
    frame = turn(unit(generator), generator.uniform(-3, 3))
    frame[:3, 3] = generator.uniform(-0.5, 0.5, 3)
    return frame


def arm(origins, axes, tool, names="j{}", kinds=KINDS, mount=None, limits=None, mimic=None):
    """Write the URDF of an arm from its joint frames, axes and tool."""
    origins = [np.asarray(origin) for origin in origins]
    if mount is not None:
        origins[0] = mount @ origins[0]
    links, joints = ['<link name="l0"/>'], []
    for i, (origin, axis, kind) in enumerate(zip(origins, axes, kinds, strict=True)):
        lower, upper = (-1.0 - i / 10, 1.5) if limits is None else limits
        inside = _origin(origin) + f'<axis xyz="{text(axis)}"/>'
        if kind != "continuous":
            inside += f'<limit lower="{lower}" upper="{upper}"/>'
        if mimic is not None and i == 1:
            inside += mimic
        joints.append(joint(names.format(i), f"l{i}", f"l{i + 1}", kind, inside))
        links.append(f'<link name="l{i + 1}"/>')
    last = len(origins)
    joints.append(joint("tool", f"l{last}", "tool", "fixed", _origin(tool)))
    return f'<robot>{"".join(links)}<link name="tool"/>{"".join(joints)}</robot>'


def random_arm(seed):
    generator = np.random.default_rng(seed)
    origins = [_random_frame(generator) for _ in KINDS]
    axes = [unit(generator) for _ in KINDS]
    return origins, axes, _random_frame(generator), generator


def regauged(origins, axes, tool, generator):
    """Move each joint's frame to another place on its axis and turn it at will.

    A frame S with S z = axis commutes with the joint's motion in the sense that
    origin M(axis) = (origin S) M(S^-1 axis) S^-1.
    """
    origins, axes, carried = [*origins], [*axes], np.eye(4)
    for i, axis in enumerate(axes):
        change = shift(axis, generator.uniform(-0.5, 0.5)) @ turn(unit(generator), 1.3)
        if KINDS[i] == "prismatic":
            change[:3, 3] = generator.uniform(-0.5, 0.5, 3)
        origins[i] = inverse(carried) @ origins[i] @ change
        axes[i] = change[:3, :3].T @ axis
        carried = change
    return origins, axes, inverse(carried) @ tool


@pytest.mark.parametrize("seed", range(5))
def test_mounting_tool_names_and_frames_do_not_matter(seed):
    origins, axes, tool, generator = random_arm(seed)
    plain = KinematicChain.from_urdf(arm(origins, axes, tool))
    others = [
        arm(origins, axes, tool, mount=_random_frame(generator)),
        arm(origins, axes, _random_frame(generator)),
        arm(origins, axes, tool, names="left/joint {}"),
        arm(*regauged(origins, axes, tool, generator)),
    ]
    q = generator.uniform(-1, 1.5, (4, len(KINDS)))
    target = plain.canonical_target(plain.forward(q))
    for other in others:
        chain = KinematicChain.from_urdf(other)
        assert chain.fingerprint == plain.fingerprint
        np.testing.assert_allclose(chain.canonical_target(chain.forward(q)), target, atol=1e-9)
    assert re.fullmatch("[0-9a-f]{16}", plain.fingerprint)


def test_a_bent_arm_under_a_bent_base_is_the_same_arm():
    """Fixed joints between, and a chain that starts at a link further down."""
    origins, axes, tool, generator = random_arm(9)
    plain = KinematicChain.from_urdf(arm(origins, axes, tool))
    part = _random_frame(generator)
    whole = arm(origins, axes, tool).replace("</robot>", "")
    whole += '<link name="world"/><link name="stand"/>'
    whole += joint("a", "world", "stand", "fixed", _origin(part))
    whole += joint("b", "stand", "l0", "prismatic", '<limit lower="0" upper="1"/>') + "</robot>"
    assert KinematicChain.from_urdf(whole, "l0", "l6").fingerprint == plain.fingerprint
    assert KinematicChain.from_urdf(whole, "stand", "l6").fingerprint != plain.fingerprint


def _changes():
    origins, axes, tool, _ = random_arm(0)
    longer = [o.copy() for o in origins]
    longer[1][0, 3] += 1e-5
    flipped = [axes[0], -axes[1], *axes[2:]]
    fixed_kind = ("revolute", "continuous", *KINDS[2:])
    slide_first = ("prismatic", *KINDS[1:])
    yield "longer", arm(longer, axes, tool)
    yield "flipped", arm(origins, flipped, tool)
    yield "unlimited", arm(origins, axes, tool, kinds=fixed_kind)
    yield "prismatic", arm(origins, axes, tool, kinds=slide_first)
    yield "limits", arm(origins, axes, tool, limits=(-1.0, 1.0))
    yield "mimic", arm(origins, axes, tool, mimic='<mimic joint="j0"/>')
    yield "mimic 2", arm(origins, axes, tool, mimic='<mimic joint="j0" multiplier="2"/>')
    yield "mimic offset", arm(origins, axes, tool, mimic='<mimic joint="j0" offset="0.1"/>')
    yield "mimic other", arm(origins, axes, tool, mimic='<mimic joint="j5"/>')


def test_every_change_of_the_arm_itself_shows():
    origins, axes, tool, _ = random_arm(0)
    fingerprints = {"plain": KinematicChain.from_urdf(arm(origins, axes, tool)).fingerprint}
    for name, changed in _changes():
        fingerprints[name] = KinematicChain.from_urdf(changed).fingerprint
    assert len(set(fingerprints.values())) == len(fingerprints), fingerprints


@pytest.mark.parametrize("parallel", [1, 2, 3])
def test_parallel_and_single_axes_have_a_canonical_form_too(parallel):
    """Where the lines do not decide, the joint's own frame does; the target still fits."""
    generator = np.random.default_rng(parallel)
    origins = [shift(np.eye(3)[0], 0.3 * i) for i in range(parallel)]
    kinds = ("revolute", "revolute", "prismatic")[:parallel]
    axes = [np.array([0.0, 0.0, 1.0])] * parallel
    tool = _random_frame(generator)
    mounted = arm(origins, axes, _random_frame(generator), kinds=kinds, mount=tool)
    plain = KinematicChain.from_urdf(arm(origins, axes, tool, kinds=kinds))
    other = KinematicChain.from_urdf(mounted)
    assert plain.fingerprint == other.fingerprint
    q = generator.uniform(-1, 1, (4, parallel))
    np.testing.assert_allclose(
        plain.canonical_target(plain.forward(q)),
        other.canonical_target(other.forward(q)),
        atol=1e-12,
    )


def test_nearly_parallel_axes_do_not_throw_the_origin_far_away():
    """Right angles written as 1.5708 leave axes that cross 100 km away."""
    chain = KinematicChain.from_urdf(
        edited(('rpy="0 1.5 0"', 'rpy="0 1.5708 0"'), ('rpy="0.3 0 0"', 'rpy="0 1e-5 0"'))
    )
    assert np.abs(chain.canonical.first_joint_in_base).max() < 2.0
    assert np.abs(chain.canonical.last_joint_in_first_joint).max() < 2.0


def test_the_fingerprint_never_changes():
    """Weights are stored under it: a change of this value orphans all of them."""
    origins = [shift(np.eye(3)[i % 3], 0.25 * (i + 1)) for i in range(6)]
    axes = [np.eye(3)[(i + 1) % 3] for i in range(6)]
    chain = KinematicChain.from_urdf(arm(origins, axes, np.eye(4)))
    assert chain.fingerprint == "2ef19fceeb921654"
