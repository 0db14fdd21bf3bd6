"""Robots with closed loops, each written as MJCF, as SDF, and as a URDF with loops beside it."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from generative_ik_ros import KinematicTree

TURN = 2.0 * math.pi
Vector = tuple[float, float, float]
GEOM = '<geom type="sphere" size="0.02"/>'


@dataclass(frozen=True)
class Hinge:
    """A joint about an axis of its parent; all frames are parallel at position zero."""

    name: str
    parent: str
    child: str
    place: Vector
    axis: Vector = (0.0, 1.0, 0.0)
    limits: tuple[float, float] = (-3.0, 3.0)


@dataclass(frozen=True)
class Pin:
    """A hinge that closes a loop: a point of one link is at a point of another."""

    name: str
    links: tuple[str, str]
    points: tuple[Vector, Vector]
    axis: Vector = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Mechanism:
    """Links joined by hinges, the root first, and pins that close loops."""

    root: str
    hinges: tuple[Hinge, ...]
    pins: tuple[Pin, ...]

    def mjcf(self, *, extra: str = "") -> str:
        """Return it as MJCF, with a `connect` for each pin."""
        pins = "".join(
            f'<connect name="{pin.name}" site1="{pin.name}_0" site2="{pin.name}_1"/>'
            for pin in self.pins
        )
        return (
            '<mujoco model="loops"><compiler angle="radian"/><option gravity="0 0 0"/>'
            '<default><geom contype="0" conaffinity="0"/></default><worldbody>'
            f'<body name="{self.root}">{GEOM}{self._inside(self.root)}</body></worldbody>'
            f"<equality>{pins}{extra}</equality></mujoco>"
        )

    def _inside(self, link: str) -> str:
        sites = "".join(
            f'<site name="{pin.name}_{end}" pos="{words(pin.points[end])}"/>'
            for pin in self.pins
            for end in (0, 1)
            if pin.links[end] == link
        )
        return sites + "".join(
            f'<body name="{h.child}" pos="{words(h.place)}"><joint name="{h.name}" '
            f'axis="{words(h.axis)}" range="{words(h.limits)}" limited="true"/>{GEOM}'
            f"{self._inside(h.child)}</body>"
            for h in self.hinges
            if h.parent == link
        )

    def urdf(self) -> str:
        """Return the tree of links as a URDF, without the pins."""
        links = [self.root, *(h.child for h in self.hinges)]
        joints = "".join(
            f'<joint name="{h.name}" type="revolute"><parent link="{h.parent}"/>'
            f'<child link="{h.child}"/><origin xyz="{words(h.place)}"/>'
            f'<axis xyz="{words(h.axis)}"/>'
            f'<limit lower="{h.limits[0]}" upper="{h.limits[1]}" velocity="1" effort="1"/></joint>'
            for h in self.hinges
        )
        names = "".join(f'<link name="{name}"/>' for name in links)
        return f'<robot name="loops">{names}{joints}</robot>'

    def loops(self) -> dict:
        """Return the pins as they are given beside a URDF."""
        return {
            "loops": {
                pin.name: {
                    "type": "revolute",
                    "axis": list(pin.axis),
                    "parent": {"link": pin.links[0], "xyz": list(pin.points[0])},
                    "child": {"link": pin.links[1], "xyz": list(pin.points[1])},
                }
                for pin in self.pins
            }
        }

    def tree(self, *tips: str, **how) -> KinematicTree:
        """Return the tree of the URDF, with the pins, from the root to some tips."""
        loops = {"loops": self.loops(), **how}
        return KinematicTree.from_urdf(self.urdf(), self.root, tips, **loops)

    def sdf(self) -> str:
        """Return it as SDF, in which a pin gives its child link a second parent."""
        in_model = {self.root: (0.0, 0.0, 0.0)}
        for h in self.hinges:
            in_model[h.child] = plus(in_model[h.parent], h.place)
        links = "".join(
            f'<link name="{name}"><pose>{words(place)} 0 0 0</pose></link>'
            for name, place in in_model.items()
        )
        joints = "".join(
            f'<joint name="{h.name}" type="revolute"><parent>{h.parent}</parent>'
            f"<child>{h.child}</child><axis><xyz>{words(h.axis)}</xyz><limit>"
            f"<lower>{h.limits[0]}</lower><upper>{h.limits[1]}</upper></limit></axis></joint>"
            for h in self.hinges
        ) + "".join(
            f'<joint name="{pin.name}" type="revolute"><pose>{words(pin.points[1])} 0 0 0</pose>'
            f"<parent>{pin.links[0]}</parent><child>{pin.links[1]}</child>"
            f"<axis><xyz>{words(pin.axis)}</xyz></axis></joint>"
            for pin in self.pins
        )
        return f'<sdf version="1.9"><model name="loops">{links}{joints}</model></sdf>'


def words(numbers) -> str:
    return " ".join(map(repr, map(float, numbers)))


def times(factor: float, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


def plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def in_mujoco(mechanism, tree, q):
    """Tips (B, 4, 4) in the base, and the greatest distance between the ends of pins [m]."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(mechanism.mjcf())
    data = mujoco.MjData(model)
    tips, gap = [], 0.0
    for one in q:
        for name, position in zip(tree.names, one, strict=True):
            data.qpos[model.joint(name).qposadr[0]] = position
        mujoco.mj_kinematics(model, data)
        base, there = (data.body(name) for name in (mechanism.root, *tree.tip_links))
        pose = np.eye(4)
        turn = base.xmat.reshape(3, 3).T
        pose[:3, :3] = turn @ there.xmat.reshape(3, 3)
        pose[:3, 3] = turn @ (there.xpos - base.xpos)
        tips.append(pose)
        for pin in mechanism.pins:
            ends = [data.site(f"{pin.name}_{k}").xpos for k in (0, 1)]
            gap = max(gap, float(np.linalg.norm(ends[0] - ends[1])))
    return np.array(tips), gap


