"""Damped least squares with pinocchio's Jacobians, from random restarts."""

from typing import Any

import numpy as np

from generative_ik_benchmarks.peers.tree_restarts import TreeRestarts
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

    def aim(self, goals: Floats) -> None:
        """Take goals, see `TreeRestarts`."""
        self._goals = [self.pin.SE3(goal) for goal in goals]

    def step(self, q: Floats) -> Floats | None:
        """Take a damped step, see `TreeRestarts`."""
        errors, jacobian = self._errors, self._jacobian
        damped = jacobian.T @ jacobian + (1e-2 * errors @ errors + 1e-9) * np.eye(self.model.nv)
        step = np.linalg.solve(damped, -jacobian.T @ errors)
        q = self.pin.integrate(self.model, q, step)
        return np.clip(q, self.model.lowerPositionLimit, self.model.upperPositionLimit)

    def errors(self, q: Floats) -> Floats:
        """Return the errors and keep them with their Jacobian, see `TreeRestarts`."""
        pin, model, data = self.pin, self.model, self._data
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        errors, rows = [], []
        for tip, reference, goal in zip(self._tips, self._references, self._goals, strict=True):
            tip_in_reference = data.oMf[reference].actInv(data.oMf[tip])
            off = goal.actInv(tip_in_reference)
            jacobian = pin.getFrameJacobian(model, data, tip, pin.LOCAL)
            if model.frames[reference].parentJoint:
                moved = pin.getFrameJacobian(model, data, reference, pin.LOCAL)
                jacobian = jacobian - tip_in_reference.inverse().action @ moved
            errors.append(pin.log6(off).vector)
            rows.append(pin.Jlog6(off) @ jacobian)
        self._errors, self._jacobian = np.concatenate(errors), np.concatenate(rows)
        return self._errors
