"""Collision meshes: found in the folders that were named and nowhere else, read without trust."""

import os

import numpy as np
import pytest
import trimesh

from generative_ik_ros.collision import mesh_reading
from generative_ik_ros.collision.mesh_files import MeshFolders, find_all
from generative_ik_ros.collision.mesh_reading import UnreadableMeshError, read_mesh
from generative_ik_ros.errors import InvalidArgumentError, RobotDescriptionError

BOX = [0.1, 0.2, 0.4]


@pytest.fixture(autouse=True)
def no_ament(monkeypatch):
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


@pytest.fixture
def packages(tmp_path):
    """Lay out a folder with the package `arm`, a file beside it, and a secret outside."""
    (tmp_path / "packages/arm/meshes").mkdir(parents=True)
    for place in ("packages/arm/meshes/link.stl", "secret.stl"):
        trimesh.creation.box(BOX).export(tmp_path / place)
    return tmp_path / "packages"


@pytest.mark.parametrize(
    "uri, folder",
    [
        ("package://arm/meshes/link.stl", ""),
        ("package://arm/meshes/link.stl", "arm"),
        ("package://meshes/link.stl", "arm"),
        ("package://arm/meshes/li%6Ek.stl", ""),
        ("model://arm/meshes/link.stl", ""),
        ("arm/meshes/link.stl", ""),
        ("meshes/link.stl", "arm"),
        ("./meshes/../meshes/link.stl", "arm"),
        ("file://{}/arm/meshes/link.stl", ""),
        ("{}/arm/meshes/link.stl", "arm"),
    ],
)
def test_addresses_are_found_in_the_folders_that_were_named(packages, uri, folder):
    found = MeshFolders([packages / folder]).find(uri.format(packages))
    assert found == (packages / "arm/meshes/link.stl").resolve()


def test_relative_addresses_are_found_beside_the_description(packages):
    folders = MeshFolders([], packages / "arm/robot.urdf")
    assert folders.find("meshes/link.stl") is not None
    assert MeshFolders([]).find("meshes/link.stl") is None


def test_the_package_of_the_description_is_searched(packages):
    (packages / "arm/urdf").mkdir()
    uris = (
        "package://arm/meshes/link.stl",
        "../meshes/link.stl",
        f"file://{packages}/arm/meshes/link.stl",
    )
    folders = MeshFolders([], packages / "arm/urdf/robot.urdf")
    assert not any(map(folders.find, uris)), "its folder alone is no package"
    (packages / "arm/package.xml").write_text("<package/>")
    folders = MeshFolders([], packages / "arm/urdf/robot.urdf")
    assert all(map(folders.find, uris))
    assert folders.find("../../../secret.stl") is None
    assert folders.find("package://arm/../../secret.stl") is None


def test_installed_packages_are_found(packages, tmp_path, monkeypatch):
    (tmp_path / "install/share").mkdir(parents=True)
    # As colcon installs with --symlink-install.
    (tmp_path / "install/share/arm").symlink_to(packages / "arm")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}/nowhere:{tmp_path}/install")
    folders = MeshFolders([])
    assert folders.find("package://arm/meshes/link.stl") is not None
    assert folders.find("package://arm/../../../secret.stl") is None
    assert folders.find("package://../../secret.stl") is None
    assert folders.find("package://arm//../../../secret.stl") is None


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.stl",
        "package://../secret.stl",
        "package://arm/../../secret.stl",
        "package://arm/%2E%2E/%2e%2e/secret.stl",
        "package://arm/meshes/../../../secret.stl",
        "file://{}/secret.stl",
        "file:///{}/packages/../secret.stl",
        "{}/secret.stl",
        "package:/{}/secret.stl",
        "package:////{}/secret.stl",
        "linked.stl",
        "linked_folder/secret.stl",
        "http://localhost/secret.stl",
        "file://elsewhere/{}/packages/arm/meshes/link.stl",
        "arm/meshes/link.stl\0.stl",
        "arm/meshes",
        "",
        "/",
        "package://",
        "package://[/x",
        "a" * 5000,
    ],
)
def test_nothing_outside_is_found(packages, tmp_path, uri):
    (packages / "linked.stl").symlink_to(tmp_path / "secret.stl")
    (packages / "linked_folder").symlink_to(tmp_path)
    (packages / "circle.stl").symlink_to(packages / "circle.stl")
    folders = MeshFolders([packages, packages / "arm"], packages / "robot.urdf")
    assert folders.find(uri.format(tmp_path)) is None
    assert folders.find("circle.stl") is None
    assert folders.find("arm/meshes/link.stl") is not None


def test_everything_missing_is_listed_at_once(packages):
    uris = ["package://arm/a.stl", "package://arm/meshes/link.stl", "b.obj", "b.obj"]
    with pytest.raises(RobotDescriptionError) as raised:
        find_all(uris, MeshFolders([packages]))
    text = str(raised.value)
    assert "2 of 3" in text and "package_dirs=" in text and str(packages) in text
    assert "'package://arm/a.stl', 'b.obj'" in text and "link.stl" not in text
    with pytest.raises(RobotDescriptionError, match="no folder was named"):
        find_all(uris, MeshFolders([]))


