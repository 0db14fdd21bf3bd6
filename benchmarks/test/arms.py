"""Small arms whose solutions are known by hand."""

import numpy as np
from robots import Z, arm


def planar_with_wrist(first=1.0, second=0.5, third=0.2):
    """Three parallel joints; a pose in the plane has exactly two solutions."""
    return arm(
        ("revolute", (0, 0, 0), Z, (-3.1, 3.1)),
        ("revolute", (first, 0, 0), Z, (-3.1, 3.1)),
        ("revolute", (second, 0, 0), Z, (-6.2, 6.2)),
        tool=(third, 0, 0),
    )


def elbows(position, first=1.0, second=0.5):
    """The two solutions (2, 2) of two links for a position in the plane, by the law of cosines."""
    x, y = position
    cosine = (x * x + y * y - first**2 - second**2) / (2 * first * second)
    solutions = []
    for bend in (np.arccos(cosine), -np.arccos(cosine)):
        reach = np.arctan2(second * np.sin(bend), first + second * np.cos(bend))
        solutions.append((np.arctan2(y, x) - reach, bend))
    return np.array(solutions)


def puma():
    """An arm like the PUMA 560: shoulder and elbow offsets, three axes that meet in the wrist."""
    limits = (-3.1, 3.1)
    return arm(
        ("revolute", (0, 0, 0), Z, limits),
        ("revolute", (0, 0.24, 0), (0, 1, 0), limits),
        ("revolute", (0.43, -0.09, 0), (0, 1, 0), limits),
        ("revolute", (0.02, 0, -0.43), Z, limits),
        ("revolute", (0, 0, 0), (0, 1, 0), limits),
        ("revolute", (0, 0, 0), Z, limits),
        tool=(0, 0, -0.1),
    )


def in_plane(x, y, angle):
    """A pose in the plane: position [m] and direction [rad]."""
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    pose[:2, 3] = x, y
    return pose
