"""Features of canonical poses, the input of flows and distal networks; torch."""

import torch
from torch import Tensor

from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.ikflow.config import FlowConfig

SIDE = 19
"""Numbers of a pose seen from one end in "cylindrical"; the other end's follow."""
_SHAPE = (9, 2, 13, 14, 15)
"""Of these, what the outer joints do not change: radius, height, direction of the axis."""
_AZIMUTH = (10, 11, 12)
"""And the azimuth, which they do change: its cosine, its sine and itself."""
COLUMNS = {
    "6d": tuple(range(9)),
    "cylindrical": tuple(range(2 * SIDE)),
    "turned": tuple(c + side for side in (0, SIDE) for c in _SHAPE + _AZIMUTH),
    "reduced": tuple(c + side for side in (0, SIDE) for c in _SHAPE),
}
"""Which of the cylindrical numbers a pose input takes."""


def num_features(pose_input: str) -> int:
    """Return how many numbers stand for a pose."""
    return 7 if pose_input == "quaternion" else len(COLUMNS[pose_input])


def pose_features(config: FlowConfig | DistalConfig, last_in_first: Tensor) -> Tensor:
    """Turn canonical poses into features.

    "cylindrical" has, for the pose and for its inverse, the position p, two columns of the
    rotation (its z axis, about which the last joint turns, and its x axis), the radius and azimuth
    of p, and both columns turned back by the azimuth. The first joint only shifts the azimuth of
    the pose, the last one only that of the inverse, which a small network then need not learn.
    "turned" is without redundancy: radius, height, the turned z axis and the azimuth of each side.
    "reduced" has no azimuths either.

    Args:
        config: Which features, and the length scale.
        last_in_first: (..., 4, 4) last joint frame in the first joint frame, see
            `KinematicChain.canonical_target` [m].

    Returns:
        (..., F) numbers of about unit size.
    """
    rotation = last_in_first[..., :3, :3]
    position = last_in_first[..., :3, 3] / config.position_scale
    if config.pose_input == "quaternion":
        return torch.cat([position, _quaternion(rotation)], dim=-1)
    back = -(rotation.mT @ position[..., None]).squeeze(-1)
    sides = [_cylindrical(position, rotation), _cylindrical(back, rotation.mT)]
    return torch.cat(sides, dim=-1)[..., list(COLUMNS[config.pose_input])]


def _cylindrical(position: Tensor, rotation: Tensor) -> Tensor:
    x, y = position[..., 0], position[..., 1]
    radius = torch.sqrt(x * x + y * y + 1e-12)
    cosine, sine = x / radius, y / radius
    azimuth = torch.atan2(y, x) / torch.pi
    turned = []
    for axis in (rotation[..., :, 2], rotation[..., :, 0]):
        turned += [
            cosine * axis[..., 0] + sine * axis[..., 1],
            cosine * axis[..., 1] - sine * axis[..., 0],
            axis[..., 2],
        ]
    scalars = torch.stack([radius, cosine, sine, azimuth, *turned], dim=-1)
    return torch.cat([position, rotation[..., :, 2], rotation[..., :, 0], scalars], dim=-1)


def _quaternion(rotation: Tensor) -> Tensor:
    """Return unit quaternions (..., 4) as x, y, z, w with w >= 0.

    Shepperd's method: the largest of four candidates, so that no root vanishes.
    """
    r = rotation
    trace = r[..., 0, 0] + r[..., 1, 1] + r[..., 2, 2]
    x, y, z = (1.0 + 2.0 * r[..., i, i] - trace for i in range(3))
    w = 1.0 + trace
    wx, wy, wz = (r[..., i, j] - r[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    xy, xz, yz = (r[..., i, j] + r[..., j, i] for i, j in ((1, 0), (2, 0), (2, 1)))
    rows = [x, xy, xz, wx, xy, y, yz, wy, xz, yz, z, wz, wx, wy, wz, w]
    rows = torch.stack(rows, dim=-1).unflatten(-1, (4, 4))
    largest = torch.stack([x, y, z, w], dim=-1).argmax(dim=-1)
    best = largest[..., None, None].expand(*largest.shape, 1, 4)
    quaternion = torch.nn.functional.normalize(rows.gather(-2, best).squeeze(-2), dim=-1)
    return torch.where(quaternion[..., 3:] < 0.0, -quaternion, quaternion)
