"""A reachability map on the viewer's page: cut, filtered, and asked for numbers by a click."""

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser not installed")
from made_maps import ball
from pages import PATIENCE, opened, pixel_of, shown, until

from generative_ik_ros.drawing.colors import by_index
from generative_ik_ros.viewer.reach_panel import describe, reached_pose


@pytest.fixture(scope="module")
def made(panda):
    def rising(reached):
        return (reached * np.linspace(0.01, 0.24, 24).reshape(6, 4)).astype("f4")

    return ball(panda, cells=10, resolution=0.15, manipulability=rising)


@pytest.fixture(scope="module")
def viewer(panda, made):
    with opened(panda, 2, port=8981, reach=made) as viewer:
        until(lambda: viewer.outcome is not None)
        yield viewer


def drawn_rows(viewer):
    """The rows of the map that are drawn, found again by the places of what is drawn."""
    places, of_map = (
        viewer.reach_panel.handle.batched_positions,
        viewer.reach_panel.reach.positions,
    )
    gaps = np.linalg.norm(places[:, None] - of_map, axis=2)
    assert gaps.min(axis=1).max() < 1e-5
    return np.sort(gaps.argmin(axis=1))


def test_voxels_at_the_surface_of_the_half_are_drawn(viewer, made):
    rows = drawn_rows(viewer)
    there = (made.index > 0) & (made.voxels[:, 1] >= 5)
    cells = {tuple(cell) for cell in made.voxels[there]}
    around = np.concatenate([np.eye(3, dtype=int), -np.eye(3, dtype=int)])
    open_to = [
        row for row in np.flatnonzero(there)
        if any(tuple(made.voxels[row] + step) not in cells for step in around)
    ]  # fmt: skip
    np.testing.assert_array_equal(rows, open_to)
    handle = viewer.reach_panel.handle
    order = np.argsort(np.linalg.norm(handle.batched_positions[:, None] - made.positions, axis=2)
                       .argmin(axis=1))  # fmt: skip
    shades = by_index(made.index[rows] / made.index.max())
    np.testing.assert_array_equal(handle.batched_colors[order], (255 * shades + 0.5).astype(int))


def test_clip_planes_and_the_least_index_select(viewer, made):
    panel = viewer.reach_panel
    low, high = panel.grid.lower, panel.grid.upper
    before = [slider.value for slider in panel.clip]
    try:
        for axis, (first, last) in enumerate(((2, 9), (1, 8), (0, 4))):
            panel.clip[axis].value = (
                low[axis] + first * made.resolution, low[axis] + last * made.resolution
            )  # fmt: skip
        panel.least.value = 0.3
        wanted = made.index >= 0.3
        for axis, (first, last) in enumerate(((2, 9), (1, 8), (0, 4))):
            wanted &= (made.voxels[:, axis] >= first) & (made.voxels[:, axis] < last)
        until(lambda: np.array_equal(np.sort(panel.grid.row[panel.shown]), np.flatnonzero(wanted)))
        assert wanted.sum() > 20
        panel.clip[2].value = (low[2], low[2] + 1e-9)
        until(lambda: not panel.handle.visible)
        panel.clip[2].value = (low[2], high[2])
        until(lambda: panel.handle.visible)
        panel.visible.value = False
        until(lambda: not panel.handle.visible)
    finally:
        panel.visible.value, panel.least.value = True, 0.0
        for slider, value in zip(panel.clip, before, strict=True):
            slider.value = value
    until(lambda: panel.handle.visible and panel.shown.sum() == (made.index > 0).sum() / 2)


def test_numbers_and_a_pose_of_a_voxel(made):
    row = int(np.argmax((made.index > 0.4) & (made.index < 0.6)))
    text, (x, y, z) = describe(made, row), made.positions[row]
    count = made.reachable[row].sum()
    assert f"**Index {made.index[row]:.3f}** at ({x:.3f}, {y:.3f}, {z:.3f}) m" in text
    assert f"{count} of 24 orientations" in text
    assert f"manipulability: up to {made.manipulability[row].max():.4g}" in text
    pose = reached_pose(made, row)
    np.testing.assert_array_equal(pose[:3, 3], made.positions[row])
    np.testing.assert_array_equal(
        pose[:3, :3], made.orientations.reshape(24, 3, 3)[int(count) - 1]
    )


def test_a_click_on_a_voxel_tells_its_numbers_and_moves_the_target(browser, viewer, made):
    panel = viewer.reach_panel
    with shown(browser, viewer, "Click on a voxel") as page:
        until(lambda: viewer.num_pages == 1)
        eye = next(iter(viewer._server.get_clients().values())).camera.position
        # A voxel of the cut that nothing hides, away from the arms and the handle.
        face = made.positions + np.array([0.0, -0.5, 0.0]) * made.resolution
        free = (made.index > 0) & (made.voxels[:, 1] == 5) & (made.positions[:, 0] < -0.3)
        row = int(np.flatnonzero(free)[np.argmax(made.positions[free, 2])])
        assert panel.grid.hit(panel.drawn, eye, face[row] - eye) == row

        def picked():
            # A page that is not drawn yet lets a click pass.
            page.mouse.click(*pixel_of(page, viewer, face[row]))
            page.wait_for_timeout(500)
            return panel.picked is not None

        until(picked)
        page.get_by_text(f"Index {made.index[row]:.3f}").wait_for(timeout=1e3 * PATIENCE)
        assert panel.picked == row and panel._mark.visible
        np.testing.assert_allclose(panel._mark.position, made.positions[row])
        until(lambda: np.allclose(viewer.outcome.target, reached_pose(made, row)))
