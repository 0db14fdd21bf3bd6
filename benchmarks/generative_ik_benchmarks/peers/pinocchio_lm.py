"""Damped least squares with pinocchio's Jacobians, from random restarts."""

import time
from typing import Any

import numpy as np

from generative_ik_benchmarks.peers.tree_restarts import ITERATIONS, Patience, TreeRestarts
from generative_ik_ros.array_types import Floats


class PinocchioLM(TreeRestarts):
    """What one writes with pinocchio in an afternoon: damped steps, cut off at the limits.

    The damping is 1e-2 of the squared error (T. Sugihara, Solvability-unconcerned inverse
    kinematics by the Levenberg-Marquardt method, 2011).
    """

    def __init__(self, *arguments: Any, **more: Any):  # noqa: ANN401 (of `TreeRestarts`)
        """Find the links."""
        super().__init__(*arguments, **more)
        self.name = "pinocchio, restarts"
        self._data = self.model.createData()
        self._tips = [self.frame(tip) for tip in self.case.tip_links]
        self._references = [self.frame(self.reference(tip)) for tip in self.case.tip_links]

    def descend(self, goals: Floats, q: Floats, deadline: float) -> Floats | None:
        """Step until all tips are there, see `TreeRestarts`."""
        poses = [self.pin.SE3(goal) for goal in goals]
        patience, eye = Patience(), np.eye(self.model.nv)
        for _ in range(ITERATIONS):
            errors, jacobian = self._linearised(q, poses)
            parts = np.linalg.norm(errors.reshape(-1, 2, 3), axis=2)
            if parts.max() <= 0.5 * self.tolerance:
                return q
            if patience.ends(float(parts.max())) or time.perf_counter() > deadline:
                return None
            damped = jacobian.T @ jacobian + (1e-2 * errors @ errors + 1e-9) * eye
            step = np.linalg.solve(damped, -jacobian.T @ errors)
            q = self.pin.integrate(self.model, q, step)
            q = np.clip(q, self.model.lowerPositionLimit, self.model.upperPositionLimit)
        return None

    def _linearised(self, q: Floats, poses: list[Any]) -> tuple[Floats, Floats]:
        """Return the errors (6 K,) of the tips, as the logarithm, and their Jacobian (6 K, n)."""
        pin, model, data = self.pin, self.model, self._data
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        errors, rows = [], []
        for tip, reference, goal in zip(self._tips, self._references, poses, strict=True):
            tip_in_reference = data.oMf[reference].actInv(data.oMf[tip])
            off = goal.actInv(tip_in_reference)
            jacobian = pin.getFrameJacobian(model, data, tip, pin.LOCAL)
            if model.frames[reference].parentJoint:
                moved = pin.getFrameJacobian(model, data, reference, pin.LOCAL)
                jacobian = jacobian - tip_in_reference.inverse().action @ moved
            errors.append(pin.log6(off).vector)
            rows.append(pin.Jlog6(off) @ jacobian)
        return np.concatenate(errors), np.concatenate(rows)