Z = (0.0, 0.0, 1.0)
PALLETIZER = Mechanism(
    "base",
    (
        Hinge("turn", "base", "column", (0.0, 0.0, 0.3), Z),
        Hinge("shoulder", "column", "upper", (0.1, 0.0, 0.2), limits=(-0.8, 1.2)),
        Hinge("elbow", "upper", "fore", (0.0, 0.0, 0.5), limits=(-2.0, 2.0)),
        Hinge("wrist", "fore", "hand", (0.6, 0.0, 0.0)),
        Hinge("flange", "hand", "tool", (0.1, 0.0, -0.05), Z),
        Hinge("crank", "column", "crank_link", (0.1, 0.0, 0.2), limits=(-1.2, 1.0)),
        Hinge("rod", "crank_link", "rod_link", (-0.15, 0.0, 0.0)),
        Hinge("plate", "upper", "plate_link", (0.0, 0.0, 0.5)),
        Hinge("stay", "column", "stay_link", (0.15, 0.0, 0.3)),
        Hinge("tie", "plate_link", "tie_link", (0.05, 0.0, 0.1)),
    ),
    (
        Pin("rod_end", ("rod_link", "fore"), ((0.0, 0.0, 0.5), (-0.15, 0.0, 0.0))),
        Pin("stay_end", ("stay_link", "plate_link"), ((0.0, 0.0, 0.5), (0.05, 0.0, 0.1))),
        Pin("tie_end", ("tie_link", "hand"), ((0.6, 0.0, 0.0), (0.05, 0.0, 0.1))),
    ),
)
"""An arm of four motors (turn, shoulder, crank, flange) whose hand stays level: a rod drives the
forearm, and two more parallelograms keep the hand level."""

FIVE_BAR = Mechanism(
    "base",
    (
        Hinge("left", "base", "left_arm", (-0.1, 0.0, 0.0), Z, (-1.0, 3.14)),
        Hinge("left_elbow", "left_arm", "left_rod", (0.25, 0.0, 0.0), Z),
        Hinge("right", "base", "right_arm", (0.1, 0.0, 0.0), Z, (-1.0, 3.14)),
        Hinge("right_elbow", "right_arm", "right_rod", (0.25, 0.0, 0.0), Z),
        Hinge("pen", "left_rod", "pen", (0.3, 0.0, 0.0), Z),
    ),
    (Pin("tip", ("left_rod", "right_rod"), ((0.3, 0.0, 0.0), (0.3, 0.0, 0.0)), Z),),
)
"""A planar parallel arm, whose loop does not close at position zero."""

FINGER = Mechanism(
    "palm",
    (
        Hinge("drive", "palm", "crank", (0.0, 0.0, 0.0), limits=(-1.2, 1.2)),
        Hinge("coupler", "crank", "tip", (0.0, 0.0, 0.05), limits=(-3.0, 3.0)),
        Hinge("follower", "palm", "follower_link", (0.03, 0.0, 0.0), limits=(-1.5, 1.5)),
    ),
    (Pin("knuckle", ("tip", "follower_link"), ((0.025, 0.0, 0.01), (0.0, 0.0, 0.055))),),
)
"""A finger of a gripper: a four-bar linkage that is no parallelogram, whose coupler is the tip."""


def _delta() -> Mechanism:
    """Three arms about z, each with two rods' worth of hinges, that hold a platform level."""
    hinges, pins = [], []
    for k in range(3):
        c, s = math.cos(TURN * k / 3), math.sin(TURN * k / 3)
        out, along = (c, s, 0.0), (-s, c, 0.0)
        hinges += [
            Hinge(f"motor_{k}", "base", f"arm_{k}", times(0.2, out), along, (-1.2, 1.2)),
            Hinge(f"swing_{k}", f"arm_{k}", f"knee_{k}", times(0.25, out), along, (-2.5, 2.5)),
            Hinge(f"sway_{k}", f"knee_{k}", f"rod_{k}", (0.0, 0.0, 0.0), out, (-1.0, 1.0)),
            Hinge(f"unsway_{k}", f"rod_{k}", f"ankle_{k}", (0.0, 0.0, -0.5), out, (-1.0, 1.0)),
        ]
        if k == 0:
            # The platform's frame is at the first ankle, 0.08 m from its middle.
            place = (0.0, 0.0, 0.0)
            hinges.append(Hinge("unswing_0", "ankle_0", "rim", place, along, (-2.5, 2.5)))
        else:
            ends = (0.0, 0.0, 0.0), plus(times(0.08, out), (-0.08, 0.0, 0.0))
            pins.append(Pin(f"unswing_{k}", (f"ankle_{k}", "rim"), ends, along))
    return Mechanism("base", tuple(hinges), tuple(pins))


DELTA = _delta()
"""A parallel robot of three motors (L.-W. Tsai's): its platform, "rim", moves without turning."""

MECHANISMS = {
    "palletizer": (PALLETIZER, "tool", ("turn", "shoulder", "crank", "flange")),
    "five-bar": (FIVE_BAR, "pen", ("left", "right", "pen")),
    "finger": (FINGER, "tip", ("drive",)),
    "delta": (DELTA, "rim", ("motor_0", "motor_1", "motor_2")),
}
"""Each with its tip and its motors, of which it has as many as degrees of freedom."""
