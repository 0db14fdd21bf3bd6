"""Bodies of links: covers contain them, inner balls lie inside, whatever the shapes are like."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from solid_checks import (
    built,
    depth_in_mesh,
    depth_in_primitive,
    leaves_of,
    levels_of,
    meshes,
    on_surface,
    on_triangles,
    placed,
    primitives,
    tree_contains,
    triangles_of,
)

from generative_ik_ros.collision.packed_shapes import built_bodies
from generative_ik_ros.collision.shapes import Box, Cylinder, Mesh, Sphere
from generative_ik_ros.collision.stored import stored_bodies
from generative_ik_ros.errors import InvalidArgumentError

pytestmark = pytest.mark.slow

NUM_PRIMITIVES, NUM_MESHES = 7, 5


def check_body(body):
    """Check what every body promises about its trees."""
    for tree in filter(None, (body.cover, body.inner)):
        for k, level in enumerate(levels_of(tree)):
            assert level.shape == (8**k, 4)
            assert np.isfinite(level).all()
    assert np.isfinite(body.extremes).all() and len(body.extremes) >= 1
    assert tree_contains(body.cover, body.extremes).all()


@pytest.mark.parametrize("which", range(NUM_PRIMITIVES))
def test_primitives_are_covered_and_their_inner_balls_inside(which, rng):
    shapes = primitives(rng)
    assert len(shapes) == NUM_PRIMITIVES
    shape = shapes[which]
    body = built([shape])
    check_body(body)
    assert tree_contains(body.cover, on_surface(shape, rng)).all()
    leaves = leaves_of(body.inner)
    assert (depth_in_primitive(shape, leaves[:, :3]) - leaves[:, 3] >= -1e-9).all()
    assert body.exact == isinstance(shape, Sphere)


@pytest.mark.parametrize("which", range(NUM_PRIMITIVES))
def test_insides_of_primitives_are_covered(which, rng):
    shape = primitives(rng)[which]
    cover = built([shape]).cover
    points = on_surface(shape, rng) - shape.pose[:3, 3]
    points = points * rng.random((len(points), 1)) ** (1 / 3) + shape.pose[:3, 3]
    assert tree_contains(cover, points).all()


@pytest.mark.parametrize("which", range(NUM_MESHES))
def test_meshes_are_covered_and_their_inner_balls_inside(which, rng):
    shapes = meshes(rng)
    assert len(shapes) == NUM_MESHES
    mesh = shapes[which]
    triangles = triangles_of(mesh)
    body = built([mesh])
    check_body(body)
    assert tree_contains(body.cover, on_triangles(triangles, rng, 8)).all()
    leaves = leaves_of(body.inner)
    balls, points = leaves[leaves[:, 3] > 0.0], leaves[leaves[:, 3] == 0.0]
    assert len(points) >= 300
    assert (np.abs(depth_in_mesh(points[:50, :3], triangles)) < 1e-9).all()
    assert (depth_in_mesh(balls[:, :3], triangles) - balls[:, 3] >= -1e-9).all()
    assert not body.exact


def test_insides_of_meshes_are_covered_up_to_a_few_millimetres(rng):
    for mesh in meshes(rng):
        triangles = triangles_of(mesh)
        cover = built([mesh]).cover
        low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
        points = rng.uniform(low, high, (600, 3))
        depth = depth_in_mesh(points, triangles)
        assert tree_contains(cover, points[depth > 0.003]).all()


def mean_excess(leaves, shape, rng):
    """Return how far leaves reach beyond a primitive, on average."""
    directions = rng.normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    ends = leaves[:, None, :3] + leaves[:, None, 3:] * directions
    outside = -depth_in_primitive(shape, ends.reshape(-1, 3)).reshape(len(leaves), -1)
    return outside.max(axis=1).mean()


def test_covers_stand_out_little_and_inner_balls_reach_deep(rng):
    cylinder = Cylinder(0.06, 0.3)
    body = built([cylinder])
    assert mean_excess(leaves_of(body.cover), cylinder, rng) < 0.004
    assert leaves_of(body.inner)[:, 3].max() > 0.055


def test_several_shapes_make_one_body(rng):
    shapes = [Box([0.1, 0.1, 0.4], pose=placed(rng)), *meshes(rng)[:2], Sphere(0.05)]
    body = built(shapes)
    check_body(body)
    for shape in shapes:
        assert tree_contains(body.cover, on_surface(shape, rng)).all()
    leaves = leaves_of(body.inner)[::3]
    assert (leaves[:, 3] > 0.0).sum() > 10
    depths = np.max(
        [
            depth_in_mesh(leaves[:, :3], triangles_of(shape))
            if isinstance(shape, Mesh)
            else depth_in_primitive(shape, leaves[:, :3])
            for shape in shapes
        ],
        axis=0,
    )
    assert (depths - leaves[:, 3] >= -1e-9).all()


@pytest.mark.parametrize("count", [1, 2, 8, 9, 70])
def test_spheres_are_their_own_bodies(count, rng):
    poses = [placed(rng) for _ in range(count)]
    radii = rng.uniform(0.01, 0.1, count)
    body = built([Sphere(r, pose=pose) for r, pose in zip(radii, poses, strict=True)])
    assert body.exact
    found = {tuple(leaf) for leaf in leaves_of(body.cover)}
    assert found == {(*pose[:3, 3], r) for r, pose in zip(radii, poses, strict=True)}
    for parents, children in zip(levels_of(body.cover), levels_of(body.cover)[1:], strict=False):
        groups = children.reshape(-1, 8, 4)
        apart = np.linalg.norm(groups[..., :3] - parents[:, None, :3], axis=-1) + groups[..., 3]
        assert (apart[groups[..., 3] > 0.0] <= np.repeat(parents[:, 3], 8).reshape(-1, 8)[
            groups[..., 3] > 0.0]).all()  # fmt: skip


DEGENERATE = {
    "one triangle": ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
    "a point": ([[1, 2, 3]], [[0, 0, 0]]),
    "a line": ([[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 1, 2], [0, 0, 1]]),
    "a sliver": ([[0, 0, 0], [3, 0, 0], [1, 1e-9, 0]], [[0, 1, 2]]),
    "two sides of a plate": ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 1]]),
    "an unused vertex far away": (
        [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [99, 99, 99]],
        [[0, 1, 2]],
    ),
    "tiny": ([[0, 0, 0], [1e-7, 0, 0], [0, 1e-7, 0]], [[0, 1, 2]]),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_meshes_have_bodies(name, rng):
    vertices, faces = DEGENERATE[name]
    mesh = Mesh(np.array(vertices, float), np.array(faces))
    body = built([mesh])
    check_body(body)
    assert tree_contains(body.cover, on_triangles(mesh.triangles, rng, 500)).all()
    assert (leaves_of(body.inner)[:, 3] == 0.0).all()


def test_a_mesh_with_a_hole_has_no_inside(rng):
    made = trimesh.creation.icosphere(3, 0.1)
    body = built([Mesh(made.vertices, made.faces[1:])])
    check_body(body)
    assert (leaves_of(body.inner)[:, 3] == 0.0).all()
    assert tree_contains(body.cover, on_triangles(made.triangles[1:], rng, 4)).all()


def test_meshes_with_open_seams_are_covered_as_tightly_as_closed_ones(rng):
    made = trimesh.creation.cylinder(0.05, 0.3, sections=48)
    # Each triangle drawn in a little, so that no two of them share an edge.
    middles = made.triangles.mean(axis=1, keepdims=True)
    triangles = middles + 0.98 * (made.triangles - middles)
    seams = Mesh(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    cover = built([seams]).cover
    assert tree_contains(cover, on_triangles(triangles, rng, 20)).all()
    assert mean_excess(leaves_of(cover), Cylinder(0.05, 0.3), rng) < 0.004


@settings(max_examples=8, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.tuples(*[st.floats(-1.0, 1.0, width=32)] * 3)] * 3), min_size=1, max_size=6
    )
)
def test_any_soup_of_triangles_is_covered(soup):
    triangles = np.array(soup, float)
    mesh = Mesh(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    (body,) = built_bodies([[mesh]])
    check_body(body)
    rng = np.random.default_rng(0)
    assert tree_contains(body.cover, on_triangles(mesh.triangles, rng, 40)).all()


def test_nothing_has_no_body():
    with pytest.raises(InvalidArgumentError, match="at least one shape"):
        stored_bodies([[Sphere(0.1)], []])


def test_bodies_are_the_same_whatever_they_are_built_with(rng):
    """On any number of threads, and in any order."""
    things = [[shape] for shape in (*primitives(rng), *meshes(rng))]
    together = built_bodies(things)
    for k in (0, 3, len(things) - 1):
        (alone,) = built_bodies([things[k]])
        for one, other in ((alone.cover, together[k].cover), (alone.inner, together[k].inner)):
            assert (one.packed == other.packed).all()
        assert (alone.extremes == together[k].extremes).all()
