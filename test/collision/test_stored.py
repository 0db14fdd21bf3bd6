"""Bodies on disk: the same as new ones, and no fault of a disk or of a file matters."""

import os

import numpy as np
import pytest
from solid_checks import built, levels_of

from generative_ik_ros.collision import cache_files, stored
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from generative_ik_ros.robot.poses import pose_matrix


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """Keep bodies in a folder of the test, and forget those in memory."""
    monkeypatch.setattr(cache_files, "folders", lambda: [tmp_path / "none" / "bodies", tmp_path])
    (tmp_path / "none").write_text("in the way")
    monkeypatch.setattr(stored, "_kept", stored.OrderedDict())
    return tmp_path


def stored_body(shapes, **options):
    (body,) = stored.stored_bodies([shapes], **options)
    return body


def forget():
    stored._kept.clear()


def no_building(things):
    raise AssertionError("built again")


@pytest.mark.slow
def test_files_are_kept_where_compiled_code_is(monkeypatch, tmp_path):
    monkeypatch.setenv("GENERATIVE_IK_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "_kept", stored.OrderedDict())
    stored_body([Box([0.11, 0.12, 0.13])])
    (file,) = tmp_path.rglob("*.npz")
    assert file.name == f"{stored.digest([Box([0.11, 0.12, 0.13])])}.npz"
    monkeypatch.delenv("GENERATIVE_IK_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert list(cache_files.folders())[-1].is_relative_to(tmp_path / "cache")
    assert len(list(cache_files.folders())) == 2


def files(disk):
    return sorted(file for file in os.listdir(disk) if file != "none")


def test_bodies_are_read_back_as_they_were(disk, monkeypatch):
    shape = Box([0.1, 0.2, 0.3])
    first = stored_body([shape])
    assert len(files(disk)) == 1 and files(disk)[0].endswith(".npz")
    monkeypatch.setattr(stored, "built_bodies", no_building)
    assert stored_body([shape]) is first
    forget()
    second = stored_body([Box([0.1, 0.2, 0.3])])
    assert second is not first and not second.exact
    for one, other in ((first.cover, second.cover), (first.inner, second.inner)):
        assert (one.packed == other.packed).all()
    assert (first.extremes == second.extremes).all()


def test_other_shapes_have_other_names():
    pose = np.eye(4)
    pose[0, 3] = 1e-9
    shapes = [
        [Box([0.1, 0.2, 0.3])],
        [Box([0.1, 0.3, 0.2])],
        [Box([0.1, 0.2, 0.3], pose=pose)],
        [Box([0.1, 0.2, 0.3])] * 2,
        [Cylinder(0.1, 0.2)],
        [Capsule(0.1, 0.2)],
    ]
    assert len({stored.digest(one) for one in shapes}) == len(shapes)


@pytest.fixture
def building(monkeypatch):
    """How often each body is built: really so only the first time in all tests of a kind."""
    calls = []

    def build(things):
        calls.extend(map(stored.digest, things))
        return list(map(built, things))

    monkeypatch.setattr(stored, "built_bodies", build)
    return calls


@pytest.mark.parametrize("fault", ["cut off", "empty", "pickled", "shape", "nan", "names"])
def test_damaged_files_are_replaced(disk, building, fault):
    shape = Cylinder(0.1, 0.2)
    first = stored_body([shape])
    file = disk / files(disk)[0]
    arrays = dict(np.load(file))
    if fault == "cut off":
        file.write_bytes(file.read_bytes()[:-500])
    elif fault == "empty":
        file.write_bytes(b"")
    elif fault == "pickled":
        np.savez(file, **{**arrays, "extremes": np.array([{}], object)})
    elif fault == "shape":
        np.savez(file, **{**arrays, "cover": arrays["cover"][:9]})
    elif fault == "nan":
        arrays["cover"][3, 3, 3] = np.nan
        np.savez(file, **arrays)
    else:
        np.savez(file, other=arrays["extremes"])
    forget()
    second = stored_body([shape])
    assert len(building) == 2
    assert (levels_of(second.cover)[-1] == levels_of(first.cover)[-1]).all()
    assert (np.load(file)["cover"] == first.cover.packed).all()


def test_nothing_can_be_written(tmp_path, building, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(cache_files, "folders", lambda: [tmp_path / "file" / "bodies"])
    monkeypatch.setattr(stored, "_kept", stored.OrderedDict())
    assert stored_body([Box([0.1, 0.2, 0.3])]) is stored_body([Box([0.1, 0.2, 0.3])])
    assert len(building) == 1


@pytest.mark.slow
def test_meshes_of_scenes_are_built_once_and_not_kept_on_disk(disk, building):
    """However often they are moved, and whoever makes another one like it."""
    corners = 0.1 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    here = Mesh(corners, faces)
    there = Mesh(corners, faces, pose=pose_matrix([1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 0.0]))
    other = Mesh(1.01 * corners, faces)
    own = stored.at_origin(there)
    assert own is stored.at_origin(here) is stored.at_origin(there)
    assert (own.pose == np.eye(4)).all()
    assert stored.at_origin(other) is not own
    first = stored_body((own,), on_disk=False)
    assert stored_body((stored.at_origin(here),), on_disk=False) is first
    assert len(building) == 1 and not files(disk)


def test_things_are_built_together_and_each_kind_once(disk, building):
    boxes = [[Box([0.1, 0.2, 0.3])], [Box([0.1, 0.2, 0.4])], [Box([0.1, 0.2, 0.3])]]
    first, second, third = stored.stored_bodies(boxes)
    assert first is third is not second
    assert len(building) == 2 and len(files(disk)) == 2
    ball, same, again = stored.stored_bodies([[Sphere(0.1)], [Sphere(0.1)], boxes[1]])
    assert again is second and len(files(disk)) == 2
    assert (ball.cover.packed == same.cover.packed).all()
