"""Scenes from files: MoveIt's planning scenes, cuRobo's worlds, errors that name the entry."""

import math

import numpy as np
import pytest
import trimesh
from octrees import octree

from generative_ik_ros import GenerativeIKWarning, Scene, pose_matrix
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from generative_ik_ros.errors import InvalidArgumentError

MOVEIT = """
robot_model_name: arm
name: (noname)+
robot_state:
  multi_dof_joint_state:
    joint_names: [virtual_joint]
    transforms: [{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}]
  attached_collision_objects:
    - link_name: hand
      touch_links: [finger_left, finger_right]
      object:
        id: tool
        header: {frame_id: hand}
        primitives: [{type: 3, dimensions: [0.2, 0.01]}]
        primitive_poses: [{position: [0, 0, 0.1], orientation: [0, 0, 0, 1]}]
allowed_collision_matrix:
  entry_names: [hand, link_1, shelf, table, tool]
  entry_values:
    - {enabled: [false, true, true, false, false]}
    - [true, false, false, false, false]
    - [true, false, false, true, true]
    - [false, false, true, false, false]
    - [false, false, true, false, false]
fixed_frame_transforms:
  - transform: {translation: [0, 0, 0], rotation: [0, 0, 0, 1]}
    child_frame_id: odom
link_padding: [{link_name: hand, padding: 0.0}]
link_scale: [{link_name: hand, scale: 1.0}]
world:
  octomap: {octomap: {data: []}}
  collision_objects:
    - id: table
      header: {frame_id: world}
      operation: 0
      primitives: [{type: box, dimensions: [2.0, 1.0, 0.1]}]
      primitive_poses:
        - position: {x: 0.5, y: 0.0, z: -0.05}
          orientation: {x: 0.0, y: 0.0, z: 0.7071067811865476, w: 0.7071067811865476}
    - id: shelf
      header: {frame_id: odom}
      pose:
        position: [1.0, 2.0, 3.0]
        orientation: [0, 0, 0.7071067811865476, 0.7071067811865476]
      primitives:
        - {type: SPHERE, dimensions: [0.5]}
        - {type: cylinder, dimensions: [0.4, 0.1]}
        - {type: 4, dimensions: [0.6, 0.2]}
      primitive_poses:
        - {position: [1, 0, 0], orientation: [0, 0, 0, 0]}
        - {position: [0, 1, 0], orientation: [0, 0, 0, 1]}
        - {position: [0, 0, 1], orientation: [1, 0, 0, 0]}
    - id: 42
      header: {frame_id: /camera}
      meshes:
        - vertices: [{x: 0, y: 0, z: 0}, {x: 1, y: 0, z: 0}, [0, 1, 0], [0, 0, 1]]
          triangles:
            - {vertex_indices: [0, 2, 1]}
            - [0, 1, 3]
            - [1, 2, 3]
            - [2, 0, 3]
      mesh_poses: [{position: [0, 0, 9]}]
    - id: crate
      meshes: [{resource: "cube.stl", dimensions: [1, 2, 3]}]
"""

CUROBO = """
cuboid:
  table:
    dims: [4.0, 2.0, 0.2] # x, y, z
    pose: [0.0, 0.0, -0.2, 0.7071067811865476, 0, 0, 0.7071067811865476]
    color: [1, 0, 0, 1]
sphere:
  ball: {position: [0.5, 0.1, 0.2], radius: 0.1}
  other: {pose: [0.5, 0.1, 0.3, 1, 0, 0, 0], radius: 0.2}
cylinder:
  can: {radius: 0.1, height: 0.4, pose: [0, 0, 1, 1, 0, 0, 0]}
capsule:
  pill: {radius: 0.1, base: [0, 0, 0.1], tip: [0, 0, 0.5], pose: [0.5, 0, 0, 1, 0, 0, 0]}
  slanted: {radius: 0.1, base: [0, 0, 0], tip: [1, 2, 2]}
  round: {radius: 0.3, base: [1, 1, 1], tip: [1, 1, 1]}
mesh:
  cube: {file_path: cube.stl, pose: [0, 0, 7, 1, 0, 0, 0], scale: [2, 2, 2]}
  flat:
    {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces: [[0, 1, 2]], pose: [0, 0, 0, 1, 0, 0, 0]}
"""


