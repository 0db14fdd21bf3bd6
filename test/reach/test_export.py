"""Exported maps, read back by others: trimesh reads the points, csv the table."""

import csv
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from made_maps import ball

from generative_ik_ros.drawing.colors import by_index
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.export import export


@pytest.fixture(scope="module")
def made(panda):
    rng = np.random.default_rng(0)
    return ball(
        panda,
        num_solutions=lambda reached: (reached * rng.integers(1, 17, reached.shape)).astype("u2"),
        clearance=lambda reached: (reached * rng.uniform(0.001, 0.1, reached.shape)).astype("f4"),
    )


def test_points_have_places_colours_and_indices(made, tmp_path):
    export(made, tmp_path / "map.ply")
    cloud = trimesh.load(tmp_path / "map.ply")
    some = made.index > 0
    assert 0 < some.sum() < len(some)
    np.testing.assert_allclose(cloud.vertices, made.positions[some], atol=1e-6)
    shades = (255 * by_index(made.index[some]) + 0.5).astype(int)
    np.testing.assert_array_equal(cloud.colors[:, :3], shades)
    raw = cloud.metadata["_ply_raw"]["vertex"]["data"]["index"]
    np.testing.assert_allclose(raw.ravel(), made.index[some], atol=1e-7)


def test_a_table_has_every_position_and_the_best_of_each_measure(made, tmp_path):
    export(made, str(tmp_path / "map.CSV"))
    with (tmp_path / "map.CSV").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "x", "y", "z", "index", "reached", "tried", "num_solutions", "clearance"
    ]  # fmt: skip
    assert len(rows) == len(made.positions)
    for row, place, reached, counts, clear in zip(
        rows, made.positions, made.reachable, made.num_solutions, made.clearance, strict=True
    ):
        np.testing.assert_allclose([float(row[name]) for name in "xyz"], place, atol=1e-5)
        assert int(row["reached"]) == reached.sum() and int(row["tried"]) == 24
        assert float(row["index"]) == pytest.approx(reached.mean(), abs=1e-5)
        if not reached.any():
            assert row["num_solutions"] == row["clearance"] == ""
            continue
        assert int(row["num_solutions"]) == counts[reached].max()
        assert float(row["clearance"]) == pytest.approx(clear[reached].max(), rel=1e-5)


def test_of_a_map_with_some_poses_tried_only_those_count(made, tmp_path):
    tested = np.zeros_like(made.reachable)
    tested[:, :2] = True
    export(replace(made, tested=tested), tmp_path / "map.csv")
    with (tmp_path / "map.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["tried"] for row in rows} == {"8"}
    reached = [int(row["reached"]) for row in rows]
    np.testing.assert_array_equal(reached, made.reachable[:, :2].sum(axis=(1, 2)))
    shares = [float(row["index"]) for row in rows]
    np.testing.assert_allclose(shares, np.array(reached) / 8, atol=1e-5)


def test_misuse_names_what_is_valid(made, tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"must be one of \.ply, \.csv; .*\.npz"):
        export(made, tmp_path / "map.obj")
    with pytest.raises(InvalidArgumentError, match="cannot write"):
        export(made, tmp_path / "absent" / "map.ply")
