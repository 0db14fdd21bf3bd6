"""Scenes by code: every form of an obstacle, changes, and clear errors for bad input."""

import math

import numpy as np
import pytest
import trimesh

from generative_ik_ros import GenerativeIKError, GenerativeIKWarning, Scene, pose_matrix
from generative_ik_ros.collision.obstacles import Obstacle
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

QUARTER = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]
POSE = pose_matrix([1.0, 2.0, 3.0], QUARTER)
CUBE = trimesh.creation.box(extents=(1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        (POSE, POSE),
        (POSE.tolist(), POSE),
        ([1.0, 2.0, 3.0, *QUARTER], POSE),
        ((1, 2, 3, 0, 0, 7, 7), POSE),
        ((1, 2, 3), pose_matrix([1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0])),
        (np.array([1.0, 2.0, 3.0], dtype=np.float32), pose_matrix([1, 2, 3], [0, 0, 0, 1])),
    ],
)
def test_poses_in_every_form(pose, expected):
    (obstacle,) = Scene(boxes=[((1.0, 2.0, 3.0), pose)]).obstacles
    assert np.allclose(obstacle.shape.pose, expected, atol=1e-12)
    assert not obstacle.shape.pose.flags.writeable


def test_a_rounded_rotation_is_made_exact():
    rough = np.round(pose_matrix([0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.9]), 5)
    (obstacle,) = Scene(spheres=[(1.0, rough)]).obstacles
    rotation = obstacle.shape.pose[:3, :3]
    assert np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-14
    assert np.abs(rotation - rough[:3, :3]).max() < 1e-4


def test_primitives_have_their_numbers():
    scene = Scene(
        boxes={"table": ((1, 2, 3), (0, 0, 0))},
        spheres=[(0.5, (0, 0, 1))],
        cylinders=[(0.1, 0.4, (0, 0, 2))],
        capsules=[(0.2, 0.6, (0, 0, 3)), Capsule(0.3, 0.7)],
    )
    found = {one.name: one.shape for one in scene.obstacles}
    assert list(found) == ["table", "sphere_0", "cylinder_0", "capsule_0", "capsule_1"]
    assert isinstance(found["table"], Box) and found["table"].size.tolist() == [1.0, 2.0, 3.0]
    assert isinstance(found["sphere_0"], Sphere) and found["sphere_0"].radius == 0.5
    cylinder, capsule = found["cylinder_0"], found["capsule_0"]
    assert isinstance(cylinder, Cylinder) and (cylinder.radius, cylinder.length) == (0.1, 0.4)
    assert isinstance(capsule, Capsule) and (capsule.radius, capsule.length) == (0.2, 0.6)
    assert [one.shape.pose[2, 3] for one in scene.obstacles] == [0.0, 1.0, 2.0, 3.0, 0.0]
    assert scene.padding == 0.0 and scene.cloud is None and scene.allowed == frozenset()


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "dae"])
def test_mesh_files(tmp_path, ending):
    path = tmp_path / f"cube.{ending}"
    CUBE.export(path)
    for value in (str(path), path, (path, (1.0, 2.0, 3.0))):
        (obstacle,) = Scene(meshes={"cube": value}).obstacles
        assert isinstance(obstacle.shape, Mesh)
        corners = obstacle.shape.triangles.reshape(-1, 3)
        assert np.allclose([corners.min(axis=0), corners.max(axis=0)], [[-0.5] * 3, [0.5] * 3])
        assert obstacle.shape.pose[0, 3] == (1.0 if isinstance(value, tuple) else 0.0)


def test_meshes_by_code():
    mesh = Mesh(CUBE.vertices, CUBE.faces, pose=POSE)
    placed = (CUBE.vertices, CUBE.faces, POSE)
    scene = Scene(meshes=[mesh, CUBE, (CUBE, POSE), placed[:2], placed, (mesh, POSE)])
    shapes = [one.shape for one in scene.obstacles]
    assert shapes[0] is mesh
    assert all(len(shape.faces) == 12 for shape in shapes)
    expected = [POSE, np.eye(4), POSE, np.eye(4), POSE, POSE @ POSE]
    assert np.allclose([shape.pose for shape in shapes], expected)


def test_frames():
    scene = Scene(boxes=[((1, 1, 1), POSE)], points=[[0, 0, 0]], frame="camera")
    assert scene.obstacles[0].frame == "camera"
    assert scene.cloud.frame == "camera"


def test_points_without_a_place_are_left_out():
    points = np.array([[0, 0, 0], [np.nan, 0, 0], [1, 1, np.inf], [-np.inf, np.inf, 0], [1, 2, 3]])
    scene = Scene(points=points, point_radius=0.02)
    assert scene.cloud.points.tolist() == [[0, 0, 0], [1, 2, 3]]
    assert scene.cloud.radius == 0.02
    points[0] = 7.0
    assert scene.cloud.points[0].tolist() == [0, 0, 0]


