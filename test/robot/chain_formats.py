"""One random robot written as URDF, xacro, SDF and MJCF, each in that format's own way."""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros.robot.quaternions import unit_quaternions
from generative_ik_ros.robot.rigid import inverse, shift, turn


@dataclass(frozen=True)
class Joint:
    """A joint from the link before; the child's origin is at `offset` in the joint's frame."""

    kind: str
    parent: int
    xyz: np.ndarray
    rpy: np.ndarray
    axis: np.ndarray
    offset: np.ndarray
    lower: float = 0.0
    upper: float = 0.0
    mimic: tuple[int, float, float] | None = None
    ref: float = 0.0

    @property
    def frame(self):
        return pose(self.xyz, self.rpy)

    @property
    def moves(self):
        return self.kind != "fixed"

    def motion(self, q):
        return (shift if self.kind == "prismatic" else turn)(self.axis, np.asarray(q))


def pose(xyz, rpy):
    x, y, z = np.eye(3)
    frame = turn(z, rpy[2]) @ turn(y, rpy[1]) @ turn(x, rpy[0])
    frame[:3, 3] = xyz
    return frame


def rpy_of(rotation):
    """Roll, pitch and yaw of a rotation; where the pitch is a right angle they lose digits."""
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    return np.array(
        [
            np.arctan2(rotation[2, 1], rotation[2, 2]),
            pitch,
            np.arctan2(rotation[1, 0], rotation[0, 0]),
        ]
    )


def random_robot(seed, joints=6, tree=False):
    """A random list of joints; joint i carries link i + 1."""
    rng, made = np.random.default_rng(seed), []
    for i in range(joints):
        kind = rng.choice(["revolute", "continuous", "prismatic", "fixed"], p=[0.5, 0.2, 0.2, 0.1])
        axis = rng.normal(size=3) if rng.random() < 0.7 else np.eye(3)[rng.integers(3)]
        parent = int(rng.integers(0, i + 1)) if tree else i
        offset = rng.uniform(-0.3, 0.3, 3) * (rng.random() < 0.4 and kind != "fixed")
        drivers = [k for k, one in enumerate(made) if one.kind == kind and one.mimic is None]
        mimic = None
        if kind in ("revolute", "prismatic") and drivers and rng.random() < 0.3:
            mimic = int(rng.choice(drivers)), float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1))
        made.append(
            Joint(
                str(kind), parent, rng.uniform(-0.5, 0.5, 3), rng.uniform(-3, 3, 3),
                axis / np.linalg.norm(axis), offset,
                *((-2.0, 1.5) if kind in ("revolute", "prismatic") else (0.0, 0.0)),
                mimic, float(rng.uniform(-1, 1)) * (rng.random() < 0.5 and kind != "fixed"),
            )
        )  # fmt: skip
    return made


def text(numbers):
    return " ".join(repr(float(number)) for number in np.ravel(numbers))


def urdf(robot, prefix=""):
    parts = [f'<robot name="made"><link name="{prefix}l0"/>']
    for i, joint in enumerate(robot):
        name, child = f"{prefix}j{i + 1}", f"{prefix}l{i + 1}"
        inner = child
        if joint.offset.any():
            inner = f"{name}_inner"
            parts.append(
                f'<link name="{inner}"/><joint name="{name}_offset" type="fixed">'
                f'<parent link="{inner}"/><child link="{child}"/>'
                f'<origin xyz="{text(joint.offset)}"/></joint>'
            )
        parts.append(
            f'<link name="{child}"/><joint name="{name}" type="{joint.kind}">'
            f'<parent link="{prefix}l{joint.parent}"/><child link="{inner}"/>'
            f'<origin xyz="{text(joint.xyz)}" rpy="{text(joint.rpy)}"/>'
        )
        if joint.moves:
            parts.append(f'<axis xyz="{text(joint.axis)}"/>')
        if joint.kind in ("revolute", "prismatic"):
            limits = f'lower="{joint.lower}" upper="{joint.upper}"'
            parts.append(f'<limit {limits} effort="1" velocity="1"/>')
        if joint.mimic:
            driver, factor, offset = joint.mimic
            parts.append(
                f'<mimic joint="{prefix}j{driver + 1}" multiplier="{factor!r}" '
                f'offset="{offset!r}"/>'
            )
        parts.append("</joint>")
    return "".join([*parts, "</robot>"])


def xacro(robot, folder):
    """Write the robot as a macro in one file and a call of it in another, whose path is returned.

    The argument `prefix` is what all names begin with.
    """
    body = urdf(robot, "${prefix}").removeprefix('<robot name="made">').removesuffix("</robot>")
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    (folder / "arm.xacro").write_text(
        f'<robot {space}><xacro:macro name="arm" params="prefix">{body}</xacro:macro></robot>'
    )
    path = folder / "robot.urdf.xacro"
    path.write_text(
        f'<robot name="made" {space}><xacro:arg name="prefix" default=""/>'
        '<xacro:include filename="arm.xacro"/><xacro:arm prefix="$(arg prefix)"/></robot>'
    )
    return path


