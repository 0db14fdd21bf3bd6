"""Links, joints and shapes from the XML of an SDF model, with every value checked."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError, listed, short
from generative_ik_ros.robot.description_source import LIMITS
from generative_ik_ros.robot.elements import MOVING_TYPES, Joint, Loop, Mimic, Parts, fixed_joint
from generative_ik_ros.robot.joint_frames import UnusedNames, about_child, reversed_joint
from generative_ik_ros.robot.loop_types import LOOP_TYPES, Spanning, loop_of
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.sdf_frames import MODEL, WORLD, Frames, read_pose, scoped
from generative_ik_ros.robot.sdf_shapes import read_collisions, read_visuals
from generative_ik_ros.robot.xml_values import bound, name_of, numbers, unit_axis

JOINT_TYPES = (
    *MOVING_TYPES, "fixed", "ball", "universal", "revolute2", "screw", "gearbox",
)  # fmt: skip
_NO_LIMIT = 1e16
"""SDF before 1.9 writes this for none [rad or m]."""


def read_sdf(root: Element) -> Parts:
    """Read a robot's name, links, joints and shapes from its SDF.

    Frames become links that are fixed to the link that they are attached to. Physics, sensors and
    plugins are left out, and so are malformed visual shapes; malformed collision shapes are kept
    as such.

    Args:
        root: The <sdf>, of SDFormat 1.4 to 1.12, with one model; no file or address that it names
            is ever opened.

    Raises:
        RobotDescriptionError: There is no model or several, a part is malformed, or something is
            not supported, such as included files.
    """
    model = _only_model(root)
    reader = _Reader(_version(root))
    reader.frames_of(model, "", WORLD)
    joints = reader.with_obstacles(tuple(reader.joints()))
    visuals, collisions = {}, {}
    for name, link in reader.links.items():
        if link is None:
            continue
        if solids := tuple(read_collisions(link, name, reader.frames)):
            collisions[name] = solids
        if looks := tuple(read_visuals(link, name, reader.frames)):
            visuals[name] = looks
    name = model.get("name", "")[: LIMITS.max_name]
    links = tuple(dict.fromkeys((*reader.links, *(joint.child for joint in joints))))
    return Parts(name, links, joints, visuals, collisions, tuple(reader.loops))


def _version(root: Element) -> tuple[int, int]:
    text = root.get("version", "")
    major, _, minor = text.partition(".")
    if major != "1" or not minor.isdecimal() or int(minor) < 4:
        raise RobotDescriptionError(
            f"the SDF has the version '{short(text)}'; those from 1.4 on can be read"
        )
    return int(major), int(minor)


def _only_model(root: Element) -> Element:
    inside = [*root.findall("model"), *root.findall("world/model")]
    if len(inside) == 1:
        return inside[0]
    names = [model.get("name", "") for model in inside]
    if names:
        raise RobotDescriptionError(f"the SDF has {len(names)} models, not one: {listed(names)}")
    included = root.find("include") is not None or root.find("world/include") is not None
    hint = ": included files are not read, name the model's own file" if included else ""
    raise RobotDescriptionError(f"the SDF has no model{hint}")


@dataclass
class _Reader:
    """Goes through a model and the models nested in it.

    Attributes:
        version: Of SDFormat.
        frames: All frames.
        links: All links by full name, and the world where a joint has it for its parent.
        loops: Joints between links that are joined already, filled by `joints`.
        coupling: Likewise, those of types that no loop here can have.
    """

    version: tuple[int, int]
    frames: Frames = field(default_factory=Frames)
    links: dict[str, Element | None] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    coupling: list[Joint] = field(default_factory=list)
    _named: list[str] = field(default_factory=list)
    _joints: list[tuple[str, str, str, Element]] = field(default_factory=list)

    def frames_of(self, model: Element, scope: str, above: str) -> None:
        """Add the frames of a model.

        Args:
            model: The model.
            scope: What full names of its parts begin with: "", or that of a nested model.
            above: The frame that the model's pose is given in where it names none.
        """
        where = f"model '{short(model.get('name', ''))}'"
        if model.find("include") is not None:
            raise RobotDescriptionError(
                f"{where} includes another file, which is not read: expand it, with 'gz sdf -p'"
            )
        if model.get("placement_frame"):
            raise RobotDescriptionError(f"{where}: placement_frame is not supported")
        own = scope + MODEL
        links = {scope + name_of(link, "link"): link for link in model.findall("link")}
        outside = scope.removesuffix("::").rpartition("::")[0]
        relative_to, pose = read_pose(model, outside + "::" if outside else "", above, where)
        self.frames.add(own, relative_to, pose, self._canonical(model, scope))
        if len(links) < len(model.findall("link")):
            raise RobotDescriptionError(f"{where} has several links of the same name")
        for name, link in links.items():
            self.frames.add(name, *read_pose(link, scope, own, f"link '{short(name)}'"), name)
        self.links |= links
        for joint in model.findall("joint"):
            name = scope + name_of(joint, "joint")
            where = f"joint '{short(name)}'"
            child = scoped(scope, _text(joint, "child", where))
            # SDF before 1.7 has no other names of frames, so that joints may have those of links.
            frame = f"{name}_joint" if self.version < (1, 7) and name in links else name
            self.frames.add(frame, *read_pose(joint, scope, child, where), child)
            self._joints.append((name, frame, scope, joint))
        for frame in model.findall("frame"):
            name = scope + name_of(frame, "frame")
            attached = scoped(scope, frame.get("attached_to") or MODEL)
            self.frames.add(name, *read_pose(frame, scope, attached, f"frame '{name}'"), attached)
            self._named.append(name)
        for nested in model.findall("model"):
            name = scope + name_of(nested, "model")
            self.frames_of(nested, f"{name}::", own)
            self.frames.add(name, f"{name}::{MODEL}", np.eye(4), f"{name}::{MODEL}")

    def _canonical(self, model: Element, scope: str) -> str:
        """Return what a model's own frame is attached to: its first link, or what it names."""
        named = model.get("canonical_link", "").strip()
        if named:
            return scoped(scope, named)
        for tag, end in (("link", ""), ("model", f"::{MODEL}")):
            if (first := model.find(tag)) is not None:
                return scope + first.get("name", "") + end
        return WORLD  # a model of frames only, which SDF allows for static ones

    def joints(self) -> Iterator[Joint]:
        """Yield the joints of all models, then those that fix frames to links.

        Of the joints around a loop, the last is the one that closes it: it joins links that are
        joined already, or gives a link a second parent.
        """
        tree, taken = Spanning(), {name for name, *_ in self._joints}
        links, joints = UnusedNames({*self.links, *self._named}), UnusedNames(taken)
        for name, frame, scope, element in self._joints:
            joint, child_in_joint = self._joint(name, frame, scope, element)
            if WORLD in (joint.parent, joint.child):
                self.links = {WORLD: None, **self.links}
            if not tree.takes(joint.parent, joint.child):
                if tree.takes(joint.child, joint.parent):
                    # Its child has another parent, and its parent none.
                    joint, child_in_joint = reversed_joint(joint, child_in_joint)
                elif joint.type in LOOP_TYPES:
                    self.loops.append(_loop(joint, child_in_joint))
                    continue
                else:
                    self.coupling.append(joint)
                    continue
            yield from about_child(joint, child_in_joint, links, joints)
        for name in self._named:
            link = self.frames.link_of(name)
            if link == WORLD:
                self.links = {WORLD: None, **self.links}
            pose = self.frames.pose_in(name, link)
            yield fixed_joint(joints.like(f"{name}_fixed"), link, name, pose)

    def with_obstacles(self, joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
        """Mark the joints of a tree that joints of unsupported types, as screws, couple."""
        above = {joint.child: joint for joint in joints}

        def joints_to(link: str) -> set[str]:
            names = set()
            while link in above:
                names.add(above[link].name)
                link = above[link].parent
            return names

        why = {
            name: f"is coupled by the {one.type} joint '{short(one.name)}'"
            for one in self.coupling
            for name in joints_to(one.parent) ^ joints_to(one.child)
        }
        return tuple(
            replace(joint, obstacle=why[joint.name])
            if joint.moves and joint.name in why
            else joint
            for joint in joints
        )

    def _joint(self, name: str, frame: str, scope: str, element: Element) -> tuple[Joint, Floats]:
        """Return a joint with its own frame in the parent, and the child (4, 4) in that frame."""
        where = f"joint '{short(name)}'"
        kind = element.get("type", "")
        if kind not in JOINT_TYPES:
            raise RobotDescriptionError(
                f"{where} has the type '{short(kind)}'; valid: {', '.join(JOINT_TYPES)}"
            )
        parent = self.frames.link_of(scoped(scope, _text(element, "parent", where)))
        child = self.frames.link_of(frame)
        in_joint = inverse(self.frames.in_world(frame))
        joint_in_parent = self.frames.pose_in(frame, parent)
        child_in_joint = in_joint @ self.frames.in_world(child)
        if kind not in MOVING_TYPES:
            joint = fixed_joint(name, parent, child, joint_in_parent)
            return replace(joint, type=kind), child_in_joint
        axis = element.find("axis")
        if axis is None:
            raise RobotDescriptionError(f"{where} has no <axis>")
        lower, upper, velocity = _limits(axis.find("limit"), where)
        if kind == "continuous" or (kind == "revolute" and -lower == upper == math.inf):
            kind, lower, upper = "continuous", -math.inf, math.inf
        turned = (
            in_joint[:3, :3] @ self.frames.in_world(self._axis_frame(axis, scope, frame))[:3, :3]
        )
        xyz = unit_axis(numbers(_text(axis, "xyz", where), 3, f"{where}: axis xyz"), where)
        mimic = _mimic(axis.find("mimic"), scope, where)
        joint = Joint(
            name, kind, parent, child, joint_in_parent, turned @ xyz, lower, upper, mimic, velocity
        )
        return joint, child_in_joint

    def _axis_frame(self, axis: Element, scope: str, joint: str) -> str:
        """Return the frame whose coordinates an axis has."""
        xyz = axis.find("xyz")
        named = "" if xyz is None else xyz.get("expressed_in", "").strip()
        if named:
            return scoped(scope, named)
        in_model = axis.findtext("use_parent_model_frame", "0").strip() in ("1", "true")
        return scope + MODEL if in_model or self.version < (1, 5) else joint


def _loop(joint: Joint, child_in_joint: Floats) -> Loop:
    """Return the loop that a joint closes, with the child (4, 4) in the joint's frame [m]."""
    if joint.mimic is not None:
        raise RobotDescriptionError(
            f"joint '{joint.name}' closes a loop of links and mimics '{joint.mimic.joint}', which "
            "is not supported: let another joint of the loop do so"
        )
    links, frames = (joint.parent, joint.child), (joint.child_in_parent, inverse(child_in_joint))
    axis = joint.axis if joint.moves else None
    limits = (joint.lower, joint.upper) if joint.moves else (-math.inf, math.inf)
    return loop_of(joint.type, joint.name, links, frames, axis, limits)


def _text(element: Element, tag: str, where: str) -> str:
    found = element.findall(tag)
    if len(found) > 1:
        raise RobotDescriptionError(f"{where} has {len(found)} <{tag}> elements")
    text = (found[0].text or "").strip() if found else ""
    if not text:
        raise RobotDescriptionError(f"{where} has no <{tag}>")
    return text


def _limits(element: Element | None, where: str) -> tuple[float, float, float]:
    """Return the least and greatest position and the greatest velocity; infinite without one."""

    def limit(tag: str, default: float) -> float:
        text = None if element is None else element.findtext(tag)
        if text is None:
            return default
        value = bound(text, f"{where}: limit {tag}")
        return math.copysign(math.inf, value) if abs(value) >= _NO_LIMIT else value

    velocity = limit("velocity", math.inf)  # SDF before 1.9 writes -1 for none
    return (
        limit("lower", -math.inf),
        limit("upper", math.inf),
        velocity if velocity > 0 else math.inf,
    )


def _mimic(element: Element | None, scope: str, where: str) -> Mimic | None:
    """Return what a joint follows: multiplier * (the other's position - reference) + offset."""
    if element is None:
        return None
    if not (driver := element.get("joint", "")):
        raise RobotDescriptionError(f"{where}: its mimic element names no joint")
    if element.get("axis", "axis") != "axis":
        raise RobotDescriptionError(f"{where} mimics the second axis of '{short(driver)}'")
    multiplier, offset, reference = (
        numbers(element.findtext(tag, default), 1, f"{where}: mimic {tag}")[0]
        for tag, default in (("multiplier", "1"), ("offset", "0"), ("reference", "0"))
    )
    return Mimic(scope + driver, multiplier, offset - multiplier * reference)