@pytest.mark.parametrize("wrong", [["/no/such/folder"], [__file__], 7, [7], ["a\0b"]])
def test_package_dirs_must_be_folders(wrong):
    with pytest.raises(InvalidArgumentError, match="package_dirs"):
        MeshFolders(wrong)


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "dae"])
def test_formats(tmp_path, kind):
    file = tmp_path / f"box.{kind[:3]}"
    trimesh.creation.box(BOX).export(file, file_type=kind)
    mesh = read_mesh(file)
    assert np.allclose(np.ptp(mesh.vertices, axis=0), BOX)
    assert np.isclose(volume(mesh), np.prod(BOX))


@pytest.mark.parametrize("scale", [(1, 2, 3), (-1, 1, 1), (-1, -2, -3), (0.001, -0.001, 0.001)])
def test_scale_keeps_the_inside_inside(tmp_path, scale):
    trimesh.creation.box(BOX).export(tmp_path / "box.stl")
    mesh = read_mesh(tmp_path / "box.stl", scale)
    assert np.allclose(np.ptp(mesh.vertices, axis=0), np.abs(scale) * BOX, rtol=1e-6)
    assert np.isclose(volume(mesh), np.abs(np.prod(scale)) * np.prod(BOX), rtol=1e-5)


def test_objects_of_a_file_are_one_mesh_and_materials_stay_closed(tmp_path):
    os.mkfifo(tmp_path / "m.mtl")  # would block whoever opens it
    (tmp_path / "two.obj").write_text(
        "mtllib m.mtl\no one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n"
        "o two\nv 0 0 5\nv 1 0 5\nv 1 1 5\nv 0 1 5\nusemtl blue\nf 4 5 6 7\n"
    )
    mesh = read_mesh(tmp_path / "two.obj")
    assert len(mesh.faces) == 3
    assert mesh.vertices.max() == 5.0


COLLADA = """<?xml version="1.0"?>{head}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}" name="u"/><up_axis>Y_UP</up_axis></asset>
<library_images><image id="i"><init_from>texture.png</init_from></image></library_images>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 10</translate>
<node><scale>2 2 2</scale><instance_geometry url="#g"/></node>
<node><translate>5 0 0</translate><instance_geometry url="#g"/></node></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_collada_has_units_and_a_scene(tmp_path):
    file = tmp_path / "scene.dae"
    file.write_text(COLLADA.format(unit="0.01", head=""))
    mesh = read_mesh(file)
    found = {tuple(point) for point in np.round(mesh.vertices * 100.0, 9).tolist()}
    assert found == {(0, 0, 10), (2, 0, 10), (0, 2, 10), (5, 0, 10), (6, 0, 10), (5, 1, 10)}


@pytest.mark.parametrize(
    "name, data, reason",
    [
        ("a.stl", b"", "0 triangles|no sound STL"),
        ("a.stl", b"solid nothing\nendsolid nothing\n", "0 triangles|no sound STL"),
        ("a.stl", b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 50, "0 triangles|no sound STL"),
        ("a.obj", b"v 0 0 0\n", "0 triangles|no sound OBJ"),
        ("a.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
        ("a.obj", b"v 0 0 1e9\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "above"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "OBJ"),
        ("a.dae", b"PK\x03\x04 archive", "DAE"),
        ("a.dae", COLLADA.format(unit="1", head='<!DOCTYPE x [<!ENTITY y "z">]>').encode(), "DAE"),
        ("a.dae", COLLADA.format(unit="many", head="").encode(), "DAE"),
        ("a.ply", b"ply\n", "sound"),
        ("a.zip", b"PK\x03\x04", "format"),
    ],
)
def test_unsound_files_are_refused(tmp_path, name, data, reason):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableMeshError, match=reason):
        read_mesh(tmp_path / name)


def test_large_files_are_refused_unread(tmp_path):
    with (tmp_path / "large.stl").open("wb") as file:
        file.truncate(mesh_reading.MAX_BYTES + 1)
    with pytest.raises(UnreadableMeshError, match="larger than 200 MiB"):
        read_mesh(tmp_path / "large.stl")


def test_too_many_triangles_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_reading, "MAX_FACES", 11)
    trimesh.creation.box(BOX).export(tmp_path / "box.stl")
    with pytest.raises(UnreadableMeshError, match="12 triangles; from 1 to 11"):
        read_mesh(tmp_path / "box.stl")


def test_a_changed_file_is_read_again(tmp_path):
    file = tmp_path / "box.stl"
    trimesh.creation.box(BOX).export(file)
    first = read_mesh(file)
    assert read_mesh(file) is first
    trimesh.creation.icosphere(1, 0.1).export(file)
    assert len(read_mesh(file).faces) == 80
    file.unlink()
    with pytest.raises(UnreadableMeshError, match="No such file"):
        read_mesh(file)


def volume(mesh):
    a, b, c = (mesh.triangles[:, k] for k in range(3))
    return float(np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0)