def sdf(robot, seed=0):
    """SDF, with poses in other frames by chance."""
    rng, in_model = np.random.default_rng(seed), [np.eye(4)]
    parts = ['<sdf version="1.11"><model name="made"><pose>1 2 3 0.1 0.2 0.3</pose>']
    parts.append('<link name="l0"/>')
    for i, joint in enumerate(robot):
        at = in_model[joint.parent] @ joint.frame
        link = at @ pose(joint.offset, np.zeros(3))
        in_model.append(link)
        name, child, parent = f"j{i + 1}", f"l{i + 1}", f"l{joint.parent}"
        kind = rng.integers(3)
        if kind == 0:  # all in the model; the joint in the child, as is the default
            parts.append(f'<link name="{child}">{_pose(link, rng)}</link>')
            place = _pose(inverse(link) @ at, rng)
        elif kind == 1:  # the joint in the parent, the child in the joint
            parts.append(f'<link name="{child}">{_pose(inverse(at) @ link, rng, name)}</link>')
            place = _pose(joint.frame, rng, parent)
        else:  # by a frame
            odd = pose(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
            frame = f"frame_{name}"
            parts.append(
                f'<frame name="{frame}" attached_to="{parent}">{_pose(odd, rng)}</frame>'
                f'<link name="{child}">'
                f"{_pose(inverse(in_model[joint.parent] @ odd) @ link, rng, frame)}</link>"
            )
            place = _pose(at, rng, "__model__")
        parts.append(
            f'<joint name="{name}" type="{joint.kind}"><parent>{parent}</parent>'
            f"<child>{child}</child>{place}"
        )
        if joint.moves:
            frame, named = ((at, ""), (np.eye(4), "__model__"), (in_model[joint.parent], parent))[
                rng.integers(3)
            ]
            axis = frame[:3, :3].T @ at[:3, :3] @ joint.axis
            expressed = f' expressed_in="{named}"' if named else ""
            parts.append(f"<axis><xyz{expressed}>{text(axis)}</xyz>")
            if joint.kind in ("revolute", "prismatic"):
                parts.append(
                    f"<limit><lower>{joint.lower}</lower><upper>{joint.upper}</upper>"
                    "<velocity>1</velocity></limit>"
                )
            if joint.mimic:
                driver, factor, offset = joint.mimic
                reference = float(rng.uniform(-1, 1))
                parts.append(
                    f'<mimic joint="j{driver + 1}" axis="axis"><multiplier>{factor!r}'
                    f"</multiplier><offset>{offset + factor * reference!r}</offset>"
                    f"<reference>{reference!r}</reference></mimic>"
                )
            parts.append("</axis>")
        parts.append("</joint>")
    return "".join([*parts, "</model></sdf>"])


def _pose(frame, rng, relative_to=""):
    named = f' relative_to="{relative_to}"' if relative_to else ""
    if rng.random() < 0.5:
        numbers = [*frame[:3, 3], *unit_quaternions(frame[:3, :3])]
        return f'<pose{named} rotation_format="quat_xyzw">{text(numbers)}</pose>'
    if rng.random() < 0.5:
        numbers = [*frame[:3, 3], *np.rad2deg(rpy_of(frame[:3, :3]))]
        return f'<pose{named} degrees="true">{text(numbers)}</pose>'
    return f"<pose{named}>{text([*frame[:3, 3], *rpy_of(frame[:3, :3])])}</pose>"


def mjcf(robot, compiler='<compiler angle="radian"/>'):
    """MJCF, with joints at other points of their bodies, and at other positions at first."""
    below = {i: [] for i in range(len(robot) + 1)}
    for i, joint in enumerate(robot):
        below[joint.parent].append(i)

    def body(i):
        joint = robot[i]
        start = joint.motion(joint.ref) if joint.moves else np.eye(4)
        frame = joint.frame @ start @ pose(joint.offset, np.zeros(3))
        quat = np.roll(unit_quaternions(frame[:3, :3]), 1)
        parts = [f'<body name="l{i + 1}" pos="{text(frame[:3, 3])}" quat="{text(quat)}">']
        if joint.moves:
            kind = "slide" if joint.kind == "prismatic" else "hinge"
            limits = f'limited="true" range="{joint.lower} {joint.upper}"'
            parts.append(
                f'<joint name="j{i + 1}" type="{kind}" axis="{text(joint.axis)}" '
                f'pos="{text(-joint.offset)}" ref="{joint.ref!r}" '
                f"{limits if joint.kind != 'continuous' else ''}/>"
            )
        parts += ['<geom type="sphere" size="0.01"/>', *(body(k) for k in below[i + 1]), "</body>"]
        return "".join(parts)

    couplings = []
    for i, joint in enumerate(robot):
        if joint.mimic:
            driver, factor, offset = joint.mimic
            constant = offset + factor * robot[driver].ref - joint.ref
            couplings.append(
                f'<joint joint1="j{i + 1}" joint2="j{driver + 1}" '
                f'polycoef="{text([constant, factor, 0, 0, 0])}"/>'
            )
    bodies = "".join(body(i) for i in below[0])
    return (
        f'<mujoco model="made">{compiler}<worldbody><body name="l0" pos="1 2 3">{bodies}</body>'
        f"</worldbody><equality>{''.join(couplings)}</equality></mujoco>"
    )
