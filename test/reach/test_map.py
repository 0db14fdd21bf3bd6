"""Maps as wholes: computed, saved, loaded, resumed, looked up; and misuse."""

import json
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from made_maps import poses_of

from generative_ik_ros import GenerativeIKError, IKSolver, KinematicTree, ReachabilityMap
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    UnknownNameError,
    UnsupportedChainError,
)
from generative_ik_ros.reach import spec
from generative_ik_ros.reach.chunk import ChunkSolver
from generative_ik_ros.reach.files import ARRAYS, OPTIONAL

COARSE = {"resolution": 0.3, "orientations": (8, 3), "region": [(0, 0, 0), (0.9, 0.9, 0.9)]}


@pytest.fixture(scope="module")
def coarse(panda):
    return ReachabilityMap.compute(panda, **COARSE)


def same(one, other):
    for name in (*ARRAYS, *OPTIONAL):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype and np.array_equal(a, b), name
    assert one.fingerprint == other.fingerprint
    assert np.array_equal(one.resolution, other.resolution, equal_nan=True)


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_arrays_are_of_the_shapes_and_types_that_the_record_promises(coarse):
    size = coarse.reachable.shape
    assert size == (27, 8, 3)
    assert coarse.voxels.shape == coarse.positions.shape == (27, 3)
    assert coarse.orientations.shape == (8, 3, 3, 3) and coarse.directions.shape == (8, 3)
    assert 0.0 < coarse.index.mean() < 1.0
    assert "27 positions, 24 orientations, " in repr(coarse) and len(repr(coarse)) < 200
    centres = coarse.origin + (coarse.voxels + 0.5) * coarse.resolution
    np.testing.assert_allclose(centres, coarse.positions, atol=1e-12)
    directions = coarse.orientations @ coarse.approach
    np.testing.assert_allclose(
        directions, np.broadcast_to(coarse.directions[:, None], directions.shape), atol=1e-12
    )


@pytest.mark.parametrize("name", ["map.npz", "map.zarr"])
def test_a_map_is_read_as_it_was_saved(coarse, tmp_path, name):
    if name.endswith("zarr"):
        pytest.importorskip("zarr", reason="zarr is not installed")
    coarse.save(tmp_path / name)
    same(ReachabilityMap.load(tmp_path / name), coarse)


def test_a_pose_is_found_in_its_own_cell_and_none_outside_the_grid(coarse):
    rows, directions, turns = coarse.lookup(poses_of(coarse).reshape(-1, 4, 4))
    cells = np.stack([rows, directions, turns], axis=1).reshape(*coarse.reachable.shape, 3)
    assert np.array_equal(cells, np.stack(np.indices(coarse.reachable.shape), axis=-1))
    away = np.eye(4)
    away[0, 3] = -5.0
    assert coarse.lookup(away)[0] == [-1]
    with pytest.raises(InvalidTargetError):
        coarse.lookup(np.zeros((4, 4)))


def test_given_points_and_rotations(ur10, rng):
    points = rng.uniform(-0.8, 0.8, (5, 3))
    rotations = np.stack([np.eye(3), np.diag([1.0, -1.0, -1.0])])
    reach = ReachabilityMap.compute(ur10, orientations=rotations, points=points)
    assert reach.reachable.shape == (5, 2, 1) and np.isnan(reach.resolution)
    found = IKSolver(ur10).solve(poses_of(reach).reshape(-1, 4, 4), num_solutions=1)
    assert np.array_equal(found.counts > 0, reach.reachable.ravel())
    assert list(reach.lookup(poses_of(reach)[:, 1, 0])[0]) == [0, 1, 2, 3, 4]


def test_a_cone_holds_the_directions(ur10):
    for axis in ([0, 0, -1], [1, 1, 0]):
        reach = ReachabilityMap.compute(
            ur10, points=[(0.5, 0.2, 0.3)], orientations=(12, 4), cone=(axis, 0.5)
        )
        cosines = reach.directions @ axis / np.linalg.norm(axis)
        assert len(cosines) == 12 and np.arccos(cosines).max() < 0.5


def test_a_share_of_the_directions_is_tried(panda, coarse):
    reach = ReachabilityMap.compute(panda, **COARSE, share=0.25, random_seed=3)
    assert (reach.tested.any(axis=2).sum(axis=1) == 2).all()
    assert np.array_equal(reach.reachable, coarse.reachable & reach.tested)
    again = ReachabilityMap.compute(panda, **COARSE, share=0.25, random_seed=3)
    other = ReachabilityMap.compute(panda, **COARSE, share=0.25, random_seed=4)
    same(again, reach)
    assert not np.array_equal(other.tested, reach.tested)


def test_an_interrupt_does_not_wait_for_chunks_under_way(panda, monkeypatch):
    monkeypatch.setattr(spec, "LIMITS", replace(spec.LIMITS, poses=8 * 24))
    solve, over, begun = ChunkSolver.solve, threading.Event(), threading.Event()

    def slow(self, index):
        if index:
            begun.set()
            over.wait(30.0)
        else:
            begun.wait(30.0)
        return solve(self, index)

    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    monkeypatch.setattr(ChunkSolver, "solve", slow)
    monkeypatch.setattr("generative_ik_ros.reach.compute.usable_cores", lambda: 2)
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            ReachabilityMap.compute(panda, **COARSE, on_progress=stop)
        assert time.monotonic() - start < 10.0
    finally:
        over.set()


