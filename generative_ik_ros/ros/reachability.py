"""A stored reachability map in the node: what it proves out of reach, and how it is shown."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from geometry_msgs.msg import Point, Vector3
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.colors import by_index
from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.ros.conversions import flat
from generative_ik_ros.ros.log_lines import error_line
from generative_ik_ros.ros.requests import SolveOptions
from generative_ik_ros.ros.results import Solved
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.solvers import RobotSolvers
from generative_ik_ros.ros.topics import LATCHED, clear_markers
from generative_ik_ros.solutions import IKSolutions, SolveStatus, Timings

if TYPE_CHECKING:
    from generative_ik_ros.reach.out_of_reach import OutOfReach
    from generative_ik_ros.reach.reachability_map import ReachabilityMap

PARAMETER = "reachability_map"
_FIELDS = ("x", "y", "z", "index", "rgb")
_OF_CHAIN = "fingerprint", "base_link", "tip_link"
"""What chains that a map is of have in common."""


@dataclass(frozen=True)
class MapLook:
    """How the cubes of a reachability map look."""

    shades: int = 32
    """Colours of cubes: messages share the objects, of which rclpy makes many only slowly."""
    opacity: float = 0.25
    """Of the cubes."""
    gap: float = 0.8
    """Edge of a cube, of that of its voxel: one sees between them."""


LOOK = MapLook()


class _Proof(NamedTuple):
    """What a map proves of a robot, of which, and what is said then; `some` configuration (n,)."""

    robot: RobotSolvers
    chain: KinematicChain
    proof: "OutOfReach"
    says: str
    some: Floats


class _Read(NamedTuple):
    """A map, and what it proves of the robot, where there are both."""

    map: "ReachabilityMap | None"
    proof: _Proof | None


class Reachability:
    """Answers requests for poses that a map proves to be out of reach, and publishes the map.

    Nothing of it is imported, and no topic is there, before the parameter is set.

    Args:
        node: Owns the topics `~/reachability` and `~/reachability_markers`, and logs.
        served: Knows the robot and the settings. Where their map cannot be read, that is logged,
            and the node goes on without.
    """

    def __init__(self, node: Node, served: Served):
        self._node, self._served = node, served
        # A robot may be taken while parameters change.
        self._changing = threading.Lock()
        self._map: ReachabilityMap | None = None
        self._proof: _Proof | None = None
        self._taken: RobotSolvers | None = None
        self._out: tuple[Publisher, Publisher] | None = None
        self._frame = ""
        try:
            self._map = _loaded(served.settings.reachability_map)
        except GenerativeIKError as error:
            self._refuse(error)

    def read(self, values: Mapping[str, object]) -> "_Read | None":
        """Return the map that new values of parameters name; None if they do not name one.

        Raises:
            GenerativeIKError: It cannot be read, or is of another robot.
        """
        if PARAMETER not in values:
            return None
        map = _loaded(str(values[PARAMETER]))
        try:
            robot = self._served.robot()
        except GenerativeIKError:
            return _Read(map, None)  # It is checked when there is a robot.
        return _Read(map, None if map is None else _proof(map, robot))

    def apply(self, read: "_Read | None") -> None:
        """Use what `read` returned, and show it."""
        if read is None:
            return
        with self._changing:
            self._map, self._proof = read
            robot = self._taken
            if robot is not None and (self._proof is None or self._proof.robot is not robot):
                self._check(robot)
            self._show()

    def take_robot(self, robot: RobotSolvers) -> None:
        """Check the map against a new robot, and show it; one that does not fit is logged."""
        with self._changing:
            self._taken = robot
            self._check(robot)
            self._show()

    def _check(self, robot: RobotSolvers) -> None:
        """Find out what the map proves of a robot; that it does not fit is logged."""
        self._proof = None
        try:
            if self._map is not None:
                self._proof = _proof(self._map, robot)
        except GenerativeIKError as error:
            self._refuse(error)

    def answer(
        self, robot: RobotSolvers, chain: KinematicChain, targets: Floats, options: SolveOptions
    ) -> Solved | None:
        """Return the answer to a request all of whose targets are out of reach; None: search.

        Regions, several tips, goal sets and tolerances that are not small are searched for.
        """
        known = self._proof
        if known is None or known.robot is not robot:
            return None
        tolerances = options.position_tolerance, options.orientation_tolerance
        free = options.regions is not None or options.goal_set
        if free or not isinstance(options.tips, str) or not self.says(chain, targets, tolerances):
            return None
        nothing = _nothing(known, targets, options.num_solutions)
        return Solved(chain, targets, nothing, note=known.says)

    def says(self, chain: KinematicChain, targets: Floats, tolerances: tuple[float, float]) -> str:
        """Return what is said if all of (B, 4, 4) targets [m] are out of reach, "" if not.

        Args:
            chain: A chain, or a tree, of which no map says anything.
            targets: Poses of its tip in its base.
            tolerances: Distance [m] and angle [rad] from them.
        """
        known = self._proof
        if known is None or not isinstance(chain, KinematicChain):
            return ""
        same = all(getattr(chain, one) == getattr(known.chain, one) for one in _OF_CHAIN)
        # A map proves something only for tolerances that are small against a cell [m, rad].
        sharp = tolerances[0] <= 1e-3 and tolerances[1] <= 1e-2
        return known.says if same and sharp and known.proof.proves(targets).all() else ""

    def _refuse(self, error: GenerativeIKError) -> None:
        self._node.get_logger().error(f"parameter {PARAMETER}: {error_line(error)}")

    def _show(self) -> None:
        """Publish the map of the robot, or remove what was shown."""
        if self._out is None:
            if self._proof is None:
                return
            self._out = (
                self._node.create_publisher(PointCloud2, "~/reachability", LATCHED),
                self._node.create_publisher(MarkerArray, "~/reachability_markers", LATCHED),
            )
        cloud, markers = self._out
        if self._proof is None or self._map is None:
            cloud.publish(PointCloud2())
            markers.publish(clear_markers(self._frame))
            return
        self._frame = self._map.base_link
        self._node.get_logger().info(
            f"reachability map of {self._map.tip_link}: {len(self._map.positions)} voxels of "
            f"{self._map.resolution:g} m"
        )
        cloud.publish(cloud_of(self._map))
        markers.publish(cubes_of(self._map))


def _loaded(path: str) -> "ReachabilityMap | None":
    """Read a map; an empty path is none."""
    if not path:
        return None
    from generative_ik_ros.reach.reachability_map import ReachabilityMap

    return ReachabilityMap.load(path)


def _proof(map: "ReachabilityMap", robot: RobotSolvers) -> _Proof:
    """Find out what a map proves of a robot.

    Raises:
        GenerativeIKError: It is of another robot, or no map that proves anything.
    """
    from generative_ik_ros.reach.out_of_reach import OutOfReach

    if map.tip_link not in robot.description.links:
        raise InvalidArgumentError(
            f"the reachability map is of another chain: '{robot.description.name}' has no link "
            f"'{map.tip_link}', its tip link"
        )
    chain = robot.chain(map.tip_link)
    proof = OutOfReach(map, chain)
    says = (
        "no solution: out of reach by the reachability map, which has nothing within a voxel of "
        f"{map.resolution:g} m and {2.0 * proof.covering:.2f} rad; not searched"
    )
    return _Proof(robot, chain, proof, says, bent_configuration(chain))


def _nothing(known: _Proof, targets: Floats, wanted: int) -> IKSolutions:
    """Return the result of a search that was not made; its configuration is only some one."""
    chain, some = known.chain, known.some
    count, size = len(targets), chain.num_joints
    gap = inverse(chain.forward(some)) @ targets
    cosine = (np.trace(gap[:, :3, :3], axis1=1, axis2=2) - 1.0) / 2.0
    return IKSolutions(
        joint_names=chain.names,
        positions=np.full((count, wanted, size), np.nan),
        counts=np.zeros(count, np.int64),
        position_error=np.full((count, wanted), np.nan),
        orientation_error=np.full((count, wanted), np.nan),
        status=(SolveStatus.NO_SOLUTION,) * count,
        complete=np.zeros(count, np.bool_),
        best_effort=np.tile(some, (count, 1)),
        best_effort_position_error=np.linalg.norm(gap[:, :3, 3], axis=1),
        best_effort_orientation_error=np.arccos(np.clip(cosine, -1.0, 1.0)),
        sampler=PARAMETER,
        timings=Timings(0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0, 0, 0),
    )


def cloud_of(map: "ReachabilityMap") -> PointCloud2:
    """Return the voxels in which a pose or more is reached, with index and colour."""
    positions, index = _reached(map)
    shades = np.round(255.0 * by_index(_relative(index))).astype(np.uint32)
    packed = shades[:, 0] << 16 | shades[:, 1] << 8 | shades[:, 2]
    rows = np.column_stack([positions, index]).astype("<f4")
    rows = np.column_stack([rows, packed.astype("<u4").view("<f4")])
    size = 4 * len(_FIELDS)
    message = PointCloud2(
        height=1,
        width=len(rows),
        fields=[
            PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1)
            for i, name in enumerate(_FIELDS)
        ],
        is_bigendian=False,
        point_step=size,
        row_step=size * len(rows),
        data=flat(np.frombuffer(rows.tobytes(), np.uint8), "B"),
        is_dense=True,
    )
    message.header.frame_id = map.base_link
    return message


def cubes_of(map: "ReachabilityMap") -> MarkerArray:
    """Return a message that replaces all markers by the same voxels as cubes."""
    positions, index = _reached(map)
    cubes = Marker(ns="reachability", type=Marker.CUBE_LIST, frame_locked=True)
    cubes.header.frame_id = map.base_link
    cubes.pose.orientation.w = 1.0
    edge = LOOK.gap * float(map.resolution)
    cubes.scale = Vector3(x=edge, y=edge, z=edge)
    cubes.points = [Point(x=x, y=y, z=z) for x, y, z in positions.tolist()]
    scale = by_index(np.linspace(0.0, 1.0, LOOK.shades)).tolist()
    shades = [ColorRGBA(r=r, g=g, b=b, a=LOOK.opacity) for r, g, b in scale]
    places = np.rint(_relative(index) * (LOOK.shades - 1)).astype(int)
    cubes.colors = [shades[place] for place in places.tolist()]
    return MarkerArray(markers=[*clear_markers(map.base_link).markers, cubes])


def _relative(index: Floats) -> Floats:
    """Return the index (N,) as a share of the map's greatest, as all pictures show it."""
    return index / index.max(initial=1e-9)


def _reached(map: "ReachabilityMap") -> tuple[Floats, Floats]:
    """Return positions (N, 3) [m] and index (N,) of the voxels in which something is reached."""
    index = map.index
    return map.positions[index > 0.0], index[index > 0.0]
