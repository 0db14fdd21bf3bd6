"""What tests of the viewer's page share: waiting, and where things are drawn."""

import io
import time
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

SIZE = {"width": 860, "height": 420}
PATIENCE = 90.0


def until(wanted, seconds=PATIENCE):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.02)


@contextmanager
def opened(robot, num_solutions, timeout=0.25, **what):
    """A viewer of a robot; its port, and what else is shown, is given by name."""
    from generative_ik_ros.viewer.session import Settings
    from generative_ik_ros.viewer.surfaces import read_surfaces
    from generative_ik_ros.viewer.viewer import Viewer

    settings = Settings(num_solutions=num_solutions, timeout=timeout)
    viewer = Viewer(robot, read_surfaces(robot), settings, **what)
    try:
        yield viewer
    finally:
        viewer.close()


@contextmanager
def shown(browser, viewer, text, size=SIZE):
    """The page of a viewer, once it has a text; no script on it may fail."""
    page, errors = browser.new_page(viewport=size), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    try:
        page.goto(viewer.url)
        page.get_by_text(text).wait_for(timeout=1e3 * PATIENCE)
        # viser shows a warning about software rendering over the scene.
        page.locator("button.mantine-Notification-closeButton").click(timeout=1e3 * PATIENCE)
        yield page
    finally:
        page.close()
    assert not errors


def picture_of(page):
    """The pixels of the canvas' part of the page, (H, W, 3) from 0 to 255."""
    image = pytest.importorskip("matplotlib.image")
    box = page.locator("canvas").first.bounding_box()
    shot = page.screenshot(clip=box, timeout=1e3 * PATIENCE, animations="disabled")
    return (255 * image.imread(io.BytesIO(shot))[..., :3]).astype(int)


def pixel_of(page, viewer, point):
    """Return the pixel at which a point (3,) is drawn."""
    (client,) = viewer._server.get_clients().values()
    look = client.camera
    turn = Rotation.from_quat(np.roll(look.wxyz, -1)).as_matrix()
    x, y, depth = turn.T @ (np.asarray(point) - look.position)
    box = page.locator("canvas").first.bounding_box()
    focal = box["height"] / 2 / np.tan(look.fov / 2)
    return np.array(
        [box["x"] + box["width"] / 2 + focal * x / depth,
         box["y"] + box["height"] / 2 + focal * y / depth]
    )  # fmt: skip