def test_an_interrupted_computation_goes_on(panda, tmp_path, monkeypatch):
    pytest.importorskip("zarr", reason="zarr is not installed")
    monkeypatch.setattr(spec, "LIMITS", replace(spec.LIMITS, poses=8 * 24))
    whole = ReachabilityMap.compute(panda, **COARSE, path=tmp_path / "whole")

    def stop(done, total):
        assert total == 4
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ReachabilityMap.compute(panda, **COARSE, path=tmp_path / "parts", on_progress=stop)
    with pytest.raises(InvalidArgumentError, match="2 of 4 chunks"):
        ReachabilityMap.load(tmp_path / "parts")
    calls = []
    resumed = ReachabilityMap.compute(
        panda, **COARSE, path=tmp_path / "parts", on_progress=lambda *both: calls.append(both)
    )
    assert calls == [(2, 4), (3, 4), (4, 4)]
    same(resumed, whole)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    with pytest.raises(InvalidArgumentError, match="other arguments.*random_seed 0, not 1"):
        ReachabilityMap.compute(panda, **COARSE, path=tmp_path / "parts", random_seed=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"resolution": 0}, "resolution must be a number above 0"),
        ({"resolution": np.inf}, "resolution must be above 0 and at most"),
        ({"resolution": 1e-4}, "choose a coarser resolution"),
        ({"orientations": 0}, "orientations must be from 1.*directions, turns.*rotations"),
        ({"orientations": (4, 0)}, r"orientations \(turns\) must be from 1"),
        ({"orientations": np.zeros((3, 3))}, "rotations"),
        ({"orientations": np.zeros((2, 3, 3))}, "no rotation matrix"),
        ({"region": [0, 1]}, "region must be the lower and the upper corner"),
        ({"region": [(1, 1, 1), (0, 2, 2)]}, "none of the lower corner's above"),
        ({"region": [(5, 5, 5), (6, 6, 6)]}, "no voxel's centre lies in it"),
        ({"points": [(0, 0)]}, "points have shape"),
        ({"points": [(0, 0, np.nan)]}, "not finite"),
        ({"points": [(0, 0, 0)], "region": [(0, 0, 0), (1, 1, 1)]}, "exclude each other"),
        ({"cone": 0.5}, "cone must be a pair"),
        ({"cone": ((0, 0, 0), 0.5)}, "cone axis must be .* other than zero"),
        ({"cone": ((0, 0, 1), -1)}, "cone half angle"),
        ({"measures": ["reach"]}, "unknown measure 'reach'; choose from: num_solutions"),
        ({"measures": "clearance"}, "clearance.*needs the robot's geometry"),
        ({"num_solutions": 0}, "num_solutions must be from 1"),
        ({"share": 0.0}, "share must be"),
        ({"share": 1.5}, "share must be"),
        ({"random_seed": -1}, "random_seed must be"),
        ({"on_progress": 3}, "on_progress must be"),
        ({"dask": 3}, "dask must be a scheduler's address"),
    ],
)
def test_misuse_says_what_is_valid(panda, arguments, words):
    with pytest.raises((InvalidArgumentError, UnknownNameError), match=words):
        ReachabilityMap.compute(panda, **{**COARSE, "region": None, **arguments})


def test_trees_are_unsupported(panda):
    tree = KinematicTree.from_urdf(panda.description, panda.base_link, ["panda_hand_tcp"])
    with pytest.raises(UnsupportedChainError, match="one tip"):
        ReachabilityMap.compute(tree)


def test_files_that_are_no_maps_are_errors(coarse, tmp_path):
    path = tmp_path / "map.npz"
    with pytest.raises(InvalidArgumentError, match="no reachability map at"):
        ReachabilityMap.load(path)
    path.write_text("nothing")
    with pytest.raises(InvalidArgumentError, match="is no reachability map"):
        ReachabilityMap.load(path)
    coarse.save(path)
    good = dict(np.load(path))
    header = json.loads(str(good["header"]))
    bad = [
        {"reachable": good["reachable"][:3]},
        {"reachable": good["reachable"].astype(np.uint8)},
        {"positions": good["positions"] + 0.1},
        {"voxels": np.zeros_like(good["voxels"])},
        {"orientations": np.full_like(good["orientations"], np.nan)},
        {"origin": np.array([object()])},
        {"header": json.dumps({**header, "version": 2})},
        {"header": json.dumps({**header, "resolution": "wide"})},
        {"header": json.dumps({**header, "fingerprint": 3})},
        {"header": json.dumps({name: header[name] for name in header if name != "resolution"})},
        {"header": "[]"},
        {"header": "{"},
        {"reachable": None},
    ]
    for change in bad:
        arrays = {name: value for name, value in {**good, **change}.items() if value is not None}
        np.savez(path, **arrays)
        with pytest.raises(GenerativeIKError):
            ReachabilityMap.load(path)
    data = tmp_path / "cut.npz"
    coarse.save(data)
    data.write_bytes(data.read_bytes()[:-200])
    with pytest.raises(GenerativeIKError):
        ReachabilityMap.load(data)


@pytest.mark.parametrize("folder", ["absent", "file"])
def test_a_map_that_cannot_be_written_is_an_error(coarse, tmp_path, folder):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidArgumentError, match="cannot write '.*: No.* director"):
        coarse.save(tmp_path / folder / "map.npz")


def test_a_folder_with_broken_files_is_an_error(coarse, tmp_path):
    pytest.importorskip("zarr", reason="zarr is not installed")
    for name in ("reachable/c/0/0/0", "reachable/zarr.json", "zarr.json", "positions/c/0/0"):
        folder = tmp_path / name.replace("/", "_")
        coarse.save(folder)
        (folder / name).write_bytes(b"{")
        with pytest.raises(GenerativeIKError):
            ReachabilityMap.load(folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(InvalidArgumentError, match="not empty"):
        coarse.save(tmp_path / "other")
    with pytest.raises(GenerativeIKError):
        ReachabilityMap.load(tmp_path / "other")
