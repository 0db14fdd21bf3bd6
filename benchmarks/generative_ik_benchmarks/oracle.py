"""Forward kinematics of chains and trees by pinocchio, as the truth.

Pinocchio shares no code with the package, and reads the description's text itself.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats
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

    def of(self, row: Floats) -> Floats:
        """Return pinocchio's vector for a configuration (n,)."""
        values = self.standing.copy()
        for index, joint, factor, shift in self._driven_by:
            self._put(values, joint, factor * row[index] + shift)
        return values

    @staticmethod
    def _put(values: Floats, joint: Any, value: float) -> None:  # noqa: ANN401
        # Pinocchio keeps a continuous joint as a point on the unit circle.
        cell = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
        values[joint.idx_q : joint.idx_q + joint.nq] = cell


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
        model: Pinocchio's, and its `data`.
        values: Where configurations go.
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
        self.data = self.model.createData()
        own = [name for name in joint_names if name not in ROOT_JOINTS]
        self._own = [list(joint_names).index(name) for name in own]
        self.values = JointValues(self.model, urdf, own, standing)
        self.floats = len(own) < len(joint_names)
        self._root = [list(joint_names).index(n) for n in ROOT_JOINTS] if self.floats else []

    def frame(self, link: str) -> int:
        """Return the number of a link."""
        return self.model.getFrameId(link, self._pin.FrameType.BODY)

    def in_world(self, row: Floats, frames: Sequence[int]) -> Floats:
        """Return the poses (F, 4, 4) of links for a configuration (n,)."""
        q = self.values.of(row[self._own])
        self._pin.framesForwardKinematics(self.model, self.data, q)
        poses = np.array([self.data.oMf[k].homogeneous for k in frames])
        return self.root_in_world(row) @ poses if self.floats else poses

    def root_in_world(self, row: Floats) -> Floats:
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


class Oracle:
    """Forward kinematics of one chain by pinocchio, from the URDF text alone.

    Raises:
        MissingDependencyError: pinocchio is not installed.
    """

    def __init__(self, urdf: str, base_link: str, tip_link: str, joint_names: Sequence[str]):
        """Find the links."""
        self.robot = RobotFrames(urdf, joint_names)
        self.base, self.tip = self.robot.frame(base_link), self.robot.frame(tip_link)

    @classmethod
    def of(cls, case: ChainCase) -> "Oracle":
        """Return the oracle of a chain, from the text that the chain was read from."""
        return cls(case.plain_urdf, case.base_link, case.tip_link, case.chain.joint_names)

    def forward(self, positions: Floats) -> Floats:
        """Return the tip in base (N, 4, 4) for configurations (N, n)."""
        poses = [self.robot.in_world(row, (self.base, self.tip)) for row in positions]
        base, tip = np.array(poses).reshape(-1, 2, 4, 4).swapaxes(0, 1)
        return np.linalg.inv(base) @ tip


class TreeOracle:
    """Forward kinematics of one tree by pinocchio; only names of joints are the package's."""

    def __init__(self, case: TreeCase):
        """Find the links."""
        self.robot = RobotFrames(case.plain_urdf, case.chain.joint_names)
        self._tips = [self.robot.frame(link) for link in case.tip_links]
        # "" is the world itself.
        references = [case.reference_links.get(tip, case.base_link) for tip in case.tip_links]
        self._references = [self.robot.frame(link) if link else None for link in references]

    def forward(self, positions: Floats) -> Floats:
        """Return each tip in its reference (N, K, 4, 4) for configurations (N, n)."""
        return np.array([self._tips_of(row) for row in positions]).reshape(
            -1, len(self._tips), 4, 4
        )

    def _tips_of(self, row: Floats) -> Floats:
        known = [frame for frame in self._references if frame is not None]
        frames = [*self._tips, *known]
        poses = dict(zip(frames, self.robot.in_world(row, frames), strict=True))
        tips = [
            poses[tip] if frame is None else np.linalg.inv(poses[frame]) @ poses[tip]
            for tip, frame in zip(self._tips, self._references, strict=True)
        ]
        return np.array(tips)


def oracle_of(case: ChainCase | TreeCase) -> Oracle | TreeOracle:
    """Return the oracle of a chain or tree, from the text that it was read from."""
    return TreeOracle(case) if isinstance(case, TreeCase) else Oracle.of(case)
