"""How a reachability map agrees with forward kinematics of random configurations."""

from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_ros.array_types import Floats
from generative_ik_ros.reach.out_of_reach import OutOfReach
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.chain import KinematicChain

_MEASURED = 10_000
"""Samples of which the nearest cell that is reached is looked for."""
_AROUND = 3
"""Voxels within which it is looked for, to either side."""
_PIECE = 100_000


@dataclass(frozen=True)
class Agreement:
    """What the poses of random configurations say about a map."""

    resolution: float = figure("Edge of a voxel [m].")
    covering: float = figure(
        "Largest angle between a rotation and the orientation of its cell [rad]."
    )
    samples: int = figure("Configurations.")
    outside: int = figure("Those whose pose is in no voxel.")
    other: float = figure("Share of them in a cell whose own pose is not reached.")
    distance: float = figure(
        "Largest distance of these from a cell that is reached: of the position from its "
        "voxel's centre [m]."
    )
    angle: float = figure("Likewise, of the rotation from the cell's orientation [rad].")
    proved: int = figure(
        "Poses that the map proves to be out of reach, although they are reached."
    )


def agreement_of(found: ReachabilityMap, chain: KinematicChain, tips: Floats) -> Agreement:
    """Compare a map of a chain with poses (N, 4, 4) that it reaches [m]."""
    proof = OutOfReach(found, chain)
    outside = proved = 0
    others = []
    for start in range(0, len(tips), _PIECE):
        some = tips[start : start + _PIECE]
        row, direction, turn = found.lookup(some)
        outside += int((row < 0).sum())
        proved += int(proof.proves(some).sum())
        others.append(some[(row >= 0) & ~found.reachable[row, direction, turn]])
    lost = np.concatenate(others)
    distance, angle = _worst(found, lost[:_MEASURED], proof.covering)
    return Agreement(
        resolution=found.resolution,
        covering=proof.covering,
        samples=len(tips),
        outside=outside,
        other=len(lost) / len(tips),
        distance=distance,
        angle=angle,
        proved=proved,
    )


def _worst(found: ReachabilityMap, poses: Floats, covering: float) -> tuple[float, float]:
    """Return the largest distance [m] and angle [rad] of poses from the nearest reached cell.

    Near is what takes the fewest cells, in position or in orientation, whichever are more.
    """
    reached = found.reachable.reshape(len(found.positions), -1)
    orientations = found.orientations.reshape(-1, 9)
    rows = np.full(found.voxels.max(axis=0) + 1 + 2 * _AROUND, -1)
    rows[tuple((found.voxels + _AROUND).T)] = np.arange(len(found.voxels))
    shifts = np.array(list(np.ndindex(*[2 * _AROUND + 1] * 3)))
    radius = found.resolution * np.sqrt(0.75)
    distances, angles = [0.0], [0.0]
    for pose, row in zip(poses, found.lookup(poses)[0], strict=True):
        near = rows[tuple((found.voxels[row] + shifts).T)]
        near = near[near >= 0]
        gap = np.linalg.norm(found.positions[near] - pose[:3, 3], axis=1)
        cosine = (orientations @ pose[:3, :3].ravel() - 1.0) / 2.0
        turn = np.arccos(np.clip(cosine, -1.0, 1.0))
        cells = np.maximum(gap[:, None] / radius, turn / covering)
        cells[~reached[near]] = np.inf
        place, orientation = np.unravel_index(cells.argmin(), cells.shape)
        distances.append(gap[place])
        angles.append(turn[orientation])
    return float(max(distances)), float(max(angles))