@pytest.fixture
def scene_file(tmp_path):
    trimesh.creation.box(extents=(1.0, 1.0, 1.0)).export(tmp_path / "cube.stl")

    def write(text):
        path = tmp_path / "scene.yaml"
        path.write_text(text)
        return path

    return write


def corners(shape):
    points = shape.triangles.reshape(-1, 3)
    return np.array([points.min(axis=0), points.max(axis=0)])


def test_moveit(scene_file):
    scene = Scene.from_yaml(scene_file(MOVEIT), padding=0.02)
    found = {one.name: one for one in scene.obstacles}
    assert list(found) == ["table", "shelf[0]", "shelf[1]", "shelf[2]", "42", "crate"]
    assert scene.padding == 0.02
    assert [one.frame for one in scene.obstacles] == [None, None, None, None, "camera", None]
    table = found["table"].shape
    assert isinstance(table, Box) and table.size.tolist() == [2.0, 1.0, 0.1]
    quarter = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]
    assert np.allclose(table.pose, pose_matrix([0.5, 0.0, -0.05], quarter))
    base = pose_matrix([1.0, 2.0, 3.0], quarter)
    ball, can, cone = (found[f"shelf[{k}]"].shape for k in range(3))
    assert isinstance(ball, Sphere) and ball.radius == 0.5
    # The object's pose comes first, then that of its part, which is turned with it.
    assert np.allclose(ball.pose[:3, 3], [1.0, 3.0, 3.0])
    assert isinstance(can, Cylinder) and (can.length, can.radius) == (0.4, 0.1)
    assert np.allclose(can.pose[:3, 3], [0.0, 2.0, 3.0])
    assert isinstance(cone, Mesh)
    assert np.allclose(cone.pose, base @ pose_matrix([0, 0, 1], [1, 0, 0, 0]))
    assert isinstance(found["42"].shape, Mesh) and len(found["42"].shape.faces) == 4
    assert found["42"].shape.pose[2, 3] == 9.0
    assert np.allclose(corners(found["crate"].shape), [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]])


def test_what_may_touch(scene_file):
    scene = Scene.from_yaml(scene_file(MOVEIT))
    assert scene.allowed == {(f"shelf[{k}]", "hand") for k in range(3)}


def test_what_is_carried(scene_file):
    (tool,) = Scene.from_yaml(scene_file(MOVEIT)).attached
    assert (tool.name, tool.link, tool.frame) == ("tool", "hand", "hand")
    assert tool.touch_links == {"finger_left", "finger_right"}
    (shape,) = tool.shapes
    assert isinstance(shape, Cylinder) and (shape.length, shape.radius) == (0.2, 0.01)
    assert shape.pose[2, 3] == 0.1


def test_a_cone_is_contained_in_its_mesh():
    from generative_ik_ros.collision.shapes import cone

    mesh = cone(0.2, 0.6, pose=np.eye(4))
    whole = trimesh.Trimesh(mesh.vertices, mesh.faces)
    assert whole.is_watertight and whole.is_winding_consistent
    volume = math.pi * 0.2**2 * 0.6 / 3.0
    assert volume < whole.volume < 1.002 * volume
    angles = np.linspace(0.0, 2.0 * np.pi, 1000)
    rim = np.column_stack([0.2 * np.cos(angles), 0.2 * np.sin(angles), np.full(1000, -0.3)])
    planes = whole.face_normals, whole.triangles[:, 0]
    for points in (rim, [[0.0, 0.0, 0.3]]):
        heights = np.einsum("ti,pti->pt", planes[0], np.asarray(points)[:, None] - planes[1])
        assert heights.max() < 1e-12


