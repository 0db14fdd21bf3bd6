"""Octomaps of messages: which cells are occupied, by the library OctoMap and by hand."""

import shutil
import subprocess
import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from octrees import message, octree

from generative_ik_ros.collision import octomap
from generative_ik_ros.collision.octomap import MAX_CELLS, MAX_NODES, octomap_cloud
from generative_ik_ros.errors import InvalidArgumentError

pytestmark = pytest.mark.slow

MIDDLE = 2**15
HERE = Path(__file__).parent
_PREFIXES = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix"), Path("/usr")


def cells_of(cloud, resolution):
    """The cells that the points of a cloud are the middles of, as a set."""
    places = cloud.points / resolution + MIDDLE - 0.5
    assert np.allclose(places, places.round(), atol=1e-6)
    return set(map(tuple, places.round().astype(int).tolist()))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with a tree that the library has written, and its occupied leaves (N, 4)."""
    compiler = shutil.which("c++") or shutil.which("g++")
    prefix = next((p for p in _PREFIXES if (p / "include/octomap/octomap.h").exists()), None)
    if compiler is None or prefix is None:
        pytest.skip("a C++ compiler or OctoMap is not installed: pip install cmeel-octomap")
    folder = tmp_path_factory.mktemp("octomap")
    library = f"{prefix}/lib"
    command = [compiler, "-O1", "-w", f"-I{prefix}/include", str(HERE / "octomap_writer.cpp")]
    command += ["-o", str(folder / "write"), f"-L{library}", f"-Wl,-rpath,{library}"]
    subprocess.run([*command, "-loctomap", "-loctomath"], check=True, timeout=200)
    subprocess.run([folder / "write", folder], check=True, timeout=60)
    return folder, np.loadtxt(folder / "leaves")


@pytest.mark.parametrize("form", ["binary", "full"])
def test_the_library_finds_the_same_cells_occupied(written, form):
    folder, leaves = written
    binary = form == "binary"
    cloud = octomap_cloud(message((folder / form).read_bytes(), 0.05, binary))
    expected = set()
    for *middle, size in leaves.tolist():
        edge = round(size / 0.05)
        low = np.round((np.array(middle) - size / 2.0) / 0.05).astype(int) + MIDDLE
        expected |= {tuple(low + offset) for offset in np.ndindex(edge, edge, edge)}
    # Some leaves must be larger than a cell, or pruned trees are not tried.
    assert leaves[:, 3].max() > 0.35 and len(expected) > 5000
    assert cells_of(cloud, 0.05) == expected
    assert np.isclose(cloud.radius, 0.05 * np.sqrt(0.75), rtol=1e-6)


CELLS = st.sets(st.tuples(*[st.integers(0, 2**16 - 1)] * 3), max_size=12)


@settings(max_examples=100, deadline=None)
@given(CELLS, CELLS, st.booleans())
def test_any_cells_are_found_again(occupied, free, binary):
    if not (occupied or free):
        return
    cloud = octomap_cloud(octree(occupied, 0.1, free - occupied, binary))
    assert (set() if cloud is None else cells_of(cloud, 0.1)) == occupied


def test_what_follows_the_tree_does_not_count():
    tree = octree({(1, 2, 3)}, 0.1)
    tree.data = np.append(tree.data, np.full(7, 85, np.int8))
    assert cells_of(octomap_cloud(tree), 0.1) == {(1, 2, 3)}


def test_a_tree_without_occupied_cells_has_no_cloud():
    assert octomap_cloud(octree((), 0.1, {(1, 2, 3)})) is None
    # A root without children, as the library writes it.
    assert octomap_cloud(message(bytes(2), 0.1, True)) is None


def test_a_root_that_is_all_occupied_is_everywhere():
    whole = octomap_cloud(message(bytes(5), 1e-3, False))
    low, high = whole.points.min(axis=0) - whole.radius, whole.points.max(axis=0) + whole.radius
    assert len(whole.points) <= MAX_CELLS and (low <= -32.7).all() and (high >= 32.7).all()
    # NaN is in doubt, and counts as occupied.
    assert octomap_cloud(message(np.float32("nan").tobytes() + b"\0", 1e-3, False)) is not None


def test_of_too_many_cells_larger_ones_are_taken_that_cover_all(monkeypatch):
    monkeypatch.setattr(octomap, "MAX_CELLS", 60)
    cells = {tuple(np.array(one) + MIDDLE) for one in np.ndindex(9, 9, 9)}
    cloud = octomap_cloud(octree(cells, 0.1))
    assert 0 < len(cloud.points) <= 60
    middles = (np.array(sorted(cells)) - MIDDLE + 0.5) * 0.1
    gaps = np.linalg.norm(middles[:, None] - cloud.points, axis=-1).min(axis=1)
    assert gaps.max() + 0.1 * np.sqrt(0.75) <= cloud.radius + 1e-9


DEEP = b"\x03\0" * 17 + b"\x02\0"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": "ColorOcTree"}, "its type is 'ColorOcTree', not OcTree"),
        ({"resolution": 0.0}, "its resolution is 0.0"),
        ({"resolution": float("nan")}, "its resolution is nan"),
        ({"resolution": 100.0}, "millimetres"),
        ({"data": np.frombuffer(b"\xff\xff", np.int8)}, "end before its tree"),
        ({"data": [0]}, "end before its tree"),
        ({"data": [3, 0] * 40}, "end before its tree"),
        ({"data": np.frombuffer(DEEP, np.int8)}, "more than 16 levels"),
        ({"data": [1, 200]}, "whole numbers from -128 to 127"),
        ({"data": [1.5, 2.0]}, "whole numbers from -128 to 127"),
        ({"data": np.zeros(2 * MAX_NODES + 1, np.int8)}, "too many"),
    ],
)
def test_what_is_no_octomap_is_refused(change, reason):
    tree = octree({(0, 0, 0)}, 0.1)
    tree.__dict__.update(change)
    with pytest.raises(InvalidArgumentError, match=reason):
        octomap_cloud(tree)


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=1, max_size=400), st.booleans())
def test_any_bytes_are_an_octomap_or_an_error(data, binary):
    try:
        cloud = octomap_cloud(message(data, 0.1, binary))
    except InvalidArgumentError as error:
        assert str(error)
    else:
        assert cloud is None or 0 < len(cloud.points) <= MAX_CELLS


def test_the_largest_trees_take_bounded_time():
    # In the lowest nodes every child is occupied, or one is.
    for lowest, levels in ((b"\xaa\xaa", 7), (b"\x02\0", 6)):
        data = lowest
        for _ in range(levels):
            data = b"\xff\xff" + 8 * data
        assert MAX_NODES / 8 < len(data) < 2 * MAX_NODES
        begin = time.process_time()
        if levels == 6:
            assert len(octomap_cloud(message(data, 0.1, True)).points) <= MAX_CELLS
        else:
            with pytest.raises(InvalidArgumentError, match="leaves are too many"):
                octomap_cloud(message(data, 0.1, True))
        assert time.process_time() - begin < 20.0
