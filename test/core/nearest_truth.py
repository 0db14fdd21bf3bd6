"""The truth about approximations, by SciPy: many restarts of a general constrained minimiser."""

import numpy as np
from robots import bounds_of, pose_gap
from scipy.optimize import minimize


def errors_of(chain, q, target):
    """Distance [m] and angle [rad] of configurations (..., n), by the chain's own kinematics."""
    return pose_gap(chain.forward(q), target)


class Nearest:
    """Least squared angle (or distance) where the distance (or angle) is 0.

    Args:
        chain: The chain.
        target: (4, 4) tip in base [m].
        prefer: "position" or "orientation".
    """

    def __init__(self, chain, target, prefer="position"):
        self.chain, self.target, self.first = chain, target, prefer == "position"
        self.bounds = np.stack(bounds_of(chain))

    def _orientation(self, q):
        """Value 1 - cos(angle), gradient, and vector whose zero is no angle, its derivatives."""
        rotation = self.chain.forward(q)[:3, :3]
        turn = self.target[:3, :3] @ rotation.T
        s = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        angular = self.chain.jacobian(q)[3:]
        return (3.0 - np.trace(turn)) / 2.0, -angular.T @ s / 2.0, s / 2.0, angular, turn

    def cost(self, q):
        """Return what is minimised, and its gradient."""
        if self.first:
            value, slope, *_ = self._orientation(q)
            return value, slope
        gap = self.chain.forward(q)[:3, 3] - self.target[:3, 3]
        return 0.5 * gap @ gap, self.chain.jacobian(q)[:3].T @ gap

    def constraint(self, q):
        """Return what is to be 0 (3,)."""
        if self.first:
            return self.chain.forward(q)[:3, 3] - self.target[:3, 3]
        return self._orientation(q)[2]

    def slopes(self, q):
        """Return its derivatives (3, n)."""
        if self.first:
            return self.chain.jacobian(q)[:3]
        *_, angular, turn = self._orientation(q)
        # s is the sine's vector of E = target rotation^T: d s = (E^T - tr(E)) w / 2.
        return 0.5 * (turn.T - np.trace(turn) * np.eye(3)) @ angular

    def descend(self, q):
        """Return where SLSQP ends from a configuration, and its two errors; None if it fails."""
        found = minimize(
            lambda x: self.cost(x)[0], q, jac=lambda x: self.cost(x)[1], method="SLSQP",
            bounds=self.bounds.T,
            constraints={"type": "eq", "fun": self.constraint, "jac": self.slopes},
            options={"maxiter": 200, "ftol": 1e-14},
        )  # fmt: skip
        end = np.clip(found.x, *self.bounds)
        distance, angle = errors_of(self.chain, end, self.target)
        kept, other = (distance, angle) if self.first else (angle, distance)
        return (end, other) if kept <= 1e-6 else None

    def least(self, rng, restarts):
        """Return the least other error of many restarts; inf if none meets the preferred one."""
        seeds = rng.uniform(*self.bounds, (restarts, self.chain.num_joints))
        ends = [self.descend(q) for q in seeds]
        return min([one[1] for one in ends if one is not None], default=np.inf)
