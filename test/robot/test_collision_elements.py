"""Collision elements of a URDF: read with every value checked, and never a reason to refuse it."""

import numpy as np
import pytest

from generative_ik_ros.robot.description import RobotDescription

SOUND = {
    '<geometry><box size="1 2 3"/></geometry>': ("box", (1, 2, 3), ""),
    '<geometry><sphere radius="0.5"/></geometry>': ("sphere", (0.5,), ""),
    '<geometry><cylinder length="2" radius="0.5"/></geometry>': ("cylinder", (0.5, 2), ""),
    '<geometry><capsule length="2" radius="0.5"/></geometry>': ("capsule", (0.5, 2), ""),
    '<geometry><sphere radius="0"/></geometry>': ("sphere", (1e-6,), ""),
    '<geometry><box size="1 0 -0.0"/></geometry>': ("box", (1, 1e-6, 1e-6), ""),
    '<geometry><mesh filename="package://a/b.stl"/></geometry>': (
        "mesh", (1, 1, 1), "package://a/b.stl",
    ),
    '<geometry><mesh filename=" c.obj " scale="1 -1 0.001"/></geometry>': (
        "mesh", (1, -1, 0.001), "c.obj",
    ),
}  # fmt: skip
MALFORMED = {
    "": "one geometry",
    "<geometry/>": "it has none",
    '<geometry><torus radius="1"/></geometry>': "it has torus",
    '<geometry><sphere radius="1"/><sphere radius="1"/></geometry>': "one geometry",
    '<geometry><sphere radius="1"/></geometry><geometry/>': "one geometry",
    "<geometry><sphere/></geometry>": "sphere has no radius",
    '<geometry><sphere radius="big"/></geometry>': "no number",
    '<geometry><sphere radius="nan"/></geometry>': "not finite",
    '<geometry><sphere radius="-1"/></geometry>': "below 0",
    '<geometry><box size="1 2"/></geometry>': "3 numbers",
    '<geometry><box size="1 2 -0.1"/></geometry>': "below 0",
    '<geometry><cylinder radius="1"/></geometry>': "no length",
    "<geometry><mesh/></geometry>": "no filename",
    '<geometry><mesh filename="a.stl" scale="1 0 1"/></geometry>': "zero",
    '<geometry><mesh filename="a.stl" scale="1"/></geometry>': "3 numbers",
    f'<geometry><mesh filename="{"a" * 5000}"/></geometry>': "5000 characters",
    '<origin xyz="0 0"/><geometry><sphere radius="1"/></geometry>': "3 numbers",
    '<origin rpy="0 0 x"/><geometry><sphere radius="1"/></geometry>': "no number",
}


def read(*elements):
    inside = "".join(f"<collision>{element}</collision>" for element in elements)
    return RobotDescription.from_urdf(
        f'<robot name="r"><link name="a">{inside}</link><link name="b"/>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
    )


@pytest.mark.parametrize("element", SOUND)
def test_sound_elements(element):
    description = read(element)
    (shape,) = description.collisions["a"]
    assert (shape.shape, shape.size, shape.mesh_uri) == SOUND[element]
    assert shape.fault == "" and (shape.shape_in_link == np.eye(4)).all()
    assert "b" not in description.collisions


def test_origins_place_shapes():
    (shape,) = read(
        '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
        '<geometry><sphere radius="1"/></geometry>'
    ).collisions["a"]
    expected = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
    assert np.allclose(shape.shape_in_link, expected)


@pytest.mark.parametrize("element", MALFORMED)
def test_malformed_elements_are_kept_with_their_fault(element):
    sound = '<geometry><sphere radius="1"/></geometry>'
    first, second = read(element, sound).collisions["a"]
    assert MALFORMED[element] in first.fault and first.shape == ""
    assert second.fault == "" and second.shape == "sphere"


def test_robots_without_collision_elements_have_none():
    assert read().collisions == {}
