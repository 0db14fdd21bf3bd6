"""Hypothesis strategies for arms and poses, simple and degenerate ones first."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st
from robots import NONE, Z, bounds_of, urdf

from generative_ik_ros import KinematicChain

UNIT = st.floats(-1.0, 1.0, allow_subnormal=False)
ANY_VECTOR = st.tuples(UNIT, UNIT, UNIT)
AXES = st.sampled_from(
    [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0), (0, 1e-7, 1), (1, 1, 0)]
) | ANY_VECTOR.filter(lambda v: np.linalg.norm(v) > 0.1)
# Coincident axes, parallel ones, a wrist in one point, an arm along a line, and anything else.
OFFSETS = st.sampled_from([NONE, NONE, (0, 0, 0.3), (0.4, 0, 0), (0, 0, 1e-9)]) | ANY_VECTOR
TURNS = st.sampled_from(
    [NONE, NONE, (np.pi / 2, 0, 0), (0, np.pi / 2, 0), (np.pi, 0, 0)]
) | ANY_VECTOR.map(lambda v: tuple(np.pi * x for x in v))
LIMITS = st.sampled_from(
    [
        (-1, 1),
        (-np.pi, np.pi),
        (-2 * np.pi, 2 * np.pi),
        (0, 2.5),
        (1, 1.001),
        (-3, -2.5),
        (0, 0.02),
    ]
) | st.tuples(UNIT, st.floats(0.001, 4.0)).map(lambda pair: (3 * pair[0], 3 * pair[0] + pair[1]))
KINDS = st.sampled_from(["revolute"] * 4 + ["continuous"] * 2 + ["prismatic"] * 2 + ["fixed"])
MARGIN = st.floats(0.01, 4.0)
MIMIC = st.none() | st.none() | st.tuples(st.floats(-2.0, 2.0), UNIT, MARGIN, MARGIN)


@dataclass(frozen=True)
class Arm:
    """An arm's description and its chain."""

    urdf: str

    @cached_property
    def chain(self):
        return KinematicChain.from_urdf(self.urdf)


@st.composite
def arms(draw, most=15):
    """1 to `most` moving joints, some of which mimic others, with fixed joints in between."""
    joints, leaders = [], []
    for i in range(draw(st.integers(1, most))):
        kind = draw(KINDS) if i else draw(KINDS.filter(lambda kind: kind != "fixed"))
        extra, limits = "", None
        if kind in ("revolute", "prismatic"):
            limits = draw(LIMITS)
            if kind == "prismatic":
                limits = (limits[0] / 4.0, limits[1] / 4.0)
        # What slides along with a joint that turns without end would have no end either: refused.
        choices = [j for j in leaders if kind != "prismatic" or joints[j][0] != "continuous"]
        if kind != "fixed" and choices and (mimic := draw(MIMIC)) is not None:
            leader = draw(st.sampled_from(choices))
            multiplier, offset, below, above = mimic
            if joints[leader][0] == "continuous":
                # A part of a turn would say where the leader is after a whole one: refused.
                multiplier = float(round(multiplier) or 1)
            # About where it is while its leader is in the middle: all together leave some range.
            middle = multiplier * np.mean(joints[leader][4] or 0.0) + offset
            limits = None if kind == "continuous" else (middle - below, middle + above)
            extra = f"<mimic joint='j{leader}' multiplier='{multiplier!r}' offset='{offset!r}'/>"
        elif kind != "fixed":
            leaders.append(i)
        joints.append((kind, draw(OFFSETS), draw(TURNS), draw(AXES), limits, extra))
    joints.append(("fixed", draw(OFFSETS), draw(TURNS), Z, None, ""))
    return Arm(urdf(joints))


POSES = ("reached", "at limits", "in the middle", "half a turn", "too far", "anywhere", "seam")


@st.composite
def poses(draw, chain):
    """The kind of a pose, and the pose (4, 4) of the tip."""
    kind = draw(st.sampled_from(POSES))
    lower, upper = bounds_of(chain)
    n = chain.num_joints
    share = np.array(draw(st.lists(st.floats(0.0, 1.0), min_size=n, max_size=n)))
    if kind == "at limits":
        share = np.round(share)
    elif kind in ("in the middle", "half a turn"):
        share = np.full(n, 0.5)
    pose = chain.forward(np.clip(lower + share * (upper - lower), lower, upper))
    if kind == "half a turn":
        axis = np.eye(3)[draw(st.integers(0, 2))]
        pose[:3, :3] = pose[:3, :3] @ (2.0 * np.outer(axis, axis) - np.eye(3))
    elif kind == "too far":
        pose[:3, 3] += 2.0 * chain.reach + 1.0
    elif kind == "anywhere":
        quaternion = np.array(draw(st.tuples(UNIT, UNIT, UNIT, UNIT)))
        if np.linalg.norm(quaternion) > 0.1:
            from scipy.spatial.transform import Rotation

            pose[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
        pose[:3, 3] = chain.reach * np.array(draw(ANY_VECTOR))
    elif kind == "seam" and chain.continuous.any():
        pose = chain.forward(np.where(chain.continuous, np.pi, (lower + upper) / 2.0))
    return kind, pose
