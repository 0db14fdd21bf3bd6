"""Forward kinematics by pinocchio, which shares no code with the package, as the truth."""

from collections.abc import Sequence
from importlib.util import find_spec
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_ros.errors import MissingDependencyError


def require_oracle() -> None:
    """Refuse to measure what could not be checked.

    Raises:
        MissingDependencyError: pinocchio is not installed.
    """
    if find_spec("pinocchio") is None:
        raise MissingDependencyError(
            "evaluation checks every result with pinocchio, which is not installed: "
            "pip install ./benchmarks in a checkout, or pip install pin"
        )


class Oracle:
    """Forward kinematics of one chain by pinocchio, from the URDF text alone.

    Args:
        urdf: The robot's description.
        base_link: The frame of the poses.
        tip_link: The link they place.
        joint_names: The joints, in the order of the configurations.

    Raises:
        MissingDependencyError: pinocchio is not installed.
    """

    def __init__(self, urdf: str, base_link: str, tip_link: str, joint_names: Sequence[str]):
        """Build pinocchio's model and find where each joint's value goes."""
        require_oracle()
        import pinocchio

        self._pin = pinocchio
        self._model = pinocchio.buildModelFromXML(urdf)
        self._data = self._model.createData()
        self._base = self._model.getFrameId(base_link, pinocchio.FrameType.BODY)
        self._tip = self._model.getFrameId(tip_link, pinocchio.FrameType.BODY)
        # Pinocchio reads a mimic joint as a free one; its value is filled in from the leader's.
        driven_by = [(i, name, 1.0, 0.0) for i, name in enumerate(joint_names)]
        for joint in ElementTree.fromstring(urdf).iter("joint"):
            for mimic in joint.findall("mimic"):
                leader = mimic.get("joint", "")
                if leader in joint_names:
                    factor, shift = mimic.get("multiplier", "1"), mimic.get("offset", "0")
                    index = list(joint_names).index(leader)
                    driven_by.append((index, joint.get("name", ""), float(factor), float(shift)))
        self._driven_by = [
            (index, self._model.joints[self._model.getJointId(name)], factor, shift)
            for index, name, factor, shift in driven_by
        ]

    @classmethod
    def of(cls, case: ChainCase) -> "Oracle":
        """Return the oracle of a chain, from the text that the chain was read from."""
        return cls(case.plain_urdf, case.base_link, case.tip_link, case.chain.joint_names)

    def forward(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the tip in base (N, 4, 4) for configurations (N, n)."""
        return np.array([self._tip_in_base(row) for row in positions]).reshape(-1, 4, 4)

    def _tip_in_base(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        values = self._pin.neutral(self._model)
        for index, joint, factor, shift in self._driven_by:
            value = factor * row[index] + shift
            # Pinocchio keeps a continuous joint as a point on the unit circle.
            cell = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
            values[joint.idx_q : joint.idx_q + joint.nq] = cell
        self._pin.framesForwardKinematics(self._model, self._data, values)
        frames = self._data.oMf
        return (frames[self._base].inverse() * frames[self._tip]).homogeneous
