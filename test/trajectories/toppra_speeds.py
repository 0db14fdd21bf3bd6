"""Speeds along a curve by toppra, the library of the method's authors."""

import logging

import numpy as np


class Sampled:
    """A curve that is known at its grid points, where alone toppra's constraints look at it."""

    def __init__(self, grid, *derivatives):
        self.dof, self.path_interval = derivatives[0].shape[1], grid[[0, -1]]
        self._grid, self._derivatives = grid, (derivatives[0], *derivatives)

    def __call__(self, where, order=0):
        return self._derivatives[order][np.searchsorted(self._grid, where)]


def squared_speeds_by_toppra(curve, limits):
    """Return what `squared_speeds` returns."""
    from toppra import algorithm, constraint

    free = 1e9  # no limit
    logging.getLogger("toppra").setLevel(logging.ERROR)
    # toppra's limits are the same everywhere. So joints move in shares of what they may
    # accelerate by, and one more joint in shares of the largest speed.
    with np.errstate(divide="ignore"):
        fastest = np.minimum(limits.largest, (limits.velocity / np.abs(curve.first)).min(axis=1))
    pace = 1.0 / np.minimum(fastest, free)[:, None]
    sampled = Sampled(
        curve.grid,
        np.hstack([curve.first / limits.acceleration, pace]),
        np.hstack([curve.second / limits.acceleration, np.zeros_like(pace)]),
    )
    bounds = np.ones((sampled.dof, 1))
    scheme = constraint.DiscretizationType.Collocation
    bounds[-1] = free
    accelerations = constraint.JointAccelerationConstraint(bounds * (-1.0, 1.0), scheme)
    velocities = constraint.JointVelocityConstraint(free / bounds * (-1.0, 1.0))
    asked = [velocities, accelerations], sampled, curve.grid
    found = algorithm.TOPPRA(*asked, solver_wrapper="seidel")
    speeds = found.compute_parameterization(0.0, 0.0)[1]
    assert speeds is not None and np.isfinite(speeds).all()
    return np.square(speeds)