def test_curobo(scene_file):
    scene = Scene.from_yaml(scene_file(CUROBO), frame="base_link")
    found = {one.name: one.shape for one in scene.obstacles}
    assert {one.frame for one in scene.obstacles} == {"base_link"}
    table = found["table"]
    assert isinstance(table, Box) and table.size.tolist() == [4.0, 2.0, 0.2]
    # cuRobo's quaternions are w x y z: this is a quarter turn about z.
    quarter = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]
    assert np.allclose(table.pose, pose_matrix([0.0, 0.0, -0.2], quarter))
    assert found["ball"].pose[:3, 3].tolist() == [0.5, 0.1, 0.2]
    assert found["other"].pose[:3, 3].tolist() == [0.5, 0.1, 0.3]
    assert isinstance(found["can"], Cylinder) and found["can"].length == 0.4
    pill = found["pill"]
    assert isinstance(pill, Capsule) and (pill.radius, pill.length) == (0.1, 0.4)
    assert np.allclose(pill.pose[:3, 3], [0.5, 0.0, 0.3])
    slanted = found["slanted"]
    assert slanted.length == 3.0
    ends = slanted.pose @ np.array([[0, 0, -1.5, 1], [0, 0, 1.5, 1]]).T
    assert np.allclose(ends[:3].T, [[0, 0, 0], [1, 2, 2]])
    assert isinstance(found["round"], Sphere)
    assert np.allclose(corners(found["cube"]), [[-1.0] * 3, [1.0] * 3])
    assert found["cube"].pose[2, 3] == 7.0
    assert len(found["flat"].faces) == 1


def test_an_octomap(scene_file):
    """What `ros2 topic echo` prints of one."""
    tree = octree({(2**15, 2**15, 2**15)}, 0.5)
    numbers = tree.data.tolist()
    text = f"""
world:
  octomap:
    header: {{frame_id: FRAME}}
    origin: {{position: {{x: 1.0}}, orientation: {{z: 0.7071067811865476, w: 0.7071067811865476}}}}
    octomap: {{binary: true, id: OcTree, resolution: 0.5, data: {numbers}}}
allowed_collision_matrix:
  entry_names: [<octomap>, link_1]
  entry_values: [[false, true], [true, false]]
"""
    for name, frame in (("world", None), ("base_link", "base_link")):
        scene = Scene.from_yaml(scene_file(text.replace("FRAME", name)))
        assert scene.octomap.frame == frame and not scene.obstacles and scene.cloud is None
        assert np.allclose(scene.octomap.points, [[0.75, 0.25, 0.25]])
        assert scene.allowed == {("<octomap>", "link_1")}
    assert scene.with_points([[0.0, 0.0, 0.0]]).octomap is scene.octomap
    assert repr(scene) == "Scene(0 obstacles, 1 points, padding=0.0)"


def test_an_empty_world(scene_file):
    for text in ("world: {collision_objects: []}", "world:", "cuboid: {}", "cuboid:"):
        assert Scene.from_yaml(scene_file(text)).obstacles == ()


def test_meshes_in_packages(scene_file, tmp_path):
    folder = tmp_path / "packages" / "things" / "meshes"
    folder.mkdir(parents=True)
    (tmp_path / "cube.stl").rename(folder / "cube.stl")
    path = scene_file(
        "mesh: {m: {file_path: 'package://things/meshes/cube.stl', pose: [0, 0, 0, 1, 0, 0, 0]}}"
    )
    (obstacle,) = Scene.from_yaml(path, package_dirs=[tmp_path / "packages"]).obstacles
    assert len(obstacle.shape.faces) == 12


def one(entry):
    return f"world: {{collision_objects: [{{id: thing, {entry}}}]}}"


def primitive(entry, pose="{position: [0, 0, 0], orientation: [0, 0, 0, 1]}"):
    return one(f"primitives: [{entry}], primitive_poses: [{pose}]")


def octomap(entry, data="[2, 0]"):
    return f"world: {{octomap: {{octomap: {{{entry}, data: {data}}}}}}}"


