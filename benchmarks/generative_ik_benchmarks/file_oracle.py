"""Forward kinematics of any description, by pinocchio (URDF) or MuJoCo (MJCF)."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from generative_ik_benchmarks.chains import plain_text
from generative_ik_benchmarks.oracle import RobotFrames
from generative_ik_benchmarks.robot_files import RobotFile
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.description_source import safe_tree
from generative_ik_ros.robot.formats import FORMATS
from generative_ik_ros.robot.mjcf_model import compile_model, mujoco_module


class FileOracle:
    """Poses of some links in another, with other joints at zero.

    Args:
        file: The robot's description.
        joint_names: The joints, in the order of the configurations.
        base_link: The link in which poses are given.
        tip_links: The links that are placed.
        on_floor: Whether three joints come first, x y yaw of the base on a floor, in which the
            poses are given then.

    Raises:
        UnsupportedChainError: Nothing independent reads the description; the message says why.
    """

    def __init__(
        self,
        file: RobotFile,
        joint_names: Sequence[str],
        base_link: str,
        tip_links: Sequence[str],
        *,
        on_floor: bool = False,
    ):
        """Read the description, by others alone."""
        self._links, self._on_floor = (base_link, *tip_links), on_floor
        names = joint_names[3:] if on_floor else joint_names
        kinds = {"URDF": _PinocchioFrames, "MJCF": _MujocoFrames}
        kind = kinds.get(file.format.removeprefix("xacro, "))
        if kind is None:
            raise UnsupportedChainError(
                "it loads, but neither pinocchio nor MuJoCo reads SDF to check it"
            )
        try:
            self._frames = kind(file, names)
            self._frames.poses(np.zeros(len(names)), self._links)
        except (ValueError, RuntimeError, KeyError, IndexError, ElementTree.ParseError) as error:
            reason = " ".join(str(error).split())
            raise UnsupportedChainError(
                f"it loads, but {kind.reader} does not read it to check it: {reason}"
            ) from error

    def forward(self, positions: Floats) -> Floats:
        """Return each tip in the base (N, K, 4, 4) for configurations (N, n)."""
        return np.array([self._tips(row) for row in positions]).reshape(
            -1, len(self._links) - 1, 4, 4
        )

    def _tips(self, row: Floats) -> Floats:
        base, *tips = self._frames.poses(row[3:] if self._on_floor else row, self._links)
        tips_in_base = np.linalg.inv(base) @ np.array(tips)
        return _on_floor(*row[:3]) @ tips_in_base if self._on_floor else tips_in_base


def _on_floor(x: float, y: float, yaw: float) -> Floats:
    """Return the pose (4, 4) of a base on a floor."""
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    pose[:2, 3] = x, y
    return pose


class _PinocchioFrames:
    """A URDF's links in the world, by pinocchio."""

    reader = "pinocchio"

    def __init__(self, file: RobotFile, joint_names: Sequence[str]):
        """Build pinocchio's model."""
        # Elements of prefixes that are not declared are no XML to others.
        text = ElementTree.tostring(safe_tree(file.text, FORMATS), encoding="unicode")
        self._robot = RobotFrames(plain_text(text), joint_names)

    def poses(self, q: Floats, links: Sequence[str]) -> Floats:
        """Return the poses (L, 4, 4) of links for a configuration (n,).

        Raises:
            KeyError: Pinocchio has no such link.
        """
        frames = [self._robot.frame(link) for link in links]
        for link, frame in zip(links, frames, strict=True):
            if frame >= len(self._robot.model.frames):
                raise KeyError(link)
        return self._robot.in_world(q, frames)


class _MujocoFrames:
    """Bodies and sites of an MJCF in the world, by MuJoCo."""

    reader = "MuJoCo"

    def __init__(self, file: RobotFile, joint_names: Sequence[str]):
        """Compile MuJoCo's model, without meshes."""
        self._mujoco: Any = mujoco_module()
        self._model = compile_model(ElementTree.fromstring(file.text), file.path).model
        self._data = self._mujoco.MjData(self._model)
        model = self._model
        self._places = [int(model.jnt_qposadr[model.joint(name).id]) for name in joint_names]

    def poses(self, q: Floats, links: Sequence[str]) -> Floats:
        """Return the poses (L, 4, 4) of bodies and sites for a configuration (n,).

        Raises:
            KeyError: MuJoCo has no body or site of that name.
        """
        data, model = self._data, self._model
        data.qpos[:] = model.qpos0
        data.qpos[self._places] = q
        # A joint may follow one that follows another.
        for _ in range(3):
            self._follow()
        self._mujoco.mj_kinematics(model, data)
        return np.array([self._pose(link) for link in links])

    def _follow(self) -> None:
        """Put joints where equalities say that they follow others."""
        model, qpos = self._model, self._data.qpos
        joint = self._mujoco.mjtEq.mjEQ_JOINT
        for k in np.flatnonzero((model.eq_type == joint) & model.eq_active0.astype(bool)):
            follower, leader = model.eq_obj1id[k], model.eq_obj2id[k]
            at = model.jnt_qposadr[follower]
            by = 0.0
            if leader >= 0:
                there = model.jnt_qposadr[leader]
                by = qpos[there] - model.qpos0[there]
            qpos[at] = model.qpos0[at] + np.polyval(model.eq_data[k, 4::-1], by)

    def _pose(self, link: str) -> Floats:
        pose, data = np.eye(4), self._data
        if self._mujoco.mj_name2id(self._model, self._mujoco.mjtObj.mjOBJ_BODY, link) >= 0:
            frame = data.body(link)
        else:
            # A site that is named as a body is has a name of its own only as a link.
            frame = data.site(link.rstrip("_"))
        pose[:3, :3], pose[:3, 3] = frame.xmat.reshape(3, 3), frame.xpos
        return pose
