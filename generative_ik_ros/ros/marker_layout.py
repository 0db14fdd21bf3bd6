"""The RViz markers of a robot, its targets and a number of arm configurations."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false

from copy import copy
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import ArrayLike, NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.drawing import colors
from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.bones import cylinder
from generative_ik_ros.drawing.tips import tips_in_base
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.elements import Visual
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.quaternions import unit_quaternions
from generative_ik_ros.ros.frames import fixed_frames
from generative_ik_ros.ros.marker_template import PLACE, MarkerTemplate


@dataclass(frozen=True)
class MarkerLook:
    """How arms and targets are drawn."""

    axis_width: float = 0.008
    """Of a target's axes [m]."""
    error_width: float = 0.01
    """Of the line from a target to the nearest arm [m]."""
    axis: float = 0.08
    """Length of a target's axes as a fraction of the arm's reach."""
    axes: tuple[float, float] = (0.02, 0.12)
    """Its bounds [m]."""
    same: float = 1e-3
    """Largest difference between transforms of parts that are drawn as one [m, and without
    unit]."""
    closest_opacity: float = 0.8
    """Of the nearest arm to a target that is out of reach."""


LOOK = MarkerLook()

_TYPES = {"box": Marker.CUBE, "cylinder": Marker.CYLINDER, "sphere": Marker.SPHERE}


class MarkerLayout:
    """Markers for the base, T targets, U closest configurations with errors, and A arms.

    The `show` methods place the first markers of a group and delete the others of that group.

    Args:
        chain: The robot's chain, or a tree with K tips.
        num_targets: T.
        num_closest: U.
        num_arms: A.
        meshes: Whether links have the shapes of the description, instead of cylinders.
    """

    def __init__(
        self,
        chain: KinematicChain | KinematicTree,
        num_targets: int,
        num_closest: int,
        num_arms: int,
        meshes: bool = True,
    ):
        self._chain, self._bodies = chain, Bodies(chain, None if meshes else {})
        # What other joints move, such as a second arm, is not where it would be drawn.
        still = fixed_frames(chain.description, chain.base_link)
        fixed = [s for s in self._bodies.shapes[self._bodies.base] if s.link in still]
        shapes = [(k, shape) for k in self._bodies.moving for shape in self._bodies.shapes[k]]
        self._shape_body = np.array([k for k, _ in shapes], np.int64)
        self._shape_in_body = np.array([s.shape_in_body for _, s in shapes]).reshape(-1, 4, 4)
        visuals = [shape.visual for _, shape in shapes]
        self._visible = np.array([_visible(visual) for visual in visuals]).reshape(-1, 4, 4)
        num_tips = len(chain.tip_links)
        groups = {
            "clear": [Marker()],
            "base": _body_markers("base", [shape.visual for shape in fixed]),
            "target": [_axes(i, chain.size) for i in range(num_targets * num_tips)],
            "error": [
                Marker(ns="error", id=i, type=Marker.CYLINDER)
                for i in range(num_closest * num_tips)
            ],
            "closest": _arms("closest", num_closest, visuals),
            "arm": _arms("solution", num_arms, visuals),
        }
        markers = [marker for group in groups.values() for marker in group]
        for marker in markers:
            # With a zero stamp and a locked frame RViz uses the latest transform.
            marker.header.frame_id, marker.frame_locked = chain.base_link, True
        ends = np.cumsum([0, *map(len, groups.values())])
        self._part = {name: slice(*ends[i : i + 2].tolist()) for i, name in enumerate(groups)}
        self._places = np.zeros(len(markers), PLACE)
        self._places["orientation"][:, 3] = 1.0
        self._actions = np.full(len(markers), Marker.DELETE, np.int32)
        for name in ("closest", "arm"):
            rows = self._places[self._part[name]].reshape(-1, len(visuals) or 1)
            rows["scale"] = _scales(visuals)
        body_in_base = self._bodies.frames(np.zeros((1, chain.num_joints)))[self._bodies.base, 0]
        rows = self._shown("base", len(fixed))
        _put(rows, [body_in_base @ shape.shape_in_body for shape in fixed])
        rows["scale"] = _scales([shape.visual for shape in fixed])
        rows["color"] = (*colors.STILL, 1.0)
        self._template = MarkerTemplate(markers)

    def message(self, *, clear: bool) -> bytes | MarkerArray:
        """Return the message for what is shown; `clear` also deletes all earlier markers."""
        self._actions[self._part["clear"]] = Marker.DELETEALL if clear else Marker.DELETE
        return self._template.filled(self._places, self._actions)

    def array(self, *, clear: bool) -> MarkerArray:
        """Return the same as `message`, never as bytes, for others to add markers to."""
        self._actions[self._part["clear"]] = Marker.DELETEALL if clear else Marker.DELETE
        return self._template.filled_message(self._places, self._actions)

    def show_targets(self, targets: Floats) -> None:
        """Show the axes of targets (T, K, 4, 4), tips in base [m]."""
        rows = self._shown("target", targets.shape[0] * targets.shape[1])
        _put(rows, targets.reshape(-1, 4, 4))
        rows["scale"] = (LOOK.axis_width, 0.0, 0.0)
        rows["color"] = 1.0

    def show_arms(self, positions: Floats, of_target: Ints, opacity: float) -> None:
        """Show arms in (A, n) configurations [rad or m], best first, with their targets (A,).

        Parts that look the same in all arms of a target, such as its tip or a cylinder that turns
        about its own axis, would look opaque on top of each other: the first arm has them, in
        grey.
        """
        shades = colors.by_order(len(positions))
        # As bright as they can be, for a dark background.
        shades /= shades.max(axis=1, keepdims=True)
        shades = np.column_stack([shades, np.full(len(shades), opacity)])
        frames = self._put_arms("arm", positions, shades)
        part, num_shapes = self._part["arm"], len(self._shape_body)
        for target in np.unique(of_target):
            first, *others = np.flatnonzero(of_target == target)
            if others:
                near = np.abs(frames[others] - frames[first]) * self._visible < LOOK.same
                shared = np.flatnonzero(near.all(axis=(0, 2, 3)))
                self._places[part]["color"][first * num_shapes + shared] = (*colors.STILL, 1.0)
                copies = np.add.outer(np.multiply(others, num_shapes), shared)
                self._actions[part][copies] = Marker.DELETE

    def show_closest(self, positions: Floats, missed: Floats) -> None:
        """Show configurations (U, n) closest to targets (U, K, 4, 4), with a line to each pose."""
        warning = np.array([*colors.CLOSEST, LOOK.closest_opacity])
        self._put_arms("closest", positions, np.tile(warning, (len(positions), 1)))
        tips = tips_in_base(self._chain, positions).reshape(-1, 4, 4)
        goals = missed.reshape(-1, 4, 4)
        rows = self._shown("error", len(goals))
        lines = [
            cylinder(tip, goal, LOOK.error_width / 2.0)
            for tip, goal in zip(tips[:, :3, 3], goals[:, :3, 3], strict=True)
        ]
        _put(rows, [line.visual_in_link for line in lines])
        # RViz complains about a cylinder of zero length.
        rows["scale"] = _scales(lines) + (0.0, 0.0, 1e-4)
        rows["color"] = (*colors.CLOSEST, 1.0)

    def _put_arms(self, name: str, positions: Floats, shades: Floats) -> Floats:
        """Place the S shapes of (A, n) configurations in colours (A, 4); return (A, S, 4, 4)."""
        rows = self._shown(name, len(positions) * len(self._shape_body))
        bodies = self._bodies.frames(positions)[self._shape_body]
        frames = (bodies @ self._shape_in_body[:, None]).swapaxes(0, 1)
        _put(rows, frames.reshape(-1, 4, 4))
        rows["color"] = np.repeat(shades, len(self._shape_body), axis=0)
        return frames

    def _shown(self, name: str, count: int) -> NDArray[np.void]:
        """Show the first `count` markers of a group, delete the others, and return the rows."""
        part = self._part[name]
        self._actions[part] = Marker.DELETE
        self._actions[part][:count] = Marker.ADD
        return self._places[part][:count]


