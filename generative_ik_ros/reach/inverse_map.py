"""The inverse use of a reachability map: how many of given tasks are in reach from a base."""

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.reach.base_rating import Ratings, Tasks
from generative_ik_ros.reach.neighbours import perhaps_reached, widest_gap
from generative_ik_ros.reach.reachability_map import ReachabilityMap, check_fits
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region import AXES, TaskSpaceRegion
from generative_ik_ros.robot.rigid import inverse, turn

_UNKNOWN = 1e3
"""What is missed where there is no telling how far the arm stays away [m]."""


def region_samples(region: TaskSpaceRegion, reach: float) -> Floats:
    """Return the middle of a region and random poses of it, (32, 4, 4) in the target's frame [m].

    Bounds are cut at the arm's reach [m] and at half turns about zero; an exact pose is returned
    alone.
    """
    if region.is_exact:
        return np.eye(4)[None]
    unit = np.eye(3)
    most = np.array([reach, reach, reach, np.pi, np.pi, np.pi])
    lower, upper = np.clip(region.lower, -most, most), np.clip(region.upper, -most, most)
    shares = np.random.default_rng(0).uniform(size=(32, 8))
    shares[0] = 0.5
    x, y, z, roll, pitch, yaw = (lower + shares[:, :6] * (upper - lower)).T
    poses = turn(unit[2], yaw) @ turn(unit[1], pitch) @ turn(unit[0], roll)
    if region.cone_axis is not None:
        axis = AXES.index(region.cone_axis)
        spin = turn(unit[axis], 2.0 * np.pi * shares[:, 6])
        tilt = turn(unit[(axis + 1) % 3], region.half_angle * np.sqrt(shares[:, 7]))
        about = turn(unit[axis], 2.0 * np.pi * shares[:, 5])
        poses = about @ tilt @ spin
    poses[:, :3, 3] = np.column_stack([x, y, z])
    return poses


class InverseMap:
    """Rates bases by the cells of a map that tasks fall into; the scores are reachability indices.

    Args:
        map: The map.
        chain: Its chain.
        tasks: What is to be reached; of a region, some of its poses are looked up.
    """

    def __init__(self, map: ReachabilityMap, chain: KinematicChain, tasks: Tasks):
        """Check the map, and choose the poses of regions."""
        check_fits(map, chain)
        self._map, self._chain, self._tasks, self._index = map, chain, tasks, map.index
        self._near = perhaps_reached(
            map, widest_gap(map), chain.joint_origins[0, :3, 3], chain.reach
        ).reshape(map.reachable.shape)
        self._goals = [
            pose[None]
            if tasks.regions is None
            else pose @ region_samples(tasks.regions[task], chain.reach)
            for task, pose in enumerate(tasks.poses)
        ]

    def rate(self, bases: Floats) -> Ratings:
        """Rate bases (B, 4, 4) in the world [m]; there are no configurations."""
        shape = len(bases), len(self._goals)
        scores = np.full(shape, np.nan)
        world_in_base = inverse(bases @ self._tasks.mount)
        beyond = self._tasks.beyond(bases, self._chain)
        missed, near = _UNKNOWN + np.maximum(beyond, 0.0), beyond <= 0.0
        for task, goals in enumerate(self._goals):
            some = np.flatnonzero(near[:, task])
            poses = (world_in_base[some, None] @ goals).reshape(-1, 4, 4)
            gap, index = (one.reshape(len(some), len(goals)) for one in self._rated(poses))
            # Of a region, its best pose.
            rows, best = np.arange(len(some)), np.lexsort((-index, gap), axis=1)[:, 0]
            missed[some, task], scores[some, task] = gap[rows, best], index[rows, best]
        scores[missed > 0.0] = np.nan
        return Ratings(missed, scores, np.empty((*shape, 0)))

    def _rated(self, poses: Floats) -> tuple[Floats, Floats]:
        """Return what poses (N, 4, 4) miss, roughly [m], and the reachability index there."""
        row, *orientation = self._map.lookup(poses)
        cell, inside = (row, *orientation), row >= 0
        gap = np.where(inside & self._near[cell], self._map.resolution, _UNKNOWN)
        gap[inside & self._map.reachable[cell]] = 0.0
        return gap, np.where(inside, self._index[row], 0.0)
