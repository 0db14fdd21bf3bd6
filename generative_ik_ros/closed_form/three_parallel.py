"""What the parameters of arms with three parallel axes have, see `core/src/closed_form/`."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.spherical_wrist import arc_of


def own_vectors(axes: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what this family adds to `header`, (11, 3).

    Args:
        axes: (6, 3) unit directions, 2 to 4 parallel or opposite.
        points: (6, 3) points on the axes, in shares of the reach; of 5 and 6 the same one if they
            intersect.
    """
    h, signs = axes[1], np.sign(axes[2:4] @ axes[1])
    lever, last = points[4] - points[5], points[3] - points[4]
    upper, fore = points[2] - points[1], points[3] - points[2]
    upper, fore = upper - h * (h @ upper), fore - h * (h @ fore)
    elbow = arc_of(upper, h, fore)
    elbow[0] = (upper @ upper + fore @ fore) / 2.0
    aside = np.cross(h, np.eye(3)[np.abs(h).argmin()])
    aside /= np.linalg.norm(aside)
    slide, bend = arc_of(h, axes[4], lever), arc_of(h, axes[4], axes[5])
    other = [h @ (points[4] - points[0]), *signs]
    start = points[0] - points[1]
    return np.array(
        [points[0], points[5], lever, last, start, upper, fore, elbow, aside, slide, bend, other]
    )