def _put(rows: NDArray[np.void], frames: ArrayLike) -> None:
    """Write frames (N, 4, 4) into rows."""
    if len(rows):
        frames = np.asarray(frames)
        rows["position"] = frames[:, :3, 3]
        rows["orientation"] = unit_quaternions(frames[:, :3, :3])


def _body_markers(namespace: str, visuals: list[Visual]) -> list[Marker]:
    """Return a marker for each visual shape."""
    return [
        Marker(
            ns=namespace,
            id=number,
            type=_TYPES.get(visual.shape, Marker.MESH_RESOURCE),
            mesh_resource=visual.mesh_uri,
        )
        for number, visual in enumerate(visuals)
    ]


def _arms(name: str, count: int, visuals: list[Visual]) -> list[Marker]:
    """Return the markers of several identical arms, one arm and namespace after the other."""
    markers = []
    prototypes = _body_markers("", visuals)
    for number in range(count):
        # Shallow copies share their fields; constructing each marker takes seven times as long.
        for marker in map(copy, prototypes):
            marker.ns = f"{name}_{number:03d}"
            markers.append(marker)
    return markers


def _visible(visual: Visual) -> Floats:
    """Return (4, 4) ones for the entries of a shape's transform that its looks depend on."""
    entries = np.ones((4, 4))
    # A cylinder looks the same turned about its z axis, a sphere however it is turned.
    entries[:3, : {"cylinder": 2, "sphere": 3}.get(visual.shape, 0)] = 0.0
    return entries


def _scales(visuals: list[Visual]) -> Floats:
    return np.array([_scale(visual) for visual in visuals]).reshape(-1, 3)


def _scale(visual: Visual) -> tuple[float, float, float]:
    """Return the marker scale of a shape [m], converting radii to diameters."""
    size = visual.size
    if visual.shape == "cylinder":
        return 2 * size[0], 2 * size[0], size[1]
    if visual.shape == "sphere":
        return 2 * size[0], 2 * size[0], 2 * size[0]
    return size[0], size[1], size[2]


def _axes(number: int, reach: float) -> Marker:
    """Return a marker for the three axes of a target: x vermilion, y green, z blue."""
    marker = Marker(ns="target", id=number, type=Marker.LINE_LIST)
    length = float(np.clip(LOOK.axis * reach, *LOOK.axes))
    ends = (Point(x=length), Point(y=length), Point(z=length))
    for end, (r, g, b) in zip(ends, (colors.ORANGE, colors.GREEN, colors.BLUE), strict=True):
        marker.points += [Point(), end]
        marker.colors += [ColorRGBA(r=r, g=g, b=b, a=1.0)] * 2
    return marker
