"""Forward kinematics by pinocchio, which shares no code with the package, as the truth."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.joint_values import JointValues
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
        self._values = JointValues(self._model, urdf, joint_names)

    @classmethod
    def of(cls, case: ChainCase) -> "Oracle":
        """Return the oracle of a chain, from the text that the chain was read from."""
        return cls(case.plain_urdf, case.base_link, case.tip_link, case.chain.joint_names)

    def forward(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the tip in base (N, 4, 4) for configurations (N, n)."""
        return np.array([self._tip_in_base(row) for row in positions]).reshape(-1, 4, 4)

    def _tip_in_base(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        self._pin.framesForwardKinematics(self._model, self._data, self._values.of(row))
        frames = self._data.oMf
        return (frames[self._base].inverse() * frames[self._tip]).homogeneous
