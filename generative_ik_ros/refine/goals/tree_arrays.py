"""A kinematic tree and its goals as the core takes them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class GoalTree(NamedTuple):
    """A tree whose m joints turn about or slide along their z axes, with n variables, G goals.

    A goal is a tip, or a link held to another: its target is a pose of the tip in a reference.

    Attributes:
        origins: (m, 7) joint frame in the moved frame of the joint before it: x y z, quaternion.
        prismatic: (m,) 1 if the joint is prismatic, 0 if it is revolute.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0.
        begin: (m,) slot of the frame that the joint begins from; -1: the base; -2: the moved
            frame of the joint with the index before.
        slot: (m,) slot in which its moved frame is kept, or -1.
        scale: (n,) comparable steps of the variables, see `MovingJoints.step_units`.
        tip_slot: (G,) slot of the frame that carries the goal's tip; -1: the base.
        tip: (G, 7) the tip in that frame.
        reference_slot: (G,) slot of the frame that carries its reference; -1: the base; -2: the
            reference is the base frame itself.
        reference: (G, 7) the reference in that frame.
        path: (P, 3) joints that move tips against their references, goal by goal: the joint, 1 if
            it moves the tip or -1 if it moves the reference, and the variable's column.
        path_end: (G,) where each goal's joints end in `path`.
        column: (G, n) which of the Jacobian's columns belongs to a goal and a variable, or -1.
        coupled: (G, G) whether the normal equations of two goals are coupled, fill-in included.
        bounded: (G,) what the goals' regions bound, see `PackedRegions`.
    """

    origins: NDArray[np.float64]
    prismatic: NDArray[np.int64]
    variable: NDArray[np.int64]
    multiplier: NDArray[np.float64]
    offset: NDArray[np.float64]
    begin: NDArray[np.int64]
    slot: NDArray[np.int64]
    scale: NDArray[np.float64]
    tip_slot: NDArray[np.int64]
    tip: NDArray[np.float64]
    reference_slot: NDArray[np.int64]
    reference: NDArray[np.float64]
    path: NDArray[np.int64]
    path_end: NDArray[np.int64]
    column: NDArray[np.int64]
    coupled: NDArray[np.int64]
    bounded: NDArray[np.int64]
