"""The frames of an SDF document: which is given in which, and to which link each is attached."""

from xml.etree.ElementTree import Element

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError, listed, short
from generative_ik_ros.robot.quaternions import rotation_matrices
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.xml_values import frozen, numbers, rpy_frame

WORLD = "world"
MODEL = "__model__"


class Frames:
    """The frames of links, joints, models and `<frame>` elements, by name.

    Names are those of SDFormat from the outermost model: "arm::hand::palm" in nested models.
    """

    def __init__(self):
        """Begin with the world."""
        self._given: dict[str, tuple[str, Floats]] = {}
        self._attached: dict[str, str] = {WORLD: WORLD}
        self._in_world = {WORLD: np.eye(4)}

    def add(self, name: str, relative_to: str, pose: Floats, attached_to: str) -> None:
        """Add a frame.

        Args:
            name: Its name.
            relative_to: The frame that its pose is given in; it may be added later.
            pose: (4, 4) [m].
            attached_to: What it moves with: a frame, or itself if it is a link.

        Raises:
            RobotDescriptionError: There is one of that name.
        """
        if name in self._attached:
            raise RobotDescriptionError(
                f"the frame '{short(name)}' is defined twice: links, joints, frames and models "
                "must have different names"
            )
        self._given[name], self._attached[name] = (relative_to, pose), attached_to

    def in_world(self, name: str) -> Floats:
        """Return a frame in the world (4, 4) [m].

        Raises:
            RobotDescriptionError: There is no such frame, or frames are given in each other.
        """
        steps: dict[str, None] = {}
        while name not in self._in_world:
            if name in steps:
                raise RobotDescriptionError(f"frames are given in each other: {listed(steps)}")
            steps[name] = None
            self._check(name)
            name = self._given[name][0]
        for step in reversed(steps):
            above, pose = self._given[step]
            self._in_world[step] = frozen(self._in_world[above] @ pose)
        return self._in_world[next(iter(steps), name)]

    def pose_in(self, name: str, reference: str) -> Floats:
        """Return a frame in another one (4, 4) [m]; raises as `in_world`."""
        return inverse(self.in_world(reference)) @ self.in_world(name)

    def link_of(self, name: str) -> str:
        """Return the link, or the world, that a frame moves with.

        Raises:
            RobotDescriptionError: There is no such frame, or frames are attached to each other.
        """
        steps: dict[str, None] = {}
        while self._attached.get(name) != name:
            if name in steps:
                raise RobotDescriptionError(f"frames are attached to each other: {listed(steps)}")
            steps[name] = None
            self._check(name)
            name = self._attached[name]
        return name

    def _check(self, name: str) -> None:
        if name not in self._attached:
            raise RobotDescriptionError(
                f"the frame '{short(name)}' is not defined; frames: {listed(self._attached)}"
            )


def scoped(scope: str, name: str) -> str:
    """Return the full name of what a model calls `name`; `scope` ends with "::", or is ""."""
    return WORLD if name == WORLD else scope + name


def read_pose(element: Element, scope: str, default: str, where: str) -> tuple[str, Floats]:
    """Return the frame that an element's pose is given in, and the pose (4, 4) [m].

    Args:
        element: What has a <pose>; without one it is at its default frame.
        scope: As in `scoped`.
        default: The full name of the frame that it is given in where it names none.
        where: What it is, as an error's first words.

    Raises:
        RobotDescriptionError: The pose is malformed.
    """
    poses = element.findall("pose")
    if not poses:
        return default, frozen(np.eye(4))
    if len(poses) > 1:
        raise RobotDescriptionError(f"{where} has {len(poses)} <pose> elements")
    (pose,) = poses
    if pose.get("frame"):
        raise RobotDescriptionError(
            f"{where}: the attribute frame of its pose (SDF 1.6) is not supported, write "
            "relative_to, of SDF 1.7"
        )
    text, kind = (pose.text or "").strip(), pose.get("rotation_format", "euler_rpy")
    if kind not in ("euler_rpy", "quat_xyzw"):
        raise RobotDescriptionError(
            f"{where}: its pose has the rotation_format '{short(kind)}'; valid: euler_rpy, "
            "quat_xyzw"
        )
    if kind == "quat_xyzw":
        values = numbers(text or "0 0 0 0 0 0 1", 7, f"{where}: pose")
        if not any(values[3:]):
            raise RobotDescriptionError(f"{where}: the quaternion of its pose is zero")
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = rotation_matrices(np.array(values[3:])), values[:3]
        frame = frozen(frame)
    else:
        values = numbers(text or "0 0 0 0 0 0", 6, f"{where}: pose")
        turned = values[3:]
        if pose.get("degrees", "false").strip() in ("true", "1"):
            turned = tuple(np.deg2rad(turned).tolist())
        frame = rpy_frame(values[:3], turned)
    name = pose.get("relative_to", "").strip()
    return scoped(scope, name) if name else default, frame
