"""Pinocchio's vector of all joints of a robot, filled in from those that a configuration lists."""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray


class JointValues:
    """Where the values of some joints go; joints that mimic them follow.

    Args:
        model: Pinocchio's, in which a mimic joint is as free as any other.
        urdf: The text that it was read from.
        joint_names: The joints, in the order of the configurations.
        standing: Positions of other joints [rad or m]; 0 for those not named.

    Attributes:
        moving: Pinocchio's numbers of the joints, and of those that follow them.
        standing: Its vector with these joints at 0.
    """

    def __init__(
        self,
        model: Any,  # noqa: ANN401 (pinocchio's)
        urdf: str,
        joint_names: Sequence[str],
        standing: Mapping[str, float] | None = None,
    ):
        """Find the joints, and what mimics them."""
        import pinocchio

        self._pin: Any = pinocchio
        names, fixed = list(joint_names), dict(standing or {})
        driven_by = [(i, name, 1.0, 0.0) for i, name in enumerate(names)]
        for joint in ElementTree.fromstring(urdf).iter("joint"):
            for mimic in joint.findall("mimic"):
                leader, name = mimic.get("joint", ""), joint.get("name", "")
                factor = float(mimic.get("multiplier", "1"))
                shift = float(mimic.get("offset", "0"))
                if leader in names:
                    driven_by.append((names.index(leader), name, factor, shift))
                elif leader in fixed and name not in names:
                    fixed.setdefault(name, factor * fixed[leader] + shift)
        self._driven_by = [
            (index, model.joints[model.getJointId(name)], factor, shift)
            for index, name, factor, shift in driven_by
        ]
        self.moving = frozenset(model.getJointId(name) for _, name, _, _ in driven_by)
        self.standing = self._pin.neutral(model)
        for name, value in fixed.items():
            self._put(self.standing, model.joints[model.getJointId(name)], value)

    def of(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return pinocchio's vector for a configuration (n,)."""
        values = self.standing.copy()
        for index, joint, factor, shift in self._driven_by:
            self._put(values, joint, factor * row[index] + shift)
        return values

    @staticmethod
    def _put(values: NDArray[np.float64], joint: Any, value: float) -> None:  # noqa: ANN401
        # Pinocchio keeps a continuous joint as a point on the unit circle.
        cell = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
        values[joint.idx_q : joint.idx_q + joint.nq] = cell