def test_a_blind_camera_is_warned_of():
    with pytest.warns(GenerativeIKWarning, match="all 2 points"):
        assert Scene(points=np.full((2, 3), np.nan)).cloud is None
    assert Scene(points=np.empty((0, 3))).cloud is None


def test_scenes_never_change():
    scene = Scene(boxes=[((1, 1, 1), (0, 0, 0))])
    with pytest.raises(AttributeError):
        scene.padding = 1.0
    with pytest.raises(ValueError):
        scene.obstacles[0].shape.pose[0, 3] = 1.0


def test_changes_are_new_scenes():
    scene = Scene(
        boxes={"a": ((1, 1, 1), (0, 0, 0)), "b": ((1, 1, 1), (1, 0, 0))},
        points=[[0, 0, 5]],
        padding=0.01,
        allowed=[("a", "gripper"), ("b", "gripper")],
    )
    more = scene.with_obstacle(Obstacle("c", Sphere(1.0), "wrist"))
    assert [one.name for one in more.obstacles] == ["a", "b", "c"]
    less = more.without("a")
    assert [one.name for one in less.obstacles] == ["b", "c"]
    assert less.allowed == {("b", "gripper")}
    moved = less.moved("c", POSE)
    assert np.allclose(moved.obstacles[1].shape.pose, POSE)
    assert moved.obstacles[1].shape.radius == 1.0
    assert moved.obstacles[1].frame == "wrist"
    assert moved.obstacles[0] is less.obstacles[0]
    for one in (more, less, moved):
        assert one.padding == 0.01 and one.cloud is scene.cloud
    assert [one.name for one in scene.obstacles] == ["a", "b"]
    assert scene.with_points(None).cloud is None
    assert len(scene.with_points(np.ones((4, 3))).cloud.points) == 4


def test_the_parts_of_an_object_stay_together():
    parts = [
        Obstacle("shelf[0]", Box((1, 1, 1), pose=POSE)),
        Obstacle("shelf[1]", Box((1, 1, 1), pose=POSE @ pose_matrix([0, 0, 1], [1, 0, 0, 0]))),
        Obstacle("shelf_2", Sphere(1.0)),
    ]
    scene = Scene.of(parts, allowed=[("shelf", "hand")])
    assert scene.allowed == {("shelf[0]", "hand"), ("shelf[1]", "hand")}
    goal = pose_matrix([5, 5, 5], [0.5, 0.5, 0.5, 0.5])
    first, second, other = scene.moved("shelf", goal).obstacles
    assert np.allclose(first.shape.pose, goal)
    assert np.allclose(second.shape.pose, goal @ pose_matrix([0, 0, 1], [1, 0, 0, 0]))
    assert other is parts[2]
    assert [one.name for one in scene.without("shelf").obstacles] == ["shelf_2"]
    assert [one.name for one in scene.without("shelf[1]").obstacles] == ["shelf[0]", "shelf_2"]


def test_unknown_names_list_the_known_ones():
    scene = Scene(boxes={"table": ((1, 1, 1), (0, 0, 0))})
    with pytest.raises(UnknownNameError, match="chair.*choose from: table"):
        scene.without("chair")
    with pytest.raises(UnknownNameError, match="chair"):
        scene.moved("chair", (0, 0, 0))
    with pytest.raises(UnknownNameError, match="chair"):
        Scene(boxes={"table": ((1, 1, 1), (0, 0, 0))}, allowed=[("chair", "hand")])


