"""What tests of the viewer's page share: waiting, and where things are drawn."""

import time

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
