"""Helpers: what lies in a sphere tree or in a solid, by other means than the package's own."""

import numpy as np
import trimesh

from generative_ik_ros.collision.packed_shapes import built_bodies
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from generative_ik_ros.collision.sphere_tree import CHILDREN, EMPTY, ROOT
from generative_ik_ros.collision.stored import digest


def placed(rng):
    """Return a random rigid transform near the origin."""
    pose = trimesh.transformations.random_rotation_matrix(rng.random(3))
    pose[:3, 3] = rng.normal(size=3) * 0.3
    return pose


def primitives(rng):
    return [
        Box([0.3, 0.05, 0.6], pose=placed(rng)),
        Box([1.0, 1.0, 0.002], pose=placed(rng)),
        Sphere(0.08, pose=placed(rng)),
        Cylinder(0.05, 0.4, pose=placed(rng)),
        Cylinder(0.5, 0.01, pose=placed(rng)),
        Capsule(0.06, 0.3, pose=placed(rng)),
        Capsule(0.001, 0.5, pose=placed(rng)),
    ]


def as_mesh(made, pose=None):
    return Mesh(made.vertices, made.faces, pose=np.eye(4) if pose is None else pose)


def meshes(rng):
    """Return closed meshes: round, thin, hollow, bent, in two parts, with split vertices."""
    ring = trimesh.creation.annulus(0.1, 0.15, 0.2)
    balls = [trimesh.creation.icosphere(3, 0.05), trimesh.creation.icosphere(2, 0.1)]
    balls[1].apply_translation([0.3, 0.0, 0.0])
    split = trimesh.creation.cylinder(0.04, 0.3)
    shapes = [
        trimesh.creation.torus(0.2, 0.05),
        trimesh.creation.box([0.2, 0.004, 0.1]),
        ring,
        trimesh.util.concatenate(balls),
    ]
    corners = split.triangles.reshape(-1, 3)
    unmerged = Mesh(corners, np.arange(len(corners)).reshape(-1, 3), pose=placed(rng))
    return [*(as_mesh(shape, placed(rng)) for shape in shapes), unmerged]


def triangles_of(mesh):
    return mesh.triangles @ mesh.pose[:3, :3].T + mesh.pose[:3, 3]


def on_triangles(triangles, rng, each):
    """Return random points on triangles, corners and edges among them."""
    shares = rng.dirichlet((0.5, 0.5, 0.5), size=(len(triangles), each))
    shares[:, 0] = np.eye(3)[rng.integers(3, size=len(triangles))]
    return np.einsum("fnk,fki->fni", shares, triangles).reshape(-1, 3)


def on_surface(shape, rng, count=4000):
    """Return random points on the surface of a primitive or a mesh, exactly."""
    if isinstance(shape, Mesh):
        triangles = triangles_of(shape)
        return on_triangles(triangles, rng, max(count // len(triangles), 2))
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if isinstance(shape, Sphere):
        own = shape.radius * directions
    elif isinstance(shape, Box):
        own = rng.uniform(-1.0, 1.0, (count, 3))
        axis = rng.integers(3, size=count)
        own[np.arange(count), axis] = rng.choice([-1.0, 1.0], count)
        own *= shape.size / 2.0
    elif isinstance(shape, Capsule):
        line = np.zeros((count, 3))
        half = shape.length / 2.0
        line[:, 2] = np.where(rng.random(count) < 0.5, np.sign(directions[:, 2]) * half, 0.0)
        side = line[:, 2] == 0.0
        directions[side, 2] = 0.0
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        line[side, 2] = rng.uniform(-half, half, side.sum())
        own = line + shape.radius * directions
    else:
        assert isinstance(shape, Cylinder)
        angle = rng.uniform(-np.pi, np.pi, count)
        side = rng.random(count) < 0.5
        radius = np.where(side, 1.0, np.sqrt(rng.random(count))) * shape.radius
        half = shape.length / 2.0
        height = np.where(side, rng.uniform(-half, half, count), rng.choice([-half, half], count))
        own = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
    return own @ shape.pose[:3, :3].T + shape.pose[:3, 3]


_built = {}


def built(shapes):
    """The body of shapes, built once for all tests."""
    key = digest(shapes)
    if key not in _built:
        (_built[key],) = built_bodies([shapes])
    return _built[key]


def levels_of(tree):
    """Level l is (8^l, 4): centre and radius; below node k are nodes 8k to 8k + 7."""
    nodes = tree.packed.transpose(0, 2, 1).reshape(-1, 4)
    found, first, size = [], ROOT, 1
    while first < len(nodes):
        found.append(nodes[first : first + size])
        first, size = first + size, size * CHILDREN
    return found


def leaves_of(tree):
    """(L, 4) leaves without the empty ones."""
    last = levels_of(tree)[-1]
    return last[last[:, 3] > EMPTY / 2]


def tree_contains(tree, points):
    """Return which points lie in a leaf all of whose ancestors contain them too."""
    rows, nodes = np.arange(len(points)), np.zeros(len(points), int)
    for depth, level in enumerate(levels_of(tree)):
        if depth:
            rows, nodes = rows.repeat(8), (8 * nodes[:, None] + np.arange(8)).ravel()
        apart = np.linalg.norm(points[rows] - level[nodes, :3], axis=-1)
        near = apart <= level[nodes, 3] + 1e-12
        rows, nodes = rows[near], nodes[near]
    inside = np.zeros(len(points), bool)
    inside[rows] = True
    return inside


def winding(points, triangles):
    """Return the winding numbers of a closed surface, by solid angles."""
    corners = triangles[None] - points[:, None, None]
    lengths = np.linalg.norm(corners, axis=-1)
    a, b, c = (corners[:, :, k] for k in range(3))
    volume = np.einsum("nfi,nfi->nf", a, np.cross(b, c))
    rest = (
        lengths.prod(axis=-1)
        + (a * b).sum(-1) * lengths[..., 2]
        + (b * c).sum(-1) * lengths[..., 0]
        + (c * a).sum(-1) * lengths[..., 1]
    )
    return np.arctan2(volume, rest).sum(axis=1) / (2.0 * np.pi)


def depth_in_mesh(points, triangles):
    """Return exact distances from the surface, below 0 outside."""
    each = max(100_000 // len(triangles), 1)
    nearest = []
    for start in range(0, len(points), each):
        some = points[start : start + each]
        pairs = np.repeat(some, len(triangles), axis=0)
        found = trimesh.triangles.closest_point(np.tile(triangles, (len(some), 1, 1)), pairs)
        gaps = np.linalg.norm(found - pairs, axis=1).reshape(len(some), -1)
        nearest.append(gaps.min(axis=1))
    nearest = np.concatenate(nearest)
    return np.where(np.abs(winding(points, triangles)) > 0.5, nearest, -nearest)


def depth_in_primitive(shape, points):
    own = (points - shape.pose[:3, 3]) @ shape.pose[:3, :3]
    if isinstance(shape, Sphere):
        return shape.radius - np.linalg.norm(own, axis=1)
    if isinstance(shape, Box):
        return (shape.size / 2.0 - np.abs(own)).min(axis=1)
    if isinstance(shape, Cylinder):
        flat = shape.radius - np.linalg.norm(own[:, :2], axis=1)
        return np.minimum(flat, shape.length / 2.0 - np.abs(own[:, 2]))
    nearest = own * (0.0, 0.0, 1.0)
    nearest[:, 2] = np.clip(nearest[:, 2], -shape.length / 2.0, shape.length / 2.0)
    return shape.radius - np.linalg.norm(own - nearest, axis=1)
