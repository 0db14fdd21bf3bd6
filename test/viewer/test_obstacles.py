"""Obstacles in the viewer: drawn where they are, dragged, added, removed, and avoided."""

import time

import numpy as np
import pytest
from pages import PATIENCE, opened, picture_of, until
from pages import shown as shown_page

pytest.importorskip("viser", reason="viser not installed")
pytest.importorskip("coal", reason="coal not installed")
from generative_ik_ros import CollisionModel, IKSolver, Scene, pose_matrix
from generative_ik_ros.robot.known import robot_urdf_path

ARMS = 6
TARGET = pose_matrix([0.45, 0.1, 0.4], [1.0, 0.0, 0.0, 0.0])
PARTS = {
    "gate[0]": ((0.02, 0.02, 0.8), (0.3, -0.6, 0.4)),
    "gate[1]": ((0.3, 0.02, 0.02), (0.3, -0.6, 0.8)),
}


@pytest.fixture(scope="module")
def model():
    urdf = robot_urdf_path("panda")
    return CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))


@pytest.fixture(scope="module")
def solver(panda, model):
    return IKSolver(panda, collision=model)


@pytest.fixture(scope="module")
def viewer(panda, model):
    scene = Scene(boxes={"table": ((1.0, 1.0, 0.04), (0.5, 0.0, -0.1)), **PARTS})
    with opened(panda, ARMS, 5.0, port=8941, collision=model, obstacles=scene) as viewer:
        viewer.go_to(TARGET)
        yield viewer


def shown(viewer):
    """Wait until the newest scene and settings are shown, and return the outcome."""

    def newest():
        found = viewer.outcome
        return (
            found is not None
            and found.scene is viewer.obstacles.scene
            and found.settings == viewer.session.settings
            and np.allclose(found.target, TARGET)
        )

    until(newest)
    with viewer._looks:  # it is drawn
        return viewer.outcome


def drag(viewer, position):
    viewer.obstacles.handle.position = position
    viewer.obstacles._drag()


def test_obstacles_are_drawn_where_they_are(viewer):
    assert viewer.obstacles.names == ("table", "gate")
    drawn = viewer.obstacles._drawn
    assert np.allclose(drawn["table"].position, (0.5, 0.0, -0.1))
    assert np.allclose(np.ptp(drawn["table"].vertices, axis=0), (1.0, 1.0, 0.04))


def test_parts_of_an_object_are_dragged_together(viewer):
    before = viewer.obstacles.scene
    viewer.obstacles.select("gate")
    assert viewer.obstacles.handle.visible
    assert np.allclose(viewer.obstacles.handle.position, PARTS["gate[0]"][1])
    drag(viewer, np.array(PARTS["gate[0]"][1]) + (0.1, 0.0, 0.0))
    for name, (_, at) in PARTS.items():
        assert np.allclose(viewer.obstacles._drawn[name].position, np.array(at) + (0.1, 0, 0))
    assert viewer.obstacles.scene is not before
    assert before.obstacles[1].shape.pose[0, 3] == pytest.approx(0.3), "scenes never change"


def test_what_is_dragged_is_avoided(viewer, solver, panda):
    free = shown(viewer).solutions
    assert free.counts[0] == ARMS and free.clearance is not None
    elbow = panda.forward(free.of(0)[0])[:3, 3]
    viewer.obstacles.add("sphere", 0.1)
    name = viewer.obstacles.selected
    assert name in viewer.obstacles.names
    drag(viewer, elbow)  # around the tip
    outcome = shown(viewer)
    assert outcome.solutions.counts[0] == 0 and name in outcome.solutions.blocked_by[0]
    from generative_ik_ros.viewer.controls import describe

    assert "Reached in collision only" in describe(outcome, 0.0) and name in describe(outcome, 0.0)
    drag(viewer, (0.1, 0.25, 0.5))
    outcome = shown(viewer)
    assert outcome.solutions.counts[0] > 0
    assert not solver.collides(outcome.solutions.of(0), scene=viewer.obstacles.scene).any()
    viewer.obstacles.remove()
    assert name not in viewer.obstacles.names and not viewer.obstacles.handle.visible
    assert viewer.obstacles.selected is None
    assert shown(viewer).solutions.counts[0] == ARMS


