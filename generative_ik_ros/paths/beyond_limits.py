"""Paths from where an encoder reads a joint a little beyond its limit, back inside."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import warn_caller
from generative_ik_ros.paths.layers import Layers
from generative_ik_ros.paths.motion import MotionCheck
from generative_ik_ros.paths.task import PathTask
from generative_ik_ros.robot.limits import beyond_limit, overshoot


def way_back_inside(task: PathTask, start: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return configurations (L, n) of the first poses that are not reached inside the limits.

    No joint is further beyond a limit than in the configuration before. From the last one the
    next pose is reached inside, or not at all. There are none where the start is further beyond a
    limit than encoders read.

    Args:
        task: Poses and bounds.
        start: (n,) where the arm is, beyond a limit [rad or m].
        most: Poses that may be reached outside the limits.
    """
    chain, (lower, upper, *steps) = task.stages.chain, task.bounds
    beyond = np.abs(start - np.clip(start, lower, upper))
    if (beyond > overshoot(chain.prismatic)).any():
        return np.empty((0, task.num_joints))
    at, outside, motions = start, [], MotionCheck(task.closely())
    for pose in range(most):
        ahead = replace(task, targets=task.targets[pose : pose + 1])
        if _next(ahead, at) is not None:
            break
        wider = np.stack([np.minimum(lower, at), np.maximum(upper, at), *steps])
        q = _next(replace(ahead, bounds=wider), at)
        if q is None or motions.collides(at, q):
            break
        outside.append(q)
        at = q
    joints = "; ".join(
        beyond_limit(chain.names[i], start[i], lower[i], upper[i]) for i in np.flatnonzero(beyond)
    )
    place = "there" if outside else "inside"
    warn_caller(f"seed_state: {joints}; the path begins {place}")
    return np.array(outside).reshape(-1, task.num_joints)


def _next(task: PathTask, at: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the configuration (n,) of the task's one pose that a step leads to, or None."""
    layers = Layers(task)
    layers.add_tracks(at[None], 0, before=True)
    return layers.positions[0, 0] if layers.usable[0, 0] else None
