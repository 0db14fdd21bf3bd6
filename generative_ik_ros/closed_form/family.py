"""Which arms have a closed form: the families, and how a chain is recognised as one of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import AxesAtZero, why_not_revolute
from generative_ik_ros.closed_form.six_axes import three_parallel, wrist_parallel, wrist_shoulder
from generative_ik_ros.robot.chain import KinematicChain


@dataclass(frozen=True)
class Family:
    """A chain's closed form.

    `kernel(parameters, tip_pose, out)` is compiled and takes `parameters`, the tip's pose in the
    base, (4, 4) [m], and memory (max_branches, n). It writes branches there, as values of the
    chain's variables before limits and turns are looked at, and returns how many. Where the pose
    lies at, or within some 1e-5 [m or rad] of, a singular or continuous case, or of the border of
    where a branch exists, it returns -1 - count instead: the branches are good, but there may be
    more. It allocates nothing that it keeps, and the same pose always gives the same branches.

    Attributes:
        name: What a user may read.
        kernel: The compiled function.
        parameters: (p,) what it needs of the chain, contiguous.
        max_branches: Rows of memory that it needs.
    """

    name: str
    kernel: Any
    parameters: NDArray[np.float64]
    max_branches: int


def find_family(chain: KinematicChain) -> Family | None:
    """Return a chain's closed form, None if it has none; `why_none` says why."""
    if why_not_revolute(chain, (6,)):
        return None
    lines = AxesAtZero.of(chain)
    if lines.parallel(1, 2) and lines.parallel(2, 3) and not lines.parallel(3, 4):
        if (met := lines.met(4, 5)) is not None:
            return Family("three parallel axes", three_parallel, met.flat, 8)
    if (wrist := lines.met(3, 4, 5)) is not None:
        if lines.parallel(1, 2):
            return Family("spherical wrist, parallel arm", wrist_parallel, wrist.flat, 8)
        if (both := wrist.met(0, 1)) is not None:
            return Family("spherical wrist, axes 1 and 2 meet", wrist_shoulder, both.flat, 8)
    return None


def why_none(chain: KinematicChain) -> str:
    """Say why `find_family` finds nothing for a chain."""
    return why_not_revolute(chain, (6,)) or (
        "is neither like a UR arm (joints 2 to 4 parallel, 5 and 6 intersect) nor has it a "
        "spherical wrist after joints 2 and 3 that are parallel or 1 and 2 that intersect"
    )
