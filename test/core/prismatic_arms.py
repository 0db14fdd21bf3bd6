"""Arms with prismatic joints and a closed form: on a rail or a lift, gantries, and others."""

import numpy as np
from robots import NONE, X, Y, Z, urdf
from six_joint_arms import moved_lines, random_lines, unit

from generative_ik_ros import KinematicChain

_WIDE = (-3.1, 3.1)


def _arm_with_wrist(turn=(-2.9, 2.9)):
    """An industrial arm of six joints."""
    return [
        ("revolute", (0.1, 0.0, 0.4), NONE, Z, turn, ""),
        ("revolute", (0.15, 0.0, 0.2), NONE, Y, (-1.9, 2.4), ""),
        ("revolute", (0.0, 0.0, 0.6), NONE, Y, (-3.6, 1.2), ""),
        ("revolute", (0.0, 0.0, 0.12), NONE, X, (-3.1, 3.1), ""),
        ("revolute", (0.6, 0.0, 0.0), NONE, Y, (-2.1, 2.1), ""),
        ("continuous", NONE, NONE, X, None, ""),
        ("fixed", (0.1, 0.0, 0.05), (0.2, 0.1, 0.0), Z, None, ""),
    ]


def _arm_like_a_ur():
    """Three parallel axes, and two that intersect."""
    return [
        ("revolute", (0.0, 0.0, 0.18), NONE, Z, _WIDE, ""),
        ("revolute", (0.0, 0.17, 0.0), NONE, Y, _WIDE, ""),
        ("revolute", (0.0, -0.13, 0.61), NONE, Y, _WIDE, ""),
        ("revolute", (0.0, 0.0, 0.57), NONE, Y, _WIDE, ""),
        ("revolute", (0.0, 0.12, 0.0), NONE, Z, _WIDE, ""),
        ("continuous", (0.0, 0.0, 0.12), NONE, Y, None, ""),
        ("fixed", (0.0, 0.1, 0.0), (0.1, 0.2, 0.3), Z, None, ""),
    ]


def _wrist(axis=Z):
    """A spherical wrist that begins with a turn about z."""
    return [
        ("revolute", (0.02, 0.03, 0.15), NONE, axis, _WIDE, ""),
        ("revolute", NONE, NONE, Y if axis != Y else X, (-2.0, 2.0), ""),
        ("continuous", NONE, NONE, axis, None, ""),
        ("fixed", (0.03, 0.0, 0.12), (0.3, 0.1, -0.2), Z, None, ""),
    ]


def _slide(axis, length, origin=NONE, tilt=NONE):
    return ("prismatic", origin, tilt, axis, (-0.4 * length, 0.6 * length), "")


SEVEN = {
    "rail and wrist": [_slide(X, 4.0), *_arm_with_wrist()],
    "tilted rail and wrist": [
        _slide(Y, 3.0, (0.2, 0.1, 0.3), (0.3, -0.2, 0.5)),
        *_arm_with_wrist((-6.0, 6.0)),
    ],
    "lift and ur": [_slide(Z, 1.2, (0.0, 0.0, 0.5)), *_arm_like_a_ur()],
    "rail and ur": [_slide(X, 5.0), *_arm_like_a_ur()],
    "tool on a slide": [*_arm_with_wrist()[:6], _slide((0.6, 0.0, 0.8), 0.4, (0.1, 0.0, 0.0))],
}
"""Seven joints, the first or the last of which is prismatic."""

