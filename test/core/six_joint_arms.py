"""Six-joint arms of every family with closed form, and of none, with random measures."""

import numpy as np
from robots import NONE, Z, urdf

from generative_ik_ros import KinematicChain


def unit(rng):
    """A random direction."""
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def text_of(axes, points, limits=(-3.1, 3.1)):
    """The URDF, from l0 to l7, of the arm whose axes lie so at zero."""
    steps = np.diff(points, axis=0, prepend=np.zeros((1, 3)))
    joints = [
        ("revolute", step, NONE, axis, limits, "") for step, axis in zip(steps, axes, strict=True)
    ]
    joints.append(("fixed", (0.05, 0.1, 0.02), (0.3, -0.2, 0.1), Z, None, ""))
    return urdf(joints)


def chain_of(axes, points, limits=(-3.1, 3.1)):
    """The chain whose axes lie so at zero."""
    return KinematicChain.from_urdf(text_of(axes, points, limits), "l0", f"l{len(axes) + 1}")


def random_lines(rng):
    """Six skew axes (6, 3) and points on them (6, 3)."""
    axes = np.array([unit(rng) for _ in range(6)])
    return axes, np.cumsum(rng.uniform(-0.4, 0.4, (6, 3)), axis=0)


def _with_wrist(axes, points):
    points[3:5] = points[5]


def _parallel(axes, *joints):
    for joint in joints[1:]:
        axes[joint] = axes[joints[0]] * (-1.0 if joint % 2 else 1.0)


def _wrist_parallel(axes, points):
    _with_wrist(axes, points)
    _parallel(axes, 1, 2)


def _wrist_first_parallel(axes, points):
    _with_wrist(axes, points)
    _parallel(axes, 0, 1)


def _wrist_meeting(axes, points):
    _with_wrist(axes, points)
    points[1] = points[0]


def _wrist_last_meeting(axes, points):
    _with_wrist(axes, points)
    points[2] = points[1]


def _parallel_skew(axes, points):
    _parallel(axes, 1, 2, 3)


def _parallel_meeting(axes, points):
    _parallel_skew(axes, points)
    points[5] = points[4]


def _offset_wrist(axes, points):
    axes[1] = np.cross(axes[0], axes[1])
    axes[1] /= np.linalg.norm(axes[1])
    _parallel(axes, 1, 2)
    axes[3] = np.cross(axes[1], axes[3])
    axes[3] /= np.linalg.norm(axes[3])
    points[1] = points[0]
    points[2] -= axes[1] * (axes[1] @ (points[2] - points[1]))
    points[3], points[4] = points[2], points[2] + 0.3 * axes[3]


FAMILIES = {
    "wrist, 1 to 3 skew": _with_wrist,
    "wrist, 2 and 3 parallel": _wrist_parallel,
    "wrist, 1 and 2 parallel": _wrist_first_parallel,
    "wrist, 1 and 2 intersect": _wrist_meeting,
    "wrist, 2 and 3 intersect": _wrist_last_meeting,
    "three parallel, 5 and 6 intersect": _parallel_meeting,
    "three parallel, 5 and 6 skew": _parallel_skew,
    "wrist with an offset": _offset_wrist,
}


def moved_lines(axes, points, rng, off):
    """The lines with random errors."""
    axes, points = axes + off * rng.normal(size=(6, 3)), points + off * rng.normal(size=(6, 3))
    return axes / np.linalg.norm(axes, axis=1)[:, None], points


def family_lines(name, mirrored, seed, off=0.0):
    """The lines of a random arm of a family, from base to tip or back, but for errors."""
    rng = np.random.default_rng(seed)
    axes, points = random_lines(rng)
    FAMILIES[name](axes, points)
    axes, points = moved_lines(axes, points, rng, off)
    if mirrored:
        axes, points = axes[::-1], points[::-1]
    return axes, points


def family_arm(name, mirrored, seed, off=0.0):
    """A random arm of a family, from base to tip or back, but for errors of its lines."""
    return chain_of(*family_lines(name, mirrored, seed, off))


def arm_of_no_family():
    """An arm with a wrist with an offset and a shoulder beside its plane."""
    axes, points = random_lines(np.random.default_rng(0))
    _offset_wrist(axes, points)
    points[1:] += 0.1 * axes[1]
    axes[4], axes[5], points[5] = axes[1], axes[3], points[4] + 0.1 * axes[1]
    return chain_of(axes, points)
