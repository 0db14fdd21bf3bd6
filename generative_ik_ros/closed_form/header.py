"""What the parameters of all six-joint families begin with."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import AxesAtZero

OWN = 11
"""Where what a family adds begins among the vectors of the parameters."""
ROUNDING = 1e-15
"""How far what is computed may be off, for an arm that is exactly of a family."""


def header(lines: AxesAtZero, error: float, mirrored: bool) -> NDArray[np.float64]:
    """Return the vectors that all families' parameters begin with, (11, 3).

    Args:
        lines: The axes, of the mirrored arm if it is; the tip's pose is that of the chain.
        error: How far what is computed of them is expected to be off.
        mirrored: Whether the arm is solved from its tip to its base.
    """
    tip, scale = lines.tip, lines.length
    first = [float(mirrored), 1.0 / scale, error]
    return np.vstack([first, tip[:3, :3], tip[:3, 3] / scale, lines.axes])


def as_if_exact(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a family's parameters for an arm whose lines were not moved.

    Branches that nearly merge are then taken as they are, and their poses are not marked. On a
    curve that moves its ends by little, and the samples between them stay sure.
    """
    exact = parameters.copy()
    exact[2] = ROUNDING
    return exact


def length_of(parameters: NDArray[np.float64]) -> float:
    """Return the length of the arm that has a family's parameters [m]."""
    return 1.0 / float(parameters[1])
