"""Whatever arrays, names and files hold, scenes are made or refused with a message."""

import math

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from generative_ik_ros import GenerativeIKError, Scene
from generative_ik_ros.collision.cloud import cloud_body
from generative_ik_ros.collision.shapes import MAX_SIZE, Mesh

pytestmark = pytest.mark.slow

FEW = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NUMBERS = st.one_of(
    st.floats(-2.0, 2.0),
    st.sampled_from([0, 1, -1, 0.5, 1e-12, 1e5, 1e300, -1e308, math.nan, math.inf, 10**400, True]),
)
SCALARS = st.one_of(NUMBERS, st.none(), st.text(max_size=5), st.binary(max_size=3))
ROWS = st.one_of(st.lists(NUMBERS, max_size=8), arrays(np.float64, 3), arrays(np.float32, 7))
MATRICES = st.one_of(
    st.just(np.eye(4)),
    arrays(np.float64, (4, 4), elements=st.floats(allow_nan=True, width=64)),
    st.lists(st.lists(NUMBERS, max_size=5), max_size=5),
)
POSES = st.one_of(ROWS, MATRICES, SCALARS)
ENTRIES = st.one_of(
    st.tuples(ROWS, POSES),
    st.tuples(NUMBERS, POSES),
    st.tuples(NUMBERS, NUMBERS, POSES),
    st.tuples(MATRICES, MATRICES),
    SCALARS,
)
COLLECTIONS = st.one_of(
    st.lists(ENTRIES, max_size=4),
    st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), ENTRIES, max_size=4),
    SCALARS,
)


def check(scene):
    """What a scene promises of all that is in it."""
    assert len({one.name for one in scene.obstacles}) == len(scene.obstacles)
    for one in scene.obstacles:
        assert isinstance(one.name, str) and one.name
        shape = one.shape
        rotation = shape.pose[:3, :3]
        assert np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-5
        assert np.linalg.det(rotation) > 0.9
        assert np.abs(shape.pose).max() <= 4.0 * MAX_SIZE
        assert not shape.pose.flags.writeable
        if isinstance(shape, Mesh):
            assert np.isfinite(shape.vertices).all()
        else:
            sizes = np.concatenate([np.ravel(v) for k, v in vars(shape).items() if k != "pose"])
            assert ((sizes > 0.0) & (sizes <= MAX_SIZE)).all()
    if scene.cloud is not None:
        assert np.isfinite(scene.cloud.points).all() and len(scene.cloud.points)
        cloud_body(scene.cloud)


@FEW
@given(
    st.dictionaries(
        st.sampled_from(["boxes", "spheres", "cylinders", "capsules", "meshes"]), COLLECTIONS
    )
)
def test_arguments(arguments):
    try:
        scene = Scene(**arguments)
    except GenerativeIKError as error:
        assert str(error)
    else:
        check(scene)


@FEW
@given(
    st.one_of(
        arrays(np.float64, st.tuples(st.integers(0, 20), st.just(3))),
        arrays(np.float32, st.tuples(st.integers(0, 20), st.integers(0, 4))),
        POSES,
    ),
    NUMBERS,
    SCALARS,
    SCALARS,
)
def test_points(points, radius, padding, frame):
    try:
        scene = Scene(points=points, point_radius=radius, padding=padding, frame=frame)
    except GenerativeIKError as error:
        assert str(error)
    else:
        check(scene)
        assert 0.0 <= scene.padding <= MAX_SIZE


KEYS = st.sampled_from(
    "world collision_objects id pose position orientation primitives primitive_poses type "
    "dimensions meshes mesh_poses vertices triangles vertex_indices header frame_id operation "
    "planes robot_state attached_collision_objects link_name object touch_links octomap data "
    "allowed_collision_matrix entry_names entry_values enabled fixed_frame_transforms transform "
    "translation rotation child_frame_id cuboid sphere cylinder capsule mesh dims radius height "
    "base tip file_path scale faces x y z w box <<".split()
)
LEAVES = st.one_of(
    st.sampled_from(["box", "sphere", "cylinder", "cone", 1, 2, 0, None, True, "a", "", ".", "/"]),
    NUMBERS.filter(lambda number: number != 10**400),
    st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=8),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=25,
)
PRIMITIVES = st.fixed_dictionaries(
    {"type": st.sampled_from(["box", "sphere", "cylinder", "cone", 1, 3, "prism"])},
    optional={"dimensions": st.lists(st.floats(-0.5, 2.0), min_size=1, max_size=4)},
)
OBJECTS = st.fixed_dictionaries(
    {
        "id": st.one_of(st.text(max_size=3), st.integers()),
        "primitives": st.lists(PRIMITIVES, max_size=2),
    },
    optional={"primitive_poses": st.lists(TREES, max_size=2), "pose": TREES, "header": TREES},
)
FILES = st.one_of(
    st.dictionaries(KEYS, TREES, max_size=5),
    st.fixed_dictionaries(
        {"world": st.fixed_dictionaries({"collision_objects": st.lists(OBJECTS, max_size=3)})},
        optional={"robot_state": TREES, "allowed_collision_matrix": TREES},
    ),
    st.fixed_dictionaries({"cuboid": st.dictionaries(st.text(max_size=3), TREES, max_size=3)}),
)


@FEW
@given(FILES)
def test_trees(tmp_path, tree):
    path = tmp_path / "scene.yaml"
    path.write_text(yaml.safe_dump(tree, allow_unicode=True), encoding="utf-8")
    read(path)


@FEW
@given(st.one_of(st.binary(max_size=200), st.text("[]{}:,-?*&!|>'\"%@`# \n\tab01.<", max_size=60)))
def test_texts(tmp_path, content):
    path = tmp_path / "scene.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    read(path)


@FEW
@given(st.data())
def test_damaged_files(tmp_path, data):
    """A sound file, of which a few bytes are others."""
    text = bytearray(
        b"world: {collision_objects: [{id: a, primitives: [{type: box, dimensions: [1, 2, 3]}], "
        b"primitive_poses: [{position: [0, 0, 1], orientation: [0, 0, 0, 1]}]}]}\n"
    )
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "scene.yaml"
    path.write_bytes(text)
    read(path)


def read(path):
    try:
        scene = Scene.from_yaml(path)
    except GenerativeIKError as error:
        assert "scene.yaml" in str(error)
    else:
        check(scene)
