"""How far tips are outside of regions, by formulas of its own."""

import numpy as np


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
