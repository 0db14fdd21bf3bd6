"""What tests of the viewer's page share: waiting, and where things are drawn."""

import time
from contextlib import contextmanager

import numpy as np
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


def camera(viewer):
    (client,) = viewer._server.get_clients().values()
    return client.camera


def pixel_of(page, viewer, point):
    """Return the pixel at which a point (3,) is drawn."""
    look = camera(viewer)
    turn = Rotation.from_quat(np.roll(look.wxyz, -1)).as_matrix()
    x, y, depth = turn.T @ (np.asarray(point) - look.position)
    box = page.locator("canvas").first.bounding_box()
    focal = box["height"] / 2 / np.tan(look.fov / 2)
    return np.array(
        [box["x"] + box["width"] / 2 + focal * x / depth,
         box["y"] + box["height"] / 2 + focal * y / depth]
    )  # fmt: skip