SIX = {
    "gantry": [_slide(X, 2.0), _slide(Y, 1.5), _slide(Z, 0.8, NONE, (np.pi, 0.0, 0.0)), *_wrist()],
    "stanford": [
        ("revolute", (0.0, 0.0, 0.4), NONE, Z, _WIDE, ""),
        ("revolute", (0.0, 0.15, 0.0), NONE, Y, _WIDE, ""),
        ("prismatic", NONE, NONE, Z, (0.2, 1.0), ""),
        *_wrist(),
    ],
    "cylindrical": [
        ("revolute", (0.0, 0.0, 0.2), NONE, Z, _WIDE, ""),
        _slide(Z, 0.8, (0.0, 0.0, 0.3)),
        _slide(X, 0.9, (0.1, 0.0, 0.0)),
        *_wrist(X),
    ],
    "lift first": [
        _slide(Z, 0.8, (0.0, 0.0, 0.3)),
        ("revolute", (0.0, 0.0, 0.2), NONE, Z, _WIDE, ""),
        _slide(X, 0.9, (0.1, 0.05, 0.0)),
        *_wrist(X),
    ],
    "scara with a lift": [
        _slide(Z, 0.8),
        ("revolute", (0.1, 0.0, 0.2), NONE, Z, _WIDE, ""),
        ("revolute", (0.4, 0.0, 0.0), NONE, Z, _WIDE, ""),
        ("revolute", (0.3, 0.0, 0.0), NONE, X, _WIDE, ""),
        ("revolute", NONE, NONE, Y, _WIDE, ""),
        ("continuous", NONE, NONE, X, None, ""),
        ("fixed", (0.1, 0.0, 0.02), NONE, Z, None, ""),
    ],
    "rail and elbow": [
        _slide(X, 2.0),
        ("revolute", (0.0, 0.0, 0.5), NONE, Y, _WIDE, ""),
        ("revolute", (0.0, 0.05, 0.5), NONE, X, _WIDE, ""),
        *_wrist(),
    ],
    "turn, lift, turn": [
        ("revolute", NONE, NONE, Z, _WIDE, ""),
        _slide(Z, 0.7, (0.4, 0.0, 0.3)),
        ("revolute", (0.0, 0.0, 0.1), NONE, Z, _WIDE, ""),
        ("revolute", (0.35, 0.0, 0.0), NONE, X, _WIDE, ""),
        ("revolute", NONE, NONE, Y, _WIDE, ""),
        ("continuous", NONE, NONE, X, None, ""),
    ],
}
"""Six joints with prismatic ones before a spherical wrist, as they are built."""


def prismatic_arm(name):
    """One of `SEVEN` or `SIX`."""
    return KinematicChain.from_urdf(urdf((SEVEN | SIX)[name]))


ORDERS = ("PPP", "PPR", "RPP", "PRP", "RPR", "PRR", "RRP")


def _special(which, order, axes, points):
    """Bring axes where a case of `slides` or `prismatic_wrist` begins."""
    slide, circle = (0, 2) if order == "PRR" else (2, 0)
    if which == "across":
        # The second axis, or the slide, at right angles to another.
        joint, other = (slide, 1) if order in ("PRR", "RRP") else (1, 0)
        axes[joint] -= axes[other] * (axes[other] @ axes[joint])
        axes[joint] /= np.linalg.norm(axes[joint])
    elif which == "across 3":
        axes[1] -= axes[2] * (axes[2] @ axes[1])
        axes[1] /= np.linalg.norm(axes[1])
    elif which == "parallel":
        axes[circle] = -axes[1]
    elif which == "meeting":
        points[circle] = points[1]


CASES = [
    *((order, "skew") for order in ORDERS),
    *((order, "across") for order in ("RPR", "PRR", "RRP")),
    *((order, which) for order in ("PRR", "RRP") for which in ("parallel", "meeting")),
    ("RPR", "across 3"),
]


def random_prismatic_arm(case, mirrored, seed, off=0.0):
    """An arm with a spherical wrist of random measures, from base to tip or back."""
    order, which = case
    rng = np.random.default_rng(seed)
    axes, points = random_lines(rng)
    points[3:5] = points[5]
    axes[3:] = [unit(rng) for _ in range(3)]
    _special(which, order, axes, points)
    axes, points = moved_lines(axes, points, rng, off)
    kinds = order + "RRR"
    if mirrored:
        axes, points, kinds = axes[::-1], points[::-1], kinds[::-1]
    steps, joints = np.diff(points, axis=0, prepend=np.zeros((1, 3))), []
    for kind, step, axis in zip(kinds, steps, axes, strict=True):
        limits = (-0.5, 0.5) if kind == "P" else _WIDE
        joints.append(("prismatic" if kind == "P" else "revolute", step, NONE, axis, limits, ""))
    joints.append(("fixed", (0.05, 0.1, 0.02), (0.3, -0.2, 0.1), Z, None, ""))
    return KinematicChain.from_urdf(urdf(joints), "l0", "l7")
