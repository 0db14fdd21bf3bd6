"""Reachability maps made by hand, whose every number is known, and the poses of any."""

import numpy as np

from generative_ik_ros.reach.reachability_map import ReachabilityMap


def poses_of(reach):
    """Every pose that a map says something about, (P, D, R, 4, 4)."""
    poses = np.zeros((*reach.reachable.shape, 4, 4))
    poses[..., :3, :3] = reach.orientations
    poses[..., :3, 3] = reach.positions[:, None, None]
    poses[..., 3, 3] = 1.0
    return poses


def ball(chain, *, cells=8, resolution=0.2, **measures):
    """A ball of voxels around the first joint's axis, filled the more the nearer to its middle.

    Six directions, along the axes, with four turns each; a voxel at a share s of the radius
    reaches the first round(24 (1 - s)) of them. Voxels outside the ball reach none.
    """
    half = cells * resolution / 2.0
    voxels = np.argwhere(np.ones((cells, cells, cells), bool)).astype(np.int32)
    hub = chain.canonical.first_joint_in_base[:3, 3]
    origin = hub - half
    positions = origin + (voxels + 0.5) * resolution
    away = np.linalg.norm(positions - hub, axis=1) / half
    count = np.clip(np.round(24.0 * (1.0 - away)), 0, 24).astype(int)
    reachable = (np.arange(24) < count[:, None]).reshape(-1, 6, 4)
    directions = np.concatenate([np.eye(3), -np.eye(3)])
    orientations = np.empty((6, 4, 3, 3))
    for d, z in enumerate(directions):
        for r in range(4):
            x = np.roll(z, 1) if r % 2 == 0 else np.roll(z, 2)
            x = x if r < 2 else -x
            orientations[d, r] = np.column_stack([x, np.cross(z, x), z])
    return ReachabilityMap(
        fingerprint=chain.fingerprint,
        base_link=chain.base_link,
        tip_link=chain.tip_link,
        resolution=resolution,
        origin=origin,
        positions=positions,
        voxels=voxels,
        approach=np.array([0.0, 0.0, 1.0]),
        directions=directions,
        orientations=orientations,
        reachable=reachable,
        **{name: values(reachable) for name, values in measures.items()},
    )
