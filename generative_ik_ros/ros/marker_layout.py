"""The RViz markers of a robot, its targets and a number of arm configurations."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false

from copy import copy
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.drawing import colors
from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import Visual
from generative_ik_ros.ros.marker_template import PLACE, MarkerTemplate

TARGET_NAMESPACE, BASE_NAMESPACE, ERROR_NAMESPACE = "target", "base", "error"
AXIS_LENGTH, AXIS_WIDTH, ERROR_WIDTH = 0.12, 0.008, 0.01
_CLOSEST_OPACITY = 0.8
_TYPES = {"box": Marker.CUBE, "cylinder": Marker.CYLINDER, "sphere": Marker.SPHERE}


def arm_namespace(order: int) -> str:
    """Return the namespace of the arm at index `order`, the best solution first."""
    return f"solution_{order:03d}"


def closest_namespace(number: int) -> str:
    """Return the namespace of the closest configuration to a target without a solution."""
    return f"closest_{number:03d}"


class Picture(NamedTuple):
    """The content of one marker message.

    Attributes:
        targets: (T, 4, 4) targets, tip in base [m].
        arms: (A, n) solutions, best first [rad or m].
        closest: (U, n) closest configurations to targets without a solution [rad or m].
        missed: (U, 4, 4) those targets [m].
        opacity: Opacity of the arms, from 0 to 1.
    """

    targets: NDArray[np.float64]
    arms: NDArray[np.float64]
    closest: NDArray[np.float64]
    missed: NDArray[np.float64]
    opacity: float


class MarkerLayout:
    """Markers for the base, T targets, U closest configurations with an error each, and A arms.

    Args:
        chain: The robot's chain.
        num_targets: T.
        num_closest: U.
        num_arms: A.
    """

    def __init__(self, chain: KinematicChain, num_targets: int, num_closest: int, num_arms: int):
        """Create the markers, one group after the other."""
        self._chain, self._bodies = chain, Bodies(chain)
        self.num_targets, self.num_closest, self.num_arms = num_targets, num_closest, num_arms
        fixed = self._bodies.shapes[self._bodies.base]
        shapes = [(k, shape) for k in self._bodies.moving for shape in self._bodies.shapes[k]]
        self._shape_body = np.array([k for k, _ in shapes], np.int64)
        self._shape_in_body = np.array([s.shape_in_body for _, s in shapes]).reshape(-1, 4, 4)
        visuals = [shape.visual for _, shape in shapes]
        groups = {
            "clear": [Marker()],
            "base": _body_markers(BASE_NAMESPACE, [shape.visual for shape in fixed]),
            "target": [_axes(i) for i in range(num_targets)],
            "error": [_cylinder(i) for i in range(num_closest)],
            "closest": _arms([closest_namespace(i) for i in range(num_closest)], visuals),
            "arm": _arms([arm_namespace(i) for i in range(num_arms)], visuals),
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
        self._put_base([shape.shape_in_body for shape in fixed], [s.visual for s in fixed])
        for name in ("closest", "arm"):
            scales = np.array([_scale(visual) for visual in visuals]).reshape(-1, 3)
            rows = self._places[self._part[name]].reshape(-1, len(visuals) or 1)
            rows["scale"] = scales
        self._template = MarkerTemplate(markers)

    def message(
        self, picture: Picture, *, clear: bool = False, serialised: bool = True
    ) -> bytes | MarkerArray:
        """Return the message that shows a picture and deletes all other markers of the layout.

        Args:
            picture: The content; no more targets and arms than the layout has markers for.
            clear: Whether to delete every marker published on the topic before.
            serialised: Whether a serialised message may be returned.
        """
        self._actions[self._part["clear"]] = Marker.DELETEALL if clear else Marker.DELETE
        self._put_targets(picture.targets)
        self._put_errors(picture)
        count = len(picture.arms)
        shades = np.column_stack([colors.by_order(count), np.full(count, picture.opacity)])
        self._put_arms("arm", picture.arms, shades)
        warning = np.array([*colors.CLOSEST, _CLOSEST_OPACITY])
        self._put_arms("closest", picture.closest, np.tile(warning, (len(picture.closest), 1)))
        return self._template.filled(self._places, self._actions, serialised=serialised)

    def _put_base(self, frames: list[NDArray[np.float64]], visuals: list[Visual]) -> None:
        """Place the shapes of the base, given their frames in the base's rigid body."""
        part = self._part["base"]
        body_in_base = self._bodies.frames(np.zeros((1, self._chain.num_joints)))
        if visuals:
            in_base = body_in_base[self._bodies.base, 0] @ np.array(frames)
            _put(self._places[part], in_base)
            self._places[part]["scale"] = [_scale(visual) for visual in visuals]
        self._places[part]["color"] = (*colors.STILL, 1.0)
        self._actions[part] = Marker.ADD

    def _put_targets(self, targets: NDArray[np.float64]) -> None:
        rows = self._shown("target", len(targets))
        _put(rows, targets)
        rows["scale"] = (AXIS_WIDTH, 0.0, 0.0)
        rows["color"] = 1.0

    def _put_errors(self, picture: Picture) -> None:
        """Draw a line from the tip of each closest configuration to its target."""
        rows = self._shown("error", len(picture.closest))
        if not len(rows):
            return
        tips = self._chain.forward(picture.closest)[:, :3, 3]
        along = picture.missed[:, :3, 3] - tips
        length = np.linalg.norm(along, axis=1)
        rows["position"] = tips + along / 2.0
        x, y, z = (along / np.maximum(length, 1e-12)[:, None]).T
        # Shortest rotation of the z axis to the direction; half a turn about x if it is -z.
        quaternions = np.stack([-y, x, np.zeros_like(x), 1.0 + z], axis=1)
        quaternions[np.linalg.norm(quaternions, axis=1) < 1e-6] = (1.0, 0.0, 0.0, 0.0)
        norms = np.linalg.norm(quaternions, axis=1, keepdims=True)
        rows["orientation"] = quaternions / norms
        # RViz complains about a cylinder of zero length.
        rows["scale"] = np.stack([*np.full((2, len(length)), ERROR_WIDTH), length + 1e-4], axis=1)
        rows["color"] = (*colors.CLOSEST, 1.0)

    def _put_arms(
        self, name: str, positions: NDArray[np.float64], shades: NDArray[np.float64]
    ) -> None:
        """Place the shapes of (A, n) configurations in colours (A, 4)."""
        rows = self._shown(name, len(positions) * len(self._shape_body))
        if len(rows):
            bodies = self._bodies.frames(positions)[self._shape_body]
            frames = (bodies @ self._shape_in_body[:, None]).swapaxes(0, 1)
            _put(rows, frames.reshape(-1, 4, 4))
            rows["color"] = np.repeat(shades, len(self._shape_body), axis=0)

    def _shown(self, name: str, count: int) -> NDArray[np.void]:
        """Show the first `count` markers of a group, delete the others, and return the rows."""
        part = self._part[name]
        self._actions[part] = Marker.DELETE
        self._actions[part][:count] = Marker.ADD
        return self._places[part][:count]


