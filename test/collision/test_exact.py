"""Exact checks against answers by hand, and against points sampled in both bodies."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation
from solid_checks import built, leaves_of

pytest.importorskip("coal", reason="coal is not installed: pip install '.[collision]'")

from generative_ik_ros._core import mesh_parts, winds_around
from generative_ik_ros.collision.coal_shapes import Solids
from generative_ik_ros.collision.exact import ExactChecker, primitive_distance
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from generative_ik_ros.errors import GenerativeIKWarning

pytestmark = pytest.mark.slow

HERE = np.eye(4)
CUBE = trimesh.creation.box(extents=(1.0, 1.0, 1.0))
BALL = trimesh.creation.icosphere(subdivisions=3, radius=0.5)


def mesh(source, scale=1.0, **options):
    return Mesh(source.vertices * scale, source.faces, **options)


def at(x=0.0, y=0.0, z=0.0, turn=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec(turn).as_matrix()
    pose[:3, 3] = x, y, z
    return pose


# Each reaches 0.5 along x, on both sides.
UNIT = {
    "box": Box((1.0, 0.8, 0.6)),
    "sphere": Sphere(0.5),
    "cylinder": Cylinder(0.5, 0.7),
    "capsule": Capsule(0.5, 0.3),
    "cube": mesh(CUBE),
    "lying cylinder": Cylinder(0.2, 1.0, pose=at(turn=(0, np.pi / 2, 0))),
    "lying capsule": Capsule(0.2, 0.6, pose=at(turn=(0, np.pi / 2, 0))),
}


def inside(triangles, points):
    return winds_around(np.ascontiguousarray(triangles), np.ascontiguousarray(points))


@pytest.fixture(scope="module")
def checker():
    return ExactChecker()


@pytest.mark.parametrize("first", UNIT)
@pytest.mark.parametrize("second", UNIT)
def test_gaps_and_margins(checker, first, second):
    a, b = [UNIT[first]], [UNIT[second]]
    common = at(1.0, -2.0, 0.5, (0.3, 0.7, -0.2))
    for gap in (0.001, 0.02, 0.3):
        pose = common @ at(1.0 + gap)
        assert not checker.collide(a, common, b, pose)
        for margin in (0.0005, 0.0015, 0.015, 0.025, 0.29, 0.31):
            assert checker.collide(a, common, b, pose, margin) == (gap < margin)
    for depth in (1e-5, 0.001, 0.1, 0.9):
        assert checker.collide(a, common, b, common @ at(1.0 - depth))


@pytest.mark.parametrize("first", UNIT)
@pytest.mark.parametrize("second", UNIT)
def test_one_in_the_other(checker, first, second):
    """Surfaces that do not touch: only the inside is in common."""
    shape = UNIT[first]
    small = {
        "box": Box((0.02, 0.02, 0.02)),
        "sphere": Sphere(0.01),
        "cylinder": Cylinder(0.01, 0.02),
        "capsule": Capsule(0.01, 0.02),
        "cube": mesh(CUBE, 0.02),
    }.get(second, Sphere(0.01))
    for pose in (HERE, at(0.02, 0.03, -0.04, (1.0, 0.3, 0.2))):
        assert checker.collide([shape], HERE, [small], pose)
        assert checker.collide([small], pose, [shape], HERE)
    assert not checker.collide([shape], HERE, [small], at(0.6, 0.6, 0.6))


def test_turned_boxes(checker):
    """An edge against a face: half the diagonal, and half the length."""
    a, b = [Box((1.0, 1.0, 1.0))], [Box((2.0, 2.0, 2.0))]
    reach = np.sqrt(0.5) + 1.0
    for shapes in (a, [mesh(CUBE)]):
        for gap in (-0.001, 0.001):
            turned = at(reach + gap, turn=(0.0, 0.0, np.pi / 4))
            assert checker.collide(b, HERE, shapes, turned) == (gap < 0.0)
    # Corner against corner, along the diagonal.
    corner = at(0.0)
    corner[:3, 3] = 1.5 + 0.01 / np.sqrt(3.0)
    for margin in (0.0099, 0.0101):
        assert checker.collide(a, HERE, b, corner, margin) == (margin > 0.01)


def test_meshes_are_not_made_convex(checker):
    """A cup: walls and a floor, with a ball in its hollow."""
    wall = [((0.1, 1.0, 1.0), (s * 0.45, 0.0, 0.0)) for s in (-1, 1)]
    wall += [((0.8, 0.1, 1.0), (0.0, s * 0.45, 0.0)) for s in (-1, 1)]
    wall += [((0.8, 0.8, 0.1), (0.0, 0.0, -0.45))]
    parts = [
        trimesh.creation.box(extents=size, transform=trimesh.transformations.translation_matrix(p))
        for size, p in wall
    ]
    cup = [mesh(trimesh.util.concatenate(parts))]
    for shapes in ([Sphere(0.3)], [mesh(BALL, 0.6)], [Box((0.5, 0.5, 0.5))]):
        assert not checker.collide(cup, HERE, shapes, at(0.0, 0.0, 0.05))
        assert checker.collide(cup, HERE, shapes, at(0.2, 0.0, 0.05))
    points = np.random.default_rng(0).uniform(-0.35, 0.35, (500, 3))
    assert not checker.collide_points(cup, HERE, points, 0.01)
    assert checker.collide_points(cup, HERE, points, 0.06)
    # Within a wall, beside all of its faces.
    assert checker.collide(cup, HERE, [Sphere(0.01)], at(0.45))
    assert checker.collide_points(cup, HERE, np.array([[0.45, 0.0, 0.0]]), 0.01)


def test_a_room_is_empty_inside(checker):
    inner = CUBE.copy()
    inner.apply_scale(0.8)
    inner.invert()
    room = [mesh(trimesh.util.concatenate([CUBE, inner]))]
    assert not checker.collide(room, HERE, [Sphere(0.3)], HERE)
    assert checker.collide(room, HERE, [Sphere(0.01)], at(0.45))
    assert not checker.collide_points(room, HERE, np.zeros((1, 3)), 0.3)


def test_an_open_mesh_has_no_inside(checker):
    lid_off = [Mesh(CUBE.vertices, CUBE.faces[2:])]
    assert not checker.collide(lid_off, HERE, [Sphere(0.1)], HERE)
    assert checker.collide(lid_off, HERE, [Sphere(0.501)], HERE)


def test_every_part_of_a_mesh_counts(checker):
    """Two balls in one mesh, of which only the second lies in the box."""
    far, near = BALL.copy(), BALL.copy()
    far.apply_translation((5.0, 0.0, 0.0))
    both = mesh(trimesh.util.concatenate([far, near]), 0.1)
    for around in (Box((1.0, 1.0, 1.0)), mesh(CUBE)):
        assert checker.collide([around], at(0.1), [both], HERE)
        assert checker.collide([both], HERE, [around], at(0.1))
        assert not checker.collide([around], at(0.0, 3.0), [both], HERE)


def test_several_shapes(checker):
    pair = [Sphere(0.1, pose=at(-1.0)), Box((0.2, 0.2, 0.2), pose=at(1.0))]
    assert checker.collide([Sphere(0.1)], at(-0.9), pair, HERE)
    assert not checker.collide([Sphere(0.1)], HERE, pair, HERE)
    assert not checker.collide(pair, HERE, [], HERE) and not checker.collide([], HERE, pair, HERE)


@pytest.mark.parametrize("seed", range(3))
def test_random_poses_agree_with_samples(checker, seed):
    """Where a point of the one lies in the other they collide, and else not far from any."""
    random = np.random.default_rng(seed)
    shapes = [*UNIT.values(), mesh(BALL)]
    within = random.uniform(-0.5, 0.5, (4000, 3))
    for _ in range(60):
        a, b = (shapes[k] for k in random.integers(len(shapes), size=2))
        if isinstance(b, Mesh):
            a, b = b, a
        if isinstance(b, Mesh):
            continue
        pose = at(*random.uniform(-0.9, 0.9, 3), random.normal(size=3))
        local = np.linalg.inv(pose @ b.pose) @ np.c_[within, np.ones(len(within))].T
        depths = primitive_distance(b, local[:3].T)
        box = [UNIT["cube"]]
        hit = checker.collide(box, HERE, [b], pose)
        assert hit == checker.collide([b], pose, box, HERE)
        assert hit or depths.min() > 0.0
        # Samples are dense: the nearest is at most so far from the nearest point.
        assert checker.collide(box, HERE, [b], pose, max(depths.min(), 0.0) + 1e-6)
        assert not checker.collide(box, HERE, [b], pose, max(depths.min() - 0.15, 0.0)) or hit
        assert hit == checker.collide([Box((1.0, 1.0, 1.0))], HERE, [b], pose)
        assert not checker.collide([a], HERE, [b], pose) or checker.collide(
            [a], HERE, [b], pose, 0.05
        )


@pytest.mark.parametrize("name", UNIT)
def test_points(checker, name):
    shape = UNIT[name]
    pose = at(0.2, -0.1, 0.4, (0.5, 0.1, 0.9))
    points = np.random.default_rng(2).uniform(-1.0, 1.0, (400, 3))
    balls = [[Sphere(0.03)], 0.03]
    expected = [checker.collide([shape], pose, balls[0], at(*point)) for point in points]
    found = [checker.collide_points([shape], pose, point[None], 0.03) for point in points]
    assert found == expected
    assert 1 < sum(found) < 399
    free = points[~np.array(expected)]
    assert not checker.collide_points([shape], pose, free, 0.03)
    assert checker.collide_points([shape], pose, points, 0.03)
    assert checker.collide_points([shape], pose, free, 0.03, 0.1)
    assert not checker.collide_points([shape], pose, np.empty((0, 3)), 0.03)


def test_distances_of_points():
    """Against the nearest of many points of the surface."""
    random = np.random.default_rng(3)
    points = random.uniform(-1.0, 1.0, (300, 3))
    made = {
        "box": trimesh.creation.box(extents=(1.0, 0.8, 0.6)),
        "cylinder": trimesh.creation.cylinder(radius=0.5, height=0.7, sections=256),
        "capsule": trimesh.creation.capsule(radius=0.5, height=0.3, count=[128, 128]),
    }
    for name, surface in made.items():
        samples, _ = trimesh.sample.sample_surface(surface, 60_000, seed=1)
        nearest = np.array([np.linalg.norm(samples - point, axis=1).min() for point in points])
        distance = primitive_distance(UNIT[name], points)
        assert np.abs(np.abs(distance) - nearest).max() < 0.02
        assert ((distance < 0.0) == inside(surface.triangles, points))[
            np.abs(distance) > 0.02
        ].all()


@pytest.mark.parametrize("name", ["box", "sphere", "capsule", "cylinder", "cube"])
@pytest.mark.parametrize("ground", [Box((20.0, 20.0, 0.5)), Cylinder(5.0, 0.5), mesh(CUBE, 0.5)])
def test_standing_on_the_ground(checker, name, ground):
    """Faces that are parallel, and triangles that are large: gaps of 20 micrometres count."""
    shape = UNIT[name]
    half = {"box": 0.3, "sphere": 0.5, "capsule": 0.65, "cylinder": 0.35, "cube": 0.5}[name]
    for shift in (0.0, 0.013):
        for gap in (-0.1, -1e-3, -2e-5, 2e-5, 1e-3):
            pose = at(shift, -2.0 * shift, 0.25 + half + gap)
            for margin in (0.0, 5e-5):
                expected = gap < margin
                assert checker.collide([ground], HERE, [shape], pose, margin) == expected
                assert checker.collide([shape], pose, [ground], HERE, margin) == expected


def faulty_cubes():
    """Return vertices and faces of closed boxes of 1 m, with faces flipped or degenerate."""
    vertices, faces = np.array(CUBE.vertices), np.array(CUBE.faces)
    every_other = np.where(np.arange(12)[:, None] % 2, faces, faces[:, ::-1])
    a, b, c = faces[0]
    split = np.r_[vertices, [(vertices[a] + vertices[b]) / 2.0]]
    soup = vertices[every_other].reshape(-1, 3)
    return {
        "every other face flipped": (vertices, every_other),
        "one face flipped": (vertices, np.r_[faces[:1, ::-1], faces[1:]]),
        "no vertices shared": (soup, np.arange(36).reshape(-1, 3)),
        "two equal corners": (np.r_[vertices, vertices[:1]], np.r_[faces, [[0, 0, 1], [0, 8, 0]]]),
        "a face without area on an edge": (split, np.r_[faces, [[a, 8, b]]]),
        "one that closes a gap": (split, np.r_[faces[1:], [[a, 8, c], [8, b, c], [a, b, 8]]]),
    }


@pytest.mark.parametrize("name", faulty_cubes())
def test_faults_of_meshes_do_not_matter(checker, name):
    """A ball within is in collision, and one outside is not, however near to a faulty face."""
    cube = Mesh(*faulty_cubes()[name])
    rng = np.random.default_rng(1)
    for place in rng.uniform(-0.8, 0.8, (200, 3)):
        beyond = np.linalg.norm(np.maximum(np.abs(place) - 0.5, 0.0))
        if abs(beyond - 0.05) > 1e-6:
            hit = checker.collide([cube], HERE, [Sphere(0.05)], at(*place))
            assert hit == (beyond < 0.05), place
    inner = built([cube]).inner
    assert leaves_of(inner)[:, 3].max() > 0.2


def test_a_mesh_without_consistent_winding_is_a_surface():
    """Each edge of a projective plane has two faces, and it has one side only."""
    faces = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 1]]
    faces += [[1, 2, 4], [2, 3, 5], [3, 4, 1], [4, 5, 2], [5, 1, 3]]
    corners = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(GenerativeIKWarning, match="encloses does not count"):
        surface = Mesh(corners, np.array(faces))
    assert not len(mesh_parts(surface.vertices, surface.faces)[1])


def test_several_threads():
    checker = ExactChecker()
    links = [mesh(BALL, 0.2 + 0.01 * k) for k in range(20)]
    box = [Box((0.4, 0.4, 0.4))]
    poses = [at(x, turn=(0.0, 0.0, x)) for x in np.linspace(0.0, 0.6, 40)]

    def work(_):
        return [
            (
                checker.collide([link], HERE, box, pose),
                checker.collide(box, HERE, [link], pose, 0.1),
            )
            for link in links
            for pose in poses
        ]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(before)
    assert all(result == results[0] for result in results)
    assert results[0] == work(0)
    assert {answer for pair in results[0] for answer in pair} == {True, False}


def test_meshes_of_one_file_have_one_surface(tmp_path):
    """Motors of one kind are the same mesh at several places; trees of triangles take long."""
    trimesh.creation.cone(0.1, 0.3, sections=9).export(tmp_path / "motor.stl")
    mesh = '<collision><origin xyz="{} 0 0"/><geometry><mesh filename="motor.stl"/></geometry>'
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="a">'
        + "".join(mesh.format(x) + "</collision>" for x in (0.0, 1.0))
        + '</link><link name="b">'
        + mesh.format(0.4)
        + '</collision></link><joint name="j" type="revolute"><axis xyz="0 0 1"/>'
        '<parent link="a"/><child link="b"/><limit lower="-3" upper="3"/></joint></robot>'
    )
    model = CollisionModel.from_urdf(tmp_path / "arm.urdf")
    shapes = [shape for link in model.links for shape in link.shapes]
    solids = Solids()
    assert len({id(solids.of(shape).geometry) for shape in shapes}) == 1
    assert len(solids) == len(shapes) == 3
    # Where it is placed still counts.
    (near, far), (moving,) = (link.shapes for link in model.links)
    checker, origin = ExactChecker(), np.eye(4)
    shifted = origin.copy()
    shifted[0, 3] = -0.35
    assert checker.collide([near], origin, [moving], shifted)
    assert not checker.collide([far], origin, [moving], shifted)
