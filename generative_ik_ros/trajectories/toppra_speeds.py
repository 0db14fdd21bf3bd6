"""The same speeds by toppra, the library of the method's authors."""

import logging

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError

_FREE = 1e9
"""What toppra takes for no limit."""


class _Sampled:
    """A curve that is known at its grid points, where alone toppra's constraints look at it."""

    def __init__(self, grid: NDArray[np.float64], *derivatives: NDArray[np.float64]):
        self.dof, self.path_interval = derivatives[0].shape[1], grid[[0, -1]]
        self._grid, self._derivatives = grid, (derivatives[0], *derivatives)

    def __call__(self, where: NDArray[np.float64], order: int = 0) -> NDArray[np.float64]:
        return self._derivatives[order][np.searchsorted(self._grid, where)]


def squared_speeds(
    grid: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    velocity: NDArray[np.float64],
    acceleration: NDArray[np.float64],
    largest: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what `speeds.squared_speeds` returns, by toppra.

    Raises:
        MissingDependencyError: toppra is not installed.
        InvalidArgumentError: toppra finds no speeds.
    """
    try:
        from toppra import algorithm, constraint
    except ImportError as error:
        raise MissingDependencyError(
            "law 'toppra' needs toppra, which is not installed: "
            "pip install 'generative_ik_ros[trajectory]'"
        ) from error
    logging.getLogger("toppra").setLevel(logging.ERROR)
    # toppra's limits are the same everywhere. So joints move in shares of what they may
    # accelerate by, and one more joint in shares of the largest speed.
    with np.errstate(divide="ignore"):
        fastest = np.minimum(largest, (velocity / np.abs(first)).min(axis=1))
    pace = 1.0 / np.minimum(fastest, _FREE)[:, None]
    curve = _Sampled(
        grid,
        np.hstack([first / acceleration, pace]),
        np.hstack([second / acceleration, np.zeros_like(pace)]),
    )
    bounds = np.ones((curve.dof, 1))
    scheme = constraint.DiscretizationType.Collocation
    bounds[-1] = _FREE
    accelerations = constraint.JointAccelerationConstraint(bounds * (-1.0, 1.0), scheme)
    velocities = constraint.JointVelocityConstraint(_FREE / bounds * (-1.0, 1.0))
    found = algorithm.TOPPRA([velocities, accelerations], curve, grid, solver_wrapper="seidel")
    speeds = found.compute_parameterization(0.0, 0.0)[1]
    if speeds is None or not np.isfinite(speeds).all():
        raise InvalidArgumentError("toppra finds no speeds along the path")
    return np.square(speeds)
