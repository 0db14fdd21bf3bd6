"""How far tips are outside of regions, by formulas of its own."""

import numpy as np

from generative_ik_ros import TaskSpaceRegion


def outside(region, targets, tips):
    """Return how far tips (..., 4, 4) are outside their region, [m] and [rad], independently."""
    gap = np.linalg.inv(targets) @ tips
    p = gap[..., :3, 3]
    away = np.maximum(np.maximum(region.lower[:3] - p, p - region.upper[:3]), 0.0)
    if region.cone_axis is not None:
        k = "xyz".index(region.cone_axis)
        column = gap[..., :3, k]
        angle = np.arctan2(np.linalg.norm(np.delete(column, k, axis=-1), axis=-1), column[..., k])
        return away.max(-1), np.maximum(angle - region.half_angle, 0.0)
    r = gap[..., :3, :3]
    roll, yaw = np.arctan2(r[..., 2, 1], r[..., 2, 2]), np.arctan2(r[..., 1, 0], r[..., 0, 0])
    pitch = np.arctan2(-r[..., 2, 0], np.hypot(r[..., 0, 0], r[..., 1, 0]))
    found = []
    for triple in ((roll, pitch, yaw), (roll + np.pi, np.pi - pitch, yaw + np.pi)):
        angles = np.stack(triple, axis=-1)
        middle = (region.lower[3:] + region.upper[3:]) / 2.0
        angles = angles - 2 * np.pi * np.rint((angles - middle) / (2 * np.pi))
        excess = np.maximum(np.maximum(region.lower[3:] - angles, angles - region.upper[3:]), 0.0)
        found.append(excess.max(-1))
    return away.max(-1), np.minimum(*found)


def assert_inside(region, targets, tips):
    """Tips (..., 4, 4) are inside, and bounds that leave room are kept exactly."""
    away, turned = outside(region, targets, tips)
    assert away.max() <= 1e-5 and turned.max() <= 1.01e-5
    narrow = region.upper - region.lower < 1e-4
    if region.cone_axis is None and not narrow[3:].any():
        lower = np.where(narrow, -np.inf, region.lower)
        loose = TaskSpaceRegion(lower, np.where(narrow, np.inf, region.upper))
        assert max(map(np.max, outside(loose, targets, tips))) <= 1e-12
