"""The grid that pictures and viewer draw: against what can be counted by hand."""

from dataclasses import replace

import numpy as np
import pytest
from made_maps import ball

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.reachability_map import check_fits
from generative_ik_ros.reach.voxel_grid import VoxelGrid


@pytest.fixture(scope="module")
def made(panda):
    return ball(panda)


def test_the_grid_has_each_voxel_at_its_place(made):
    shuffled = np.random.default_rng(1).permutation(len(made.voxels))[:300]
    some = replace(
        made,
        **{name: getattr(made, name)[shuffled] for name in ("voxels", "positions", "reachable")},
    )
    grid = VoxelGrid(some)
    reached = np.flatnonzero(some.index > 0)
    assert 0 < len(reached) < 300
    np.testing.assert_array_equal(np.sort(grid.row[grid.row >= 0]), reached)
    for row, place in zip(reached, some.positions[reached], strict=True):
        cell = tuple(np.argwhere(grid.row == row)[0])
        assert grid.index[cell] == some.index[row]
        np.testing.assert_allclose([grid.centres(a)[cell[a]] for a in range(3)], place)
        assert [grid.layer(a, place[a]) for a in range(3)] == list(cell)
    assert (grid.index[grid.row < 0] == 0).all()


def test_a_block_shows_its_surface(made):
    grid = VoxelGrid(made)
    shown = np.zeros(grid.row.shape, bool)
    shown[1:5, 2:6, 0:3] = True
    assert grid.exposed(shown).sum() == 4 * 4 * 3 - 2 * 2 * 1
    edge = grid.resolution
    for axis, count in enumerate((12, 12, 16)):
        for side in (-1, 1):
            faces, cells = grid.faces(shown, axis, side)
            assert len(faces) == count and shown[tuple(cells.T)].all()
            # Corners in turn, an edge apart, all on the side of the cell that they belong to.
            np.testing.assert_allclose(
                np.linalg.norm(faces - np.roll(faces, 1, axis=1), axis=2), edge
            )
            middle = grid.lower + (cells + 0.5) * edge
            out = faces.mean(axis=1) - middle
            np.testing.assert_allclose(out, side * edge / 2 * np.eye(3)[[axis] * count], atol=1e-9)


def test_a_ray_meets_the_first_voxel_on_its_way(made):
    grid = VoxelGrid(made)
    shown, rng = grid.index > 0.2, np.random.default_rng(2)
    eye = np.array([2.0, -1.5, 1.0])
    met = []
    for _ in range(200):
        along = grid.lower + rng.uniform(-0.2, 1.2, 3) * (grid.upper - grid.lower) - eye
        row = grid.hit(shown, eye, along)
        # Walk along the ray in steps far smaller than a voxel.
        steps = eye + np.linspace(0.0, 2.0, 4000)[:, None] * along
        places = np.floor((steps - grid.lower) / grid.resolution).astype(int)
        inside = ((places >= 0) & (places < grid.row.shape)).all(axis=1)
        inside[inside] = shown[tuple(places[inside].T)]
        first = np.flatnonzero(inside)
        if row is None:
            assert not len(first)
        elif len(first):
            found = np.argwhere(grid.row == row)[0]
            # A corner of another voxel may lie between two steps.
            assert np.abs(found - places[first[0]]).max() <= 1
            met.append(np.array_equal(found, places[first[0]]))
    assert len(met) > 50 and np.mean(met) > 0.95
    assert grid.hit(shown, eye, np.array([1.0, -1.0, 1.0])) is None
    assert grid.hit(shown, eye, np.array([0.0, 0.0, 1.0])) is None


def test_it_is_cut_at_the_first_joint_or_in_the_middle(made, panda):
    assert VoxelGrid(made).half(panda) == 4
    some = made.voxels[:, 1] > 2
    part = replace(
        made,
        **{name: getattr(made, name)[some] for name in ("voxels", "positions", "reachable")},
    )
    assert VoxelGrid(part).half(panda) == 1
    aside = np.array([0.0, -5.0, 0.0])
    moved = replace(made, origin=made.origin + aside, positions=made.positions + aside)
    assert VoxelGrid(moved).half(panda) == VoxelGrid(moved).row.shape[1] // 2


def test_a_map_fits_its_own_chain_only(made, panda, ur10):
    check_fits(made, panda)
    with pytest.raises(InvalidArgumentError, match="fingerprint"):
        check_fits(made, ur10)
    with pytest.raises(InvalidArgumentError, match="tip_link is 'elsewhere'"):
        check_fits(replace(made, tip_link="elsewhere"), panda)
