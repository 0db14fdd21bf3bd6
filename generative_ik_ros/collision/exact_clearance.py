"""The distance between a robot and everything else, by the shapes themselves."""

import math

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.exact import ExactChecker
from generative_ik_ros.collision.placement import Part, Parts
from generative_ik_ros.collision.primitives import primitive_numbers
from generative_ik_ros.collision.shapes import Sphere


def exact_clearance(parts: Parts, exact: ExactChecker, frames: NDArray[np.float64]) -> float:
    """Return the distance of the nearest pair of things [m]; inf if there is nothing.

    Pairs are measured in the order of the distances of the spheres around them, until no other
    pair can be nearer.

    Args:
        parts: Links and obstacles.
        exact: Measures.
        frames: Where the compiled check has placed the robot's frames.
    """
    pairs = [(parts.bodies[i], parts.bodies[j]) for i, j, _ in parts.pairs]
    spared = set(parts.allowed)
    pairs += [
        (parts.bodies[i], part)
        for i in range(parts.num_moving)
        for k, part in enumerate(parts.primitives)
        if (i, k) not in spared
    ]
    if not pairs:
        return math.inf
    spheres = {id(part): _around(part, frames) for pair in pairs for part in pair}
    gaps = np.array(
        [
            np.linalg.norm(spheres[id(one)][:3] - spheres[id(other)][:3])
            - spheres[id(one)][3]
            - spheres[id(other)][3]
            for one, other in pairs
        ]
    )
    best = math.inf
    for k in np.argsort(gaps).tolist():
        if gaps[k] >= best:
            break
        one, other = pairs[k]
        if other.points is None:
            place = other.placed(frames)
            gap = exact.distance(one.shapes, one.placed(frames), other.shapes, place)
        else:
            gap = _from_points(exact, one, spheres[id(one)], other, frames, best)
        best = min(best, gap)
    return max(best, 0.0)


def _around(part: Part, frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sphere (4,) around a part, in the root link."""
    if part.body is not None:
        root = part.body.cover.levels[0][0]
    else:
        shape = part.shapes[0]
        numbers = primitive_numbers(shape)
        assert numbers is not None  # noqa: S101
        root = np.append(shape.pose[:3, 3], np.linalg.norm(numbers[1]) + numbers[2])
    pose = part.placed(frames)
    return np.append(pose[:3, :3] @ root[:3] + pose[:3, 3], root[3])


def _from_points(
    exact: ExactChecker,
    one: Part,
    around: NDArray[np.float64],
    cloud: Part,
    frames: NDArray[np.float64],
    best: float,
) -> float:
    """Return the distance from a cloud, or `best` if that is less."""
    place, pose = cloud.placed(frames), one.placed(frames)
    assert cloud.points is not None  # noqa: S101
    points = cloud.points @ place[:3, :3].T + place[:3, 3]
    gaps = np.linalg.norm(points - around[:3], axis=1) - around[3] - cloud.radius
    ball = (Sphere(cloud.radius),)
    for k in np.argsort(gaps).tolist():
        if gaps[k] >= best:
            break
        at = np.eye(4)
        at[:3, 3] = points[k]
        best = min(best, exact.distance(one.shapes, pose, ball, at))
    return best
