"""A path in the viewer: a slider for its time, played over and over."""

import time
from pathlib import Path

import numpy as np
import pytest
from pages import opened, until

pytest.importorskip("viser", reason="viser not installed")
from generative_ik_ros import time_path
from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.robot.chain_or_tree import chain_or_tree
from generative_ik_ros.viewer.player import TimedPath

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SWEEP = np.linspace(
    (0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7), (0.5, 0.0, 0.5, -1.2, 0.5, 1.8, 1.2), 50
)


@pytest.fixture(scope="module")
def timed(panda):
    found = time_path(SWEEP, panda)
    return TimedPath(found.times, found.positions)


@pytest.fixture(scope="module")
def viewer(panda, timed):
    with opened(panda, 2, port=8961, path=timed) as viewer:
        until(lambda: viewer.outcome is not None)
        yield viewer


def shown(viewer):
    """Where the last body of the highlighted arm is drawn."""
    handle = viewer.scene._solo[-1]
    return np.array(handle.batched_positions[0]) if handle.visible else None


def test_the_slider_places_the_arm(panda, viewer, timed):
    places = []
    for share in (0.3, 1.0, 0.0):
        viewer.path_player.slider.value = share * timed.times[-1]
        until(lambda: shown(viewer) is not None)
        q = timed.at(viewer.path_player.slider.value)
        bodies = viewer.scene._bodies.frames(q[None])
        wanted = bodies[viewer.scene._moving[-1], 0, :3, 3]
        until(lambda wanted=wanted: np.allclose(shown(viewer), wanted, atol=1e-5))
        places.append(wanted)
    assert np.linalg.norm(places[0] - places[1]) > 0.05


def test_it_plays_until_it_is_stopped(viewer, timed):
    slider = viewer.path_player.slider
    seen = set()

    def moved():
        seen.add(slider.value)
        return len(seen) > 5

    viewer.path_player.play.value = True
    until(moved)
    assert all(0.0 <= one <= timed.times[-1] for one in seen)
    viewer.path_player.play.value = False

    def stands():
        before = slider.value
        time.sleep(0.3)
        return slider.value == before

    until(stands)


def test_the_way_of_a_tip_behind_loops_is_drawn():
    tree = chain_or_tree(
        EXAMPLES / "palletizer.urdf", "base", "tool", loops=EXAMPLES / "palletizer.yaml"
    )
    q = np.tile(bent_configuration(tree), (3, 1))
    with opened(tree, 1, port=8962, path=TimedPath(np.arange(3.0), q)) as viewer:
        until(lambda: viewer.outcome is not None)


def test_positions_between_points_are_interpolated(timed):
    half = (timed.times[3] + timed.times[4]) / 2.0
    np.testing.assert_allclose(timed.at(half), timed.positions[3:5].mean(axis=0))