BAD = [
    ({"boxes": [((1, 1, 1), (0, 0, 0)), ((1, 0, 1), (0, 0, 0))]}, "box_1.*above 0"),
    ({"boxes": {"table": ((1, -1, 1), (0, 0, 0))}}, "table.*above 0"),
    ({"boxes": {"table": ((1, math.nan, 1), (0, 0, 0))}}, "table"),
    ({"boxes": {"table": ((1, 1, 1e9), (0, 0, 0))}}, "table.*at most"),
    ({"boxes": {"table": ((1, 1), (0, 0, 0))}}, r"table must be a Box, or \(size, pose\)"),
    ({"boxes": {"table": ("1 1 1", (0, 0, 0))}}, "table must be"),
    ({"boxes": {"table": (1, 1, 1)}}, "table must be"),
    ({"boxes": {"table": Sphere(1.0)}}, "table must be"),
    ({"boxes": {"table": None}}, "table must be"),
    ({"boxes": {7: ((1, 1, 1), (0, 0, 0))}}, "name must be a string"),
    ({"boxes": {"": ((1, 1, 1), (0, 0, 0))}}, "name must be a string"),
    ({"boxes": Box((1, 1, 1))}, "must be a list"),
    ({"boxes": 3}, "must be a list"),
    ({"boxes": "table"}, "must be a list"),
    ({"boxes": {"t": ((1, 1, 1), (0, 0))}}, r"t: a pose must be \(4, 4\)"),
    ({"boxes": {"t": ((1, 1, 1), "here")}}, "t: a pose must be"),
    ({"boxes": {"t": ((1, 1, 1), [[1], [1, 2]])}}, "t: a pose must be"),
    ({"boxes": {"t": ((1, 1, 1), (0, 0, math.inf))}}, "t: the pose has a number"),
    ({"boxes": {"t": ((1, 1, 1), (0, 0, 1e7))}}, "t: the pose has a number"),
    ({"boxes": {"t": ((1, 1, 1), (0, 0, 0, 0, 0, 0, 0))}}, "t: the quaternion is zero"),
    ({"boxes": {"t": ((1, 1, 1), 2 * np.eye(4))}}, "t: the pose is no rigid transform"),
    ({"boxes": {"t": ((1, 1, 1), np.diag([1, 1, -1, 1]))}}, "t: the pose is no rigid transform"),
    ({"spheres": {"ball": (0.0, (0, 0, 0))}}, "ball.*above 0"),
    ({"spheres": {"ball": ((1, 2), (0, 0, 0))}}, "ball must be a Sphere"),
    ({"cylinders": {"can": (0.1, (0, 0, 0))}}, r"can must be a Cylinder, or \(radius, length"),
    ({"capsules": {"pill": (0.1, math.inf, (0, 0, 0))}}, "pill"),
    ({"capsules": {"pill": (0.1, "long", (0, 0, 0))}}, "pill must be"),
    ({"meshes": {"m": 3}}, "m must be a Mesh"),
    ({"meshes": {"m": "gone.stl"}}, "m: mesh file 'gone.stl': No such"),
    ({"meshes": {"m": __file__}}, "m: mesh file .*format is none of .*[.]stl"),
    ({"meshes": {"m": (CUBE.vertices, CUBE.faces + 1)}}, "m: .*vertex that does not exist"),
    ({"meshes": {"m": (CUBE.vertices * np.nan, CUBE.faces)}}, "m: .*finite"),
    ({"meshes": {"m": (CUBE.vertices, CUBE.faces * 0.5)}}, "m: .*whole numbers"),
    ({"meshes": {"m": (CUBE, "here")}}, "m: a pose must be"),
    ({"spheres": [(1, (0, 0, 0))], "boxes": {"sphere_0": ((1, 1, 1), (0, 0, 0))}}, "two obstac"),
    ({"points": [[1, 2]]}, r"shape \(P, 3\)"),
    ({"points": [1, 2, 3]}, r"shape \(P, 3\)"),
    ({"points": "cloud"}, "points must be an array"),
    ({"points": [[1e7, 0, 0]]}, "millimetres"),
    ({"points": [[1, 2, 3]], "point_radius": 0.0}, "point_radius must be"),
    ({"points": [[1, 2, 3]], "point_radius": math.nan}, "point_radius must be"),
    ({"points": [[1, 2, 3]], "point_radius": [1, 2]}, "point_radius must be"),
    ({"padding": -0.1}, "padding must be a distance from 0"),
    ({"padding": math.nan}, "padding"),
    ({"padding": "much"}, "padding"),
    ({"padding": True}, "padding"),
    ({"frame": 3}, "frame"),
    ({"frame": ""}, "frame"),
    ({"allowed": ["ab"]}, "allowed must be"),
    ({"allowed": [("a", 3)]}, "allowed must be"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=range(len(BAD)))
def test_misuse_is_named(arguments, message):
    with pytest.raises(GenerativeIKError, match=message) as caught:
        Scene(**arguments)
    assert isinstance(caught.value, ValueError)


def test_too_many_obstacles():
    with pytest.raises(InvalidArgumentError, match="100001 obstacles are too many"):
        Scene(spheres=[(1.0, (0, 0, 0))] * 100_001)


@pytest.mark.parametrize("content", [b"", b"solid nothing", b"\x00" * 90, b"v 1 2\nf 1 2 3\n"])
@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "dae"])
def test_broken_mesh_files(tmp_path, content, ending):
    path = tmp_path / f"broken.{ending}"
    path.write_bytes(content)
    with pytest.raises(InvalidArgumentError, match="part: mesh file .*broken"):
        Scene(meshes={"part": path})
