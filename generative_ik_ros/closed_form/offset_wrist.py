"""What the parameters of arms whose wrist has an offset have, see `core/src/closed_form/`."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import NEAR, AxesAtZero


def own_vectors(lines: AxesAtZero) -> tuple[NDArray[np.float64], float] | None:
    """Return what this family adds to `header`, (14, 3), and how far lines were moved for it.

    None if the arm is of another kind.
    """
    axes, points = lines.axes, lines.points / lines.length
    meetings = [lines.meeting(*pair) for pair in ((0, 1), (2, 3), (3, 4))]
    if lines.parallel(0, 1) or lines.parallel(3, 4) or not lines.parallel(1, 2):
        return None
    if max(far for _, far in meetings) > NEAR:
        return None
    shoulder, elbow, wrist = (point / lines.length for point, _ in meetings)
    up, signs = axes[0], np.array([1.0, np.sign(axes[1] @ axes[2])])
    across = signs @ axes[1:3]
    across -= up * (up @ across)
    across /= np.linalg.norm(across)
    forth = axes[3] - across * (across @ axes[3])
    forth /= np.linalg.norm(forth)
    elbow = elbow - across * (across @ (elbow - shoulder))
    fore = forth @ (wrist - elbow)
    moved = [
        *(far for _, far in meetings),
        *np.linalg.norm(axes[1:3] - np.outer(signs, across), axis=1),
        np.linalg.norm(forth - axes[3]),
        np.linalg.norm(elbow + fore * forth - wrist),
    ]
    upper = elbow - shoulder
    if max(moved) > NEAR or min(abs(fore), np.linalg.norm(upper)) < NEAR:
        return None
    frame = np.array([np.cross(across, up), across, up])
    own = [
        *frame, shoulder, elbow + fore * forth, [fore, upper @ upper, axes[3] @ axes[4]],
        [*(frame[::2] @ forth), signs[0]], [*(frame[::2] @ upper), signs[1]],
    ]  # fmt: skip
    return np.vstack([points, own]), float(max(moved))
