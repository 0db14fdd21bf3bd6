"""The viewer's page in a browser."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser not installed")
from pages import PATIENCE, opened, picture_of, pixel_of, shown, until

ARMS = 5
TWO_ARMS = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"


@pytest.fixture(scope="module")
def viewer(panda):
    with opened(panda, ARMS, port=8931) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def page(browser, viewer):
    with shown(browser, viewer, f"{ARMS} solutions") as page:
        yield page


def test_the_page_shows_arms(page, viewer):
    assert page.title() and viewer.num_pages == 1
    # Everything else on the page is grey or a thin line.
    until(lambda: (np.ptp(picture_of(page), axis=2) > 30).mean() > 0.01)
    assert len(np.unique(picture_of(page).reshape(-1, 3), axis=0)) > 500


def drag(page, viewer, handle, before):
    """Drag a handle, which is at a pose (4, 4), along one of its arrows; return the axis."""
    size = handle.scale
    ends = [before[:3, 3] + 0.75 * size * before[:3, i] for i in range(3)]
    center = pixel_of(page, viewer, before[:3, 3])
    tips = [pixel_of(page, viewer, end) for end in ends]
    axis = int(np.argmax([np.linalg.norm(tip - center) for tip in tips]))
    along = (tips[axis] - center) / np.linalg.norm(tips[axis] - center)
    # Towards the base, where the arm reaches.
    along *= -np.sign(before[:3, axis] @ before[:3, 3])
    page.mouse.move(*tips[axis])
    page.mouse.down()
    for step in range(1, 5):
        page.mouse.move(*(tips[axis] + 6 * step * along))
    page.mouse.up()
    until(lambda: np.linalg.norm(handle.position - before[:3, 3]) > 0.01)
    return axis


def test_dragging_the_target_moves_the_arms(page, viewer, panda):
    until(lambda: len(viewer._server.get_clients()) == 1)
    before = viewer.scene.target_in_base()
    axis = drag(page, viewer, viewer.scene.targets[0], before)
    moved = viewer.scene.target_in_base()
    until(lambda: np.allclose(viewer.outcome.target, viewer.scene.target_in_base()))
    shift = moved[:3, 3] - before[:3, 3]
    assert abs(shift @ before[:3, axis]) > 0.99 * np.linalg.norm(shift) > 0.0099
    assert np.allclose(moved[:3, :3], before[:3, :3], atol=1e-3)
    q = viewer.outcome.solutions.of(0)
    assert np.allclose(panda.forward(q), viewer.outcome.target, atol=2e-5) and len(q)


def test_the_slider_changes_the_number_of_arms(page, viewer):
    number = page.locator(f"input[value='{ARMS}']:visible").first
    number.fill("3")
    page.keyboard.press("Enter")
    page.get_by_text("3 solutions").wait_for(timeout=1e3 * PATIENCE)
    assert viewer.controls.settings.num_solutions == 3
    assert {len(handle.batched_positions) for handle in viewer.scene._arms} == {3}


def test_a_target_out_of_reach_shows_the_closest(page, viewer, panda):
    far = np.eye(4)
    far[:3, 3] = (2.0, 0.0, 0.4)
    viewer.go_to(far)
    page.get_by_text("Unreachable").wait_for(timeout=1e3 * PATIENCE)
    assert not any(handle.visible for handle in viewer.scene._arms)
    assert viewer.scene._solo and all(handle.visible for handle in viewer.scene._solo)
    reached = panda.forward(viewer.outcome.solutions.best_effort[0])[:3, 3]
    assert np.allclose(viewer.scene._missing.points[0], [reached, far[:3, 3]], atol=1e-6)
    viewer.go_to(panda.forward((panda.lower + panda.upper) / 2))
    page.get_by_text("3 solutions").wait_for(timeout=1e3 * PATIENCE)
    assert viewer.scene._arms and all(handle.visible for handle in viewer.scene._arms)


def test_self_motion_is_played(page, viewer, panda):
    seen = []
    show = viewer.player._show
    viewer.player._show = lambda q, sentence: (seen.append(q), show(q, sentence))
    page.get_by_label("Play").click()
    until(lambda: len(seen) > 10)
    page.get_by_text("from limit to limit").wait_for(timeout=1e3 * PATIENCE)
    page.get_by_label("Play").click()
    until(lambda: not viewer.controls.playing)
    poses = panda.forward(np.array(seen))
    assert np.allclose(poses, viewer.outcome.target, atol=2e-5)
    assert np.ptp(seen, axis=0).max() > 0.1
    assert np.abs(np.diff(seen, axis=0)).max() < 0.1


def test_each_tip_of_a_tree_has_a_handle(browser):
    """One hand is dragged, the other stays, and the arms reach both."""
    from generative_ik_ros import KinematicTree

    tree = KinematicTree.from_urdf(TWO_ARMS, tip_links=["left_hand", "right_hand"])
    with opened(tree, 2, port=8932) as viewer, shown(browser, viewer, "2 solutions") as page:
        until(lambda: len(viewer._server.get_clients()) == 1)
        before = viewer.scene.target_in_base()
        assert before.shape == (2, 4, 4) and len(viewer.scene.targets) == 2
        drag(page, viewer, viewer.scene.targets[1], before[1])
        until(lambda: np.allclose(viewer.outcome.target, viewer.scene.target_in_base()))
        moved = viewer.outcome.target
        assert np.allclose(moved[0], before[0]) and not np.allclose(moved[1], before[1], atol=5e-3)
        q = viewer.outcome.solutions.of(0)
        assert len(q) and np.allclose(tree.forward(q), moved, atol=2e-5)
        # The drawn hands are there, each in every arm.
        drawn = [handle.name for handle in viewer.scene._arms]
        for k, side in enumerate(("left", "right")):
            last = viewer.scene._arms[drawn.index(f"/arms/{side}_5")]
            assert last.visible and len(last.batched_positions) == len(q)
            gaps = last.batched_positions - moved[k, :3, 3]
            assert np.linalg.norm(gaps, axis=1).max() < 0.3
        far = moved.copy()
        far[:, 1, 3] = (3.0, -3.0)
        viewer.go_to(far)
        page.get_by_text("Unreachable").wait_for(timeout=1e3 * PATIENCE)
        tips = tree.forward(viewer.outcome.solutions.best_effort[0])
        ends = np.stack([tips[:, :3, 3], far[:, :3, 3]], axis=1)
        assert np.allclose(viewer.scene._missing.points, ends, atol=1e-6)
