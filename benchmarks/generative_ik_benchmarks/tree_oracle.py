"""Forward kinematics of several tips by pinocchio, on any kind of base, as the truth."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.joint_values import JointValues
from generative_ik_benchmarks.oracle import Oracle, require_oracle
from generative_ik_benchmarks.tree_cases import TreeCase

ROOT_JOINTS = tuple(f"world_{part}" for part in ("x", "y", "z", "roll", "pitch", "yaw"))
"""Names of the joints of a floating base."""


class RobotFrames:
    """Poses of a robot's links in the world, by pinocchio, from the URDF text alone.

    Args:
        urdf: The robot's description, without joints of a floating base.
        joint_names: The joints, in the order of the configurations; those of a floating base are
            among them where it floats.
        standing: Positions of other joints [rad or m]; 0 for those not named.

    Attributes:
        floats: Whether the base floats.

    Raises:
        MissingDependencyError: pinocchio is not installed.
    """

    def __init__(
        self,
        urdf: str,
        joint_names: Sequence[str],
        standing: Mapping[str, float] | None = None,
    ):
        """Build pinocchio's model and find where each joint's value goes."""
        require_oracle()
        import pinocchio

        self._pin: Any = pinocchio
        self.model = self._pin.buildModelFromXML(urdf)
        self._data = self.model.createData()
        own = [name for name in joint_names if name not in ROOT_JOINTS]
        self._own = [list(joint_names).index(name) for name in own]
        self.values = JointValues(self.model, urdf, own, standing)
        self.floats = len(own) < len(joint_names)
        self._root = [list(joint_names).index(n) for n in ROOT_JOINTS] if self.floats else []

    def frame(self, link: str) -> int:
        """Return the number of a link."""
        return self.model.getFrameId(link, self._pin.FrameType.BODY)

    def in_world(self, row: NDArray[np.float64], frames: Sequence[int]) -> NDArray[np.float64]:
        """Return the poses (F, 4, 4) of links for a configuration (n,)."""
        q = self.values.of(row[self._own])
        self._pin.framesForwardKinematics(self.model, self._data, q)
        poses = np.array([self._data.oMf[k].homogeneous for k in frames])
        return self.root_in_world(row) @ poses if self.floats else poses

    def root_in_world(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the pose (4, 4) of the root: Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll)."""
        pose = np.eye(4)
        if self.floats:
            numbers = row[self._root]
            pose[:3, :3] = Rotation.from_euler("xyz", numbers[3:]).as_matrix()
            pose[:3, 3] = numbers[:3]
        return pose

    def moved_by(self, frame: int) -> frozenset[int]:
        """Return the joints of pinocchio's that move a link against the root."""
        above = self.model.supports[self.model.frames[frame].parentJoint]
        return self.values.moving.intersection(above)

    def moves(self, frame: int) -> bool:
        """Say whether a link moves in the world."""
        return self.floats or bool(self.moved_by(frame))


class TreeOracle:
    """Forward kinematics of one tree by pinocchio.

    Args:
        case: The tree; only the names of its joints are taken from the package.
    """

    def __init__(self, case: TreeCase):
        """Find the links."""
        self.robot = RobotFrames(case.plain_urdf, case.chain.joint_names)
        self._tips = [self.robot.frame(link) for link in case.tip_links]
        # "" is the world itself.
        references = [case.reference_links.get(tip, case.base_link) for tip in case.tip_links]
        self._references = [self.robot.frame(link) if link else None for link in references]

    def forward(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each tip in its reference (N, K, 4, 4) for configurations (N, n)."""
        return np.array([self._tips_of(row) for row in positions]).reshape(
            -1, len(self._tips), 4, 4
        )

    def _tips_of(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        known = [frame for frame in self._references if frame is not None]
        poses = dict(
            zip(
                [*self._tips, *known],
                self.robot.in_world(row, [*self._tips, *known]),
                strict=True,
            )
        )
        return np.array(
            [
                poses[tip] if frame is None else np.linalg.inv(poses[frame]) @ poses[tip]
                for tip, frame in zip(self._tips, self._references, strict=True)
            ]
        )


def oracle_of(case: ChainCase | TreeCase) -> Oracle | TreeOracle:
    """Return the oracle of a chain or tree, from the text that it was read from."""
    return TreeOracle(case) if isinstance(case, TreeCase) else Oracle.of(case)