def _put(rows: NDArray[np.void], frames: NDArray[np.float64]) -> None:
    """Write frames (N, 4, 4) into rows."""
    if len(frames):
        rows["position"] = frames[:, :3, 3]
        rows["orientation"] = Rotation.from_matrix(frames[:, :3, :3]).as_quat()


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


def _arms(namespaces: list[str], visuals: list[Visual]) -> list[Marker]:
    """Return the markers of several identical arms, one arm after the other."""
    markers = []
    prototypes = _body_markers("", visuals)
    for namespace in namespaces:
        # Shallow copies share their fields; constructing each marker takes seven times as long.
        for marker in map(copy, prototypes):
            marker.ns = namespace
            markers.append(marker)
    return markers


def _scale(visual: Visual) -> tuple[float, float, float]:
    """Return the marker scale of a shape [m], converting radii to diameters."""
    size = visual.size
    if visual.shape == "cylinder":
        return 2 * size[0], 2 * size[0], size[1]
    if visual.shape == "sphere":
        return 2 * size[0], 2 * size[0], 2 * size[0]
    return size[0], size[1], size[2]


def _cylinder(number: int) -> Marker:
    return Marker(ns=ERROR_NAMESPACE, id=number, type=Marker.CYLINDER)


def _axes(number: int) -> Marker:
    """Return a marker for the three axes of a target: x vermilion, y green, z blue."""
    marker = Marker(ns=TARGET_NAMESPACE, id=number, type=Marker.LINE_LIST)
    ends = (Point(x=AXIS_LENGTH), Point(y=AXIS_LENGTH), Point(z=AXIS_LENGTH))
    for end, (r, g, b) in zip(ends, (colors.ORANGE, colors.GREEN, colors.BLUE), strict=True):
        marker.points += [Point(), end]
        marker.colors += [ColorRGBA(r=r, g=g, b=b, a=1.0)] * 2
    return marker
