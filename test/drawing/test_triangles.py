"""Triangle meshes of shapes, and resolution of mesh URIs."""

import numpy as np
import pytest
import trimesh

from generative_ik_ros.drawing.triangles import find_mesh, mesh, primitive
from generative_ik_ros.robot.elements import Visual


def area_and_volume(surface):
    corners = surface.vertices[surface.faces]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volume = np.einsum("ij,ij->i", corners[:, 0], cross).sum() / 6
    return np.linalg.norm(cross, axis=1).sum() / 2, volume


@pytest.mark.parametrize(
    ("shape", "size", "area", "volume"),
    [
        ("box", (1.0, 2.0, 3.0), 22.0, 6.0),
        ("cylinder", (1.0, 2.0), 6 * np.pi, 2 * np.pi),
        ("sphere", (1.0,), 4 * np.pi, 4 / 3 * np.pi),
    ],
)
def test_surfaces_have_the_area_of_the_shape(shape, size, area, volume):
    surface = primitive(Visual(shape, size, "", np.eye(4), (1, 1, 1, 1)))
    found = area_and_volume(surface)
    # A positive volume: faces are counter-clockwise from outside.
    assert found == (pytest.approx(area, rel=0.06), pytest.approx(volume, rel=0.08))


def test_meshes_are_read_with_their_scale(tmp_path):
    file = tmp_path / "box.stl"
    trimesh.creation.box((1.0, 1.0, 1.0)).export(file)
    surface = mesh(file, (1.0, 2.0, 0.5))
    assert surface is not None
    assert area_and_volume(surface)[1] == pytest.approx(1.0)
    file.write_text("no mesh at all")
    assert mesh(file, (1.0, 1.0, 1.0)) is None


def test_mesh_uris(tmp_path, monkeypatch):
    package = tmp_path / "src" / "my_robot"
    file = package / "meshes" / "a b.stl"
    file.parent.mkdir(parents=True)
    file.write_text("")
    urdf = package / "urdf" / "robot.urdf"
    urdf.parent.mkdir()
    address = "package://my_robot/meshes/a%20b.stl"
    assert find_mesh(address, None, ()) is None
    assert find_mesh(address, None, (tmp_path / "src",)) == file
    assert find_mesh(address, urdf, ()) == file, "in a folder above the URDF"
    assert find_mesh("../meshes/a b.stl", urdf, ()).resolve() == file
    assert find_mesh(f"file://{tmp_path}/src/my_robot/meshes/a%20b.stl", None, ()) == file
    assert find_mesh("https://example.org/a.stl", urdf, ()) is None
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'src'}")
    assert find_mesh(address, None, ()) == file
    share = tmp_path / "install" / "share"
    share.parent.mkdir()
    (tmp_path / "src").rename(share)
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(share.parent))
    assert find_mesh(address, None, ()) == share / "my_robot" / "meshes" / "a b.stl"
