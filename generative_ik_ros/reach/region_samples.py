"""Poses of a task space region, to look it up by."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.region import AXES, TaskSpaceRegion
from generative_ik_ros.robot.rigid import turn

_SAMPLES = 32
_UNIT = np.eye(3)


def region_samples(region: TaskSpaceRegion, reach: float) -> NDArray[np.float64]:
    """Return the middle of a region and random poses of it, (32, 4, 4) in the target's frame [m].

    Bounds are cut at the arm's reach [m] and at half turns about zero; an exact pose is returned
    alone.
    """
    if region.is_exact:
        return np.eye(4)[None]
    most = np.array([reach, reach, reach, np.pi, np.pi, np.pi])
    lower, upper = np.clip(region.lower, -most, most), np.clip(region.upper, -most, most)
    shares = np.random.default_rng(0).uniform(size=(_SAMPLES, 8))
    shares[0] = 0.5
    x, y, z, roll, pitch, yaw = (lower + shares[:, :6] * (upper - lower)).T
    poses = turn(_UNIT[2], yaw) @ turn(_UNIT[1], pitch) @ turn(_UNIT[0], roll)
    if region.cone_axis is not None:
        axis = AXES.index(region.cone_axis)
        spin = turn(_UNIT[axis], 2.0 * np.pi * shares[:, 6])
        tilt = turn(_UNIT[(axis + 1) % 3], region.half_angle * np.sqrt(shares[:, 7]))
        about = turn(_UNIT[axis], 2.0 * np.pi * shares[:, 5])
        poses = about @ tilt @ spin
    poses[:, :3, 3] = np.column_stack([x, y, z])
    return poses
