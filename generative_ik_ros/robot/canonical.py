"""The canonical form of a chain, free of mounting, tool and the author's frames."""

import hashlib
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.rigid import inverse


@dataclass(frozen=True)
class LineTolerances:
    """Which joint axes count as parallel, and as one."""

    parallel: float = 0.05
    """Axes under this angle [rad] count as parallel: their common normal would be ill-defined."""
    apart: float = 1e-3
    """Parallel axes under this distance [m] count as one."""


TOLERANCES = LineTolerances()


@dataclass(frozen=True, eq=False)
class CanonicalChain:
    """A chain without base offset, mounting, tool and names.

    A chain is, up to where it stands and what it carries, the lines of its joint axes when every
    joint is at zero, together with the kinds, limits and couplings of its joints. How a URDF
    author places a joint's frame on its axis is arbitrary (a gauge), so two files of one arm
    differ in it. It is fixed here from the lines alone, as Denavit and Hartenberg do, at the
    first and at the last joint:

    - z is the joint's axis, in its positive sense.
    - x is perpendicular to z and to the axis of the nearest joint along the path that is not
      parallel (the normalised cross product of z with that axis), or points to the nearest
      parallel revolute axis apart from it, whichever comes first.
    - The origin is the foot, on this axis, of the common normal to the nearest revolute axis
      that is not parallel.

    Where the lines do not decide (one joint only, all axes parallel or one line, a prismatic
    first or last joint, which has a direction but no place) the URDF's joint frame decides.
    Such a chain still does not depend on mounting and tool, but does on the author's frames.

    The fingerprint is a hash of the axis lines (direction, and for revolute joints the point
    nearest to the origin) and of the last frame, in the first frame at zero and rounded to 1e-6;
    of each joint's kind, variable, multiplier and offset; and of each variable's limits, rounded
    to 1e-4. Equal fingerprints mean equal maps from configuration to the last joint's frame in
    the first joint's frame, so what is learned there holds for every chain that shares it.

    Attributes:
        first_joint_in_base: (4, 4) the canonical first joint frame in the base link [m].
        tip_in_last_joint: (4, 4) the tip link in the canonical last joint frame [m].
        last_joint_in_first_joint: (4, 4) with every joint at zero [m].
        fingerprint: 16 hexadecimal characters.
        axis_directions: (m, 3) unit axes, in the canonical first joint frame at zero.
        axis_points: (m, 3) the point of each axis nearest to that frame's origin [m]; zero for
            prismatic joints.
    """

    first_joint_in_base: Floats
    tip_in_last_joint: Floats
    last_joint_in_first_joint: Floats
    fingerprint: str
    axis_directions: Floats
    axis_points: Floats

    @classmethod
    def of(cls, chain: MovingJoints, tip_in_last_joint: Floats) -> "CanonicalChain":
        """Bring the joints of a chain, with its tip in the last one, into canonical form."""
        prismatic = chain.joint_prismatic
        frames = np.empty_like(chain.joint_origins)  # at zero, in the URDF's first joint frame
        frames[0] = np.eye(4)
        for i in range(1, len(frames)):
            frames[i] = frames[i - 1] @ chain.joint_origins[i]
        directions = np.einsum("mij,mj->mi", frames[:, :3, :3], chain.joint_axes)
        order = list(range(len(frames)))
        first = _gauge(order, frames, directions, prismatic)
        last = _gauge(order[::-1], frames, directions, prismatic)

        to_first = inverse(first)
        axes = directions @ to_first[:3, :3].T
        points = frames[:, :3, 3] @ to_first[:3, :3].T + to_first[:3, 3]
        points = points - np.sum(points * axes, axis=1, keepdims=True) * axes
        points[prismatic] = 0.0
        last_in_first = to_first @ last
        tip_in_last = inverse(last) @ frames[-1] @ tip_in_last_joint
        return cls(
            fingerprint=_fingerprint(chain, axes, points, last_in_first),
            first_joint_in_base=chain.joint_origins[0] @ first,
            tip_in_last_joint=tip_in_last,
            last_joint_in_first_joint=last_in_first,
            axis_directions=axes,
            axis_points=points,
        )


def _gauge(order: list[int], frames: Floats, directions: Floats, prismatic: Bools) -> Floats:
    """Return the canonical frame (4, 4) of joint order[0], see `CanonicalChain`."""
    own, others = order[0], order[1:]
    z, origin = directions[own], frames[own, :3, 3]
    crossing = [
        j for j in others if np.linalg.norm(np.cross(z, directions[j])) > TOLERANCES.parallel
    ]

    # The URDF frame's own axis that is furthest from z, unless the lines decide below.
    x = frames[own, :3, np.argmin(np.abs(frames[own, :3, :3].T @ z).round(6))]
    for j in others:
        away = frames[j, :3, 3] - origin
        away = away - (away @ z) * z
        if j in crossing:
            x = np.cross(z, directions[j])
            break
        if not prismatic[own] and not prismatic[j] and np.linalg.norm(away) > TOLERANCES.apart:
            x = away
            break
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)

    revolute = [j for j in crossing if not prismatic[j]]
    if revolute and not prismatic[own]:
        other, normal = directions[revolute[0]], np.cross(z, directions[revolute[0]])
        away = frames[revolute[0], :3, 3] - origin
        origin = origin + z * (np.cross(away, other) @ normal) / (normal @ normal)

    frame = np.eye(4)
    frame[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    frame[:3, 3] = origin
    return frame


def _fingerprint(chain: MovingJoints, axes: Floats, points: Floats, last_in_first: Floats) -> str:
    def whole(values: Floats, unit: float) -> list:
        """Round to whole units as integers, which have no negative zero."""
        return np.rint(values / unit).astype(np.int64).tolist()

    limits = [
        "unlimited" if endless else whole(np.array(pair), 1e-4)
        for endless, *pair in zip(chain.continuous, chain.lower, chain.upper, strict=True)
    ]
    content = (
        "canonical chain 1",
        whole(axes, 1e-6),
        whole(points, 1e-6),
        whole(last_in_first, 1e-6),
        chain.joint_prismatic.tolist(),
        chain.joint_variable.tolist(),
        whole(chain.joint_multiplier, 1e-6),
        whole(chain.joint_offset, 1e-6),
        limits,
    )
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]