@pytest.mark.parametrize("kind", ["box", "sphere", "cylinder"])
def test_every_kind_is_added_and_removed(viewer, kind):
    count = len(viewer.obstacles.scene.obstacles)
    viewer.obstacles.add(kind, 0.1)
    viewer.obstacles.add(kind, 0.2)
    assert len(viewer.obstacles.scene.obstacles) == count + 2
    assert len(set(viewer.obstacles.names)) == len(viewer.obstacles.names)
    for name in [name for name in viewer.obstacles.names if name.startswith(kind)]:
        viewer.obstacles.select(name)
        viewer.obstacles.remove()
    assert len(viewer.obstacles.scene.obstacles) == count == len(viewer.obstacles._drawn)


def test_drag_steps_do_not_queue(viewer):
    """A hundred steps while one is being solved and shown are answered by one more."""
    shown(viewer)
    viewer.obstacles.add("box", 0.1)
    seen, begin = [], time.monotonic()
    viewer.listeners.append(lambda outcome, _: (seen.append(outcome), time.sleep(0.3)))
    for step in np.linspace(0.0, 0.2, 100):
        drag(viewer, (0.6, -0.4 + step, 0.1))
    took = time.monotonic() - begin
    until(lambda: seen)
    time.sleep(1.5)
    viewer.listeners.clear()
    assert len(seen) <= 3 + took / 0.3
    viewer.obstacles.remove()


def test_colliding_arms_are_shown_apart(viewer, solver):
    from dataclasses import replace

    viewer.obstacles.add("box", 0.2)
    drag(viewer, (0.15, 0.3, 0.5))
    settings = viewer.session.settings
    viewer.session.ask(settings=replace(settings, show_colliding=True, num_solutions=60))
    outcome = shown(viewer)
    colliding = outcome.colliding
    assert len(colliding) and solver.collides(colliding, scene=viewer.obstacles.scene).all()
    handles = viewer.scene._colliding
    assert handles and all(handle.visible and handle.opacity < 0.2 for handle in handles)
    assert {len(handle.batched_positions) for handle in handles} == {len(colliding)}
    assert all((handle.batched_colors[:, 0] > 200).all() for handle in handles)
    viewer.session.ask(settings=replace(settings, avoid_collisions=False))
    outcome = shown(viewer)
    assert outcome.solutions.clearance is None and outcome.colliding is None
    assert not any(handle.visible for handle in handles)
    viewer.session.ask(settings=settings)
    viewer.obstacles.remove()


def test_free_arms_are_coloured_by_clearance(viewer):
    from generative_ik_ros.drawing.colors import by_clearance

    found = shown(viewer).solutions
    wanted = (255 * by_clearance(found.clearance[0, : found.counts[0]]) + 0.5).astype(np.uint8)
    assert np.array_equal(viewer.scene._arms[0].batched_colors, wanted)


@pytest.fixture(scope="module")
def page(browser, viewer):
    size = {"width": 1000, "height": 700}
    with shown_page(browser, viewer, "free solutions", size) as page:
        yield page


def test_buttons_on_the_page(page, viewer):
    count = len(viewer.obstacles.scene.obstacles)
    page.get_by_text("cylinder", exact=True).click(timeout=1e3 * PATIENCE)
    until(lambda: len(viewer.obstacles.scene.obstacles) == count + 1)
    drag(viewer, (0.25, 0.25, 0.4))
    page.get_by_label("Show colliding").click(timeout=1e3 * PATIENCE)
    page.get_by_text("others collide (red)").wait_for(timeout=1e3 * PATIENCE)
    assert len(np.unique(picture_of(page).reshape(-1, 3), axis=0)) > 500
    page.get_by_text("Remove obstacle").click(timeout=1e3 * PATIENCE)
    until(lambda: len(viewer.obstacles.scene.obstacles) == count)
