"""What a solution is worth to its user, measured by pinocchio, numpy and coal, as the truth."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.collision_oracle import WorldOracle
from generative_ik_benchmarks.joint_values import JointValues

Score = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Takes configurations (N, n) and returns a number of each (N,), the better the greater."""


class Manipulability:
    """The product of the singular values of the Jacobian (T. Yoshikawa, 1985), by pinocchio.

    Rows in metres and radians; six values, or as many as there are joints.

    Args:
        case: The chain, none of whose joints is mimicked.
    """

    def __init__(self, case: ChainCase):
        """Build pinocchio's model."""
        import pinocchio

        self._pin: Any = pinocchio
        self._model = self._pin.buildModelFromXML(case.plain_urdf)
        self._data = self._model.createData()
        names = case.chain.joint_names
        self._values = JointValues(self._model, case.plain_urdf, names)
        joints = [self._model.joints[self._model.getJointId(name)] for name in names]
        self._columns = [joint.idx_v for joint in joints]
        self._base, self._tip = (
            self._model.getFrameId(link, self._pin.FrameType.BODY)
            for link in (case.base_link, case.tip_link)
        )

    def __call__(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores (N,) of configurations (N, n)."""
        return np.array([self._of(row) for row in positions])

    def _of(self, row: NDArray[np.float64]) -> float:
        pin, model, data = self._pin, self._model, self._data
        pin.computeJointJacobians(model, data, self._values.of(row))
        pin.updateFramePlacements(model, data)
        tip = pin.getFrameJacobian(model, data, self._tip, pin.LOCAL)
        base = pin.getFrameJacobian(model, data, self._base, pin.LOCAL)
        relative = data.oMf[self._tip].actInv(data.oMf[self._base])
        jacobian = (tip - relative.action @ base)[:, self._columns]
        return float(np.linalg.svd(jacobian, compute_uv=False).prod())


class LimitMargin:
    """The distance from the nearest joint limit, as a share of that joint's range."""

    def __init__(self, case: ChainCase):
        """Take the limits."""
        self._lower, self._upper = case.chain.lower, case.chain.upper

    def __call__(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores (N,) of configurations (N, n), 0.5 without limits."""
        scores = np.full(len(positions), 0.5)
        for joint, (low, high) in enumerate(zip(self._lower, self._upper, strict=True)):
            if np.isfinite(low) and np.isfinite(high) and high > low:
                place = (positions[:, joint] - low) / (high - low)
                scores = np.minimum(scores, np.minimum(place, 1.0 - place))
        return scores


class Clearance:
    """The smallest distance of the robot from obstacles and from itself, by coal [m].

    Args:
        world: The robot among obstacles.
    """

    def __init__(self, world: WorldOracle):
        """Keep the world."""
        self._world = world

    def __call__(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores (N,) of configurations (N, n)."""
        return np.array([self._world.closest(row)[0] for row in positions])