BOX = "{type: box, dimensions: [1, 1, 1]}"
BAD = [
    ("- 1\n- 2", "neither a MoveIt planning scene .* nor a world of cuRobo"),
    ("", "neither"),
    ("boxes: {}", "neither .*its keys are boxes"),
    ("world: 3", "world must be a mapping"),
    ("world: {collision_objects: {a: 1}}", "collision_objects must be a list"),
    ("world: {collision_objects: [3]}", "collision object 0 must be a mapping"),
    ("world: {collision_objects: [{}]}", "collision object 0: id must have a name"),
    (one("operation: 1"), "'thing': its operation is 1"),
    (one("planes: [{coef: [0, 0, 1, 0]}]"), "'thing' has planes, .* use a large box"),
    (one("type: {}"), "'thing' has no shapes"),
    (one(f"primitives: [{BOX}, {BOX}]"), "'thing' has 2 primitives, but 0 primitive_poses"),
    (primitive("{type: pyramid, dimensions: [1]}"), r"primitives\[0\]: its type is 'pyramid'"),
    (primitive("{type: 9, dimensions: [1]}"), r"primitives\[0\]: its type is 9"),
    (primitive("{dimensions: [1]}"), r"primitives\[0\]: its type is None"),
    (primitive("{type: box, dimensions: [1, 2]}"), r"\(x, y, z of a box\) must be 3 numbers"),
    (primitive("{type: box, dimensions: [1, 2, 0]}"), "must be above 0, not 0"),
    (primitive("{type: box, dimensions: [1, 2, .nan]}"), "not finite"),
    (primitive("{type: box, dimensions: [1, 2, true]}"), "must be 3 numbers"),
    (primitive("{type: cylinder, dimensions: [1, 2, 3]}"), "height, radius of a cylinder"),
    (primitive("{type: sphere, dimensions: 1}"), "must be 1 numbers"),
    (primitive(BOX, "[0, 0, 0]"), r"primitives\[0\]: pose must be a mapping"),
    (primitive(BOX, "{position: [0, 0]}"), r"position must be 3 numbers, or a mapping with x"),
    (primitive(BOX, "{position: {x: a}}"), "position must be 3 numbers"),
    (primitive(BOX, "{position: [0, 0, 1e9]}"), "above 10000"),
    (primitive(BOX, "{orientation: [1e-12, 0, 0, 0]}"), "quaternion is zero"),
    (one("meshes: [{vertices: [[0, 0, 0]]}]"), r"meshes\[0\]"),
    (one("meshes: [{vertices: [[0, 0, 0]], triangles: [[0, 0, 1]]}]"), "does not exist"),
    (one("meshes: [{vertices: [[0, 0, 0]], triangles: [[0, 0, 0.5]]}]"), "whole numbers"),
    (one("meshes: [{resource: gone.stl}]"), "'gone.stl' was not found"),
    (one("meshes: [{resource: scene.yaml}]"), "its format is none of"),
    (one("meshes: [{resource: cube.stl, dimensions: [1, 1]}]"), "scale must be 3 numbers"),
    (f"{one(f'primitives: [{BOX}]')[:-2]}, {{id: thing, primitives: [{BOX}]}}]}}", "two obstacle"),
    (octomap("id: OcTree, resolution: 0.1"), "octomap.binary must be true or false, not None"),
    (octomap("id: A, binary: true, resolution: 0.1"), "octomap cannot be read: its type is 'A'"),
    (octomap("id: OcTree, binary: true"), "resolution"),
    (octomap("id: OcTree, binary: true, resolution: 0.1", "[1]"), "end before its tree"),
    (octomap("id: OcTree, binary: true, resolution: 0.1", "[a]"), "whole numbers from -128"),
    (octomap("id: OcTree, binary: true, resolution: 0.1", "[3, [1]]"), "whole numbers from -128"),
    (
        "robot_state: {multi_dof_joint_state: {transforms: [{translation: [1, 0, 0]}]}}",
        r"transforms\[0\] moves the robot",
    ),
    ("world: {}\nallowed_collision_matrix: {entry_names: [a]}", "1 names and 0 rows"),
    (
        "world: {}\nallowed_collision_matrix: {entry_names: [a], entry_values: [[true, true]]}",
        "row of a has 2 values, not 1",
    ),
    ("cuboid: {t: {dims: [1, 1, 1]}}", "cuboid 't': pose .* must be 7 numbers"),
    ("cuboid: {t: {pose: [0, 0, 0, 1, 0, 0, 0]}}", "cuboid 't': dims must be 3 numbers"),
    ("cuboid: {t: {dims: [1, 1, 1], pose: [0, 0, 0, 0, 0, 0, 0]}}", "quaternion is zero"),
    ("cuboid: [1]", "cuboid must be a mapping"),
    ("cuboid: {t: 3}", "cuboid 't' must be a mapping"),
    ("sphere: {s: {radius: -1, position: [0, 0, 0]}}", "sphere 's': radius must be above 0"),
    ("capsule: {c: {radius: 1, base: [0, 0, 0]}}", "capsule 'c': tip must be 3 numbers"),
    ("voxel: {v: {dims: [1, 1, 1]}}", "kind 'voxel' cannot be read"),
    ("cubiod: {t: {dims: [1, 1, 1]}}\nsphere: {}", "kind 'cubiod' cannot be read"),
    ("world: {collision_object: []}", "world has the key 'collision_object'; it must be one of"),
    (one("primitive: []"), "'thing' has the key 'primitive'"),
    (primitive(BOX, "{positoin: [0, 0, 1]}"), "pose has the key 'positoin'"),
    (primitive(BOX, "{position: {X: 1}}"), "position has the key 'X'"),
    (primitive(BOX, "{position: []}"), "position must be 3 numbers"),
    (one("meshes: [{resource: cube.stl, dimensions: [1, 0, 1]}]"), "scale must not be 0"),
    (
        "mesh: {m: {vertices: [[0, 0, 0]], faces: [[0, 0, 0.5]], pose: [0, 0, 0, 1, 0, 0, 0]}}",
        "triangles must be whole numbers",
    ),
    ("mesh: {m: {file_path: 3, pose: [0, 0, 0, 1, 0, 0, 0]}}", "mesh 'm'"),
    ("cuboid: {}\nsphere: {s: {radius: 1e400, position: [0, 0, 0]}}", "not finite"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=range(len(BAD)))
def test_bad_entries_are_named(scene_file, text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        Scene.from_yaml(scene_file(text))


def test_paths_that_are_none(tmp_path):
    with pytest.raises(InvalidArgumentError, match="path must name a file"):
        Scene.from_yaml(3)
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        Scene.from_yaml(tmp_path / "gone.yaml")


def test_padded_links_are_warned_of(scene_file):
    text = "world: {}\nlink_padding: [{link_name: hand, padding: 0.05}]"
    with pytest.warns(GenerativeIKWarning, match="link_padding of the planning scene"):
        Scene.from_yaml(scene_file(text))


def test_listed_meshes_may_have_many_vertices(scene_file):
    rows = [[k % 7, k % 5, k % 3] for k in range(10_100)]
    mesh = f"{{vertices: {rows}, triangles: [[0, 1, 10099]]}}"
    (moveit,) = Scene.from_yaml(scene_file(one(f"meshes: [{mesh}]"))).obstacles
    mesh = mesh.replace("triangles", "pose: [0, 0, 0, 1, 0, 0, 0], faces")
    (curobo,) = Scene.from_yaml(scene_file(f"mesh: {{m: {mesh}}}")).obstacles
    for shape in (moveit.shape, curobo.shape):
        assert shape.faces.tolist() == [[0, 1, 10099]]


def test_a_mesh_file_outside_is_not_opened(scene_file, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    path = scene_file("mesh: {m: {file_path: ../cube.stl, pose: [0, 0, 0, 1, 0, 0, 0]}}")
    path = path.rename(inside / "scene.yaml")
    with pytest.raises(InvalidArgumentError, match="was not found"):
        Scene.from_yaml(path)
