"""The same speeds by toppra, the library of the method's authors."""

import logging

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, importing
from generative_ik_ros.trajectories.curve import Curve
from generative_ik_ros.trajectories.speeds import SpeedLimits

_FREE = 1e9
"""What toppra takes for no limit."""


class _Sampled:
    """A curve that is known at its grid points, where alone toppra's constraints look at it."""

    def __init__(self, grid: NDArray[np.float64], *derivatives: NDArray[np.float64]):
        self.dof, self.path_interval = derivatives[0].shape[1], grid[[0, -1]]
        self._grid, self._derivatives = grid, (derivatives[0], *derivatives)

    def __call__(self, where: NDArray[np.float64], order: int = 0) -> NDArray[np.float64]:
        return self._derivatives[order][np.searchsorted(self._grid, where)]


def squared_speeds(curve: Curve, limits: SpeedLimits) -> NDArray[np.float64]:
    """Return what `speeds.squared_speeds` returns, by toppra.

    Raises:
        MissingDependencyError: toppra is not installed.
        InvalidArgumentError: toppra finds no speeds.
    """
    with importing("law 'toppra' needs toppra", "'generative_ik_ros[trajectory]'"):
        from toppra import algorithm, constraint
    logging.getLogger("toppra").setLevel(logging.ERROR)
    # toppra's limits are the same everywhere. So joints move in shares of what they may
    # accelerate by, and one more joint in shares of the largest speed.
    with np.errstate(divide="ignore"):
        fastest = np.minimum(limits.largest, (limits.velocity / np.abs(curve.first)).min(axis=1))
    pace = 1.0 / np.minimum(fastest, _FREE)[:, None]
    sampled = _Sampled(
        curve.grid,
        np.hstack([curve.first / limits.acceleration, pace]),
        np.hstack([curve.second / limits.acceleration, np.zeros_like(pace)]),
    )
    bounds = np.ones((sampled.dof, 1))
    scheme = constraint.DiscretizationType.Collocation
    bounds[-1] = _FREE
    accelerations = constraint.JointAccelerationConstraint(bounds * (-1.0, 1.0), scheme)
    velocities = constraint.JointVelocityConstraint(_FREE / bounds * (-1.0, 1.0))
    asked = [velocities, accelerations], sampled, curve.grid
    found = algorithm.TOPPRA(*asked, solver_wrapper="seidel")
    speeds = found.compute_parameterization(0.0, 0.0)[1]
    if speeds is None or not np.isfinite(speeds).all():
        raise InvalidArgumentError("toppra finds no speeds along the path")
    return np.square(speeds)
