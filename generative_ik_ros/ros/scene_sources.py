"""Topics that obstacles come from: MoveIt's planning scene, and a cloud of points."""

# Generated messages have no stubs, and moveit_msgs need not be there.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from rclpy.subscription import Subscription
from sensor_msgs.msg import PointCloud2

from generative_ik_ros.collision.planning_scene import FollowedScene
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError, short
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.ros.frames import Frames
from generative_ik_ros.ros.log_lines import one_line
from generative_ik_ros.ros.point_clouds import cloud_in_root, read_points
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.topics import steady_timer

try:
    from moveit_msgs.msg import PlanningScene
    from moveit_msgs.srv import GetPlanningScene
except ImportError:  # not available from the Python package index
    PlanningScene = GetPlanningScene = None

TOPIC, SERVICE = "monitored_planning_scene", "get_planning_scene"


@dataclass(frozen=True)
class SourceLimits:
    """How often sources of scenes are read, and how much of them waits."""

    cloud_period: float = 0.2
    """Shortest time between two clouds that are read [s]: each costs tens of milliseconds."""
    depth: int = 100
    """Depth of the queue of planning scenes, each of which may be a diff, as MoveIt's own."""
    asking_period: float = 1.0
    """Time between two looks for the service that has the whole scene [s]."""
    patience: float = 5.0
    """Time after which it is asked again if it has not answered [s]."""
    max_pending: int = 1000
    """Messages that wait for a robot, or for the whole scene."""
    max_lines: int = 1000
    """Different faults that are logged once each."""


LIMITS = SourceLimits()


class OnceLog:
    """Logs each line once."""

    def __init__(self, node: Node):
        self._node = node
        self._logged: set[str] = set()

    def warn(self, line: str) -> None:
        """Log a warning unless it has been."""
        if line := self._new(line):
            self._node.get_logger().warning(line)

    def info(self, line: str) -> None:
        """Log a line unless it has been."""
        if line := self._new(line):
            self._node.get_logger().info(line)

    def _new(self, line: str) -> str:
        line = one_line(line)
        if line in self._logged or len(self._logged) >= LIMITS.max_lines:
            return ""
        self._logged.add(line)
        return line


class PlanningSceneTopic:
    """Follows `monitored_planning_scene`, if moveit_msgs is installed.

    move_group publishes the whole scene when it starts and changes from then on: a node that
    starts later asks for the whole one. It asks again when it sees another publisher, whose first
    changes it may have missed, and when an answer does not come.

    Args:
        changed: Called with the scene after every change of it, in the order of the messages.
    """

    def __init__(self, node: Node, changed: Callable[[FollowedScene], None], log: OnceLog):
        self._changed, self._log = changed, log
        # An answer that is there at once is taken by the thread that asks.
        self._lock = threading.RLock()
        self._scene: FollowedScene | None = None
        self._pending: list[Any] = []
        self._whole = False
        self._answer: Any = None
        self._asked_at = 0.0
        self._publishers = 0
        self._client = None
        if PlanningScene is None:
            return
        group = MutuallyExclusiveCallbackGroup()
        self._client = node.create_client(GetPlanningScene, SERVICE, callback_group=group)
        self._subscription = node.create_subscription(
            PlanningScene, TOPIC, self._take, QoSProfile(depth=LIMITS.depth), callback_group=group
        )
        self._count_publishers = node.count_publishers
        self._timer = steady_timer(node, LIMITS.asking_period, self._ask_if_lacking, group)

    def set_robot(self, robot: RobotDescription) -> None:
        """Follow the scene of another robot."""
        with self._lock:
            if self._scene is not None and self._scene.robot is robot:
                return
            replaces = self._scene is not None
            self._scene, pending = FollowedScene(robot), self._pending
            self._pending, self._answer = [], None
            self._whole = any(not message.is_diff for message in pending)
            for message in pending:
                self._apply(message)
            if pending or replaces:
                self._changed(self._scene)
            if replaces:
                self._ask()

    def _take(self, message: Any) -> None:  # noqa: ANN401 (moveit_msgs need not be there)
        with self._lock:
            if self._scene is None:
                self._keep(message)
                return
            if not message.is_diff:
                self._whole = True
            self._apply(message)
            if not self._whole:
                self._ask()
                if self._answer is not None:
                    # Applied once more to the whole scene, which may be older.
                    self._keep(message)
            self._changed(self._scene)

    def _keep(self, message: Any) -> None:  # noqa: ANN401
        if not message.is_diff:
            self._pending.clear()
        self._pending.append(message)
        del self._pending[: -LIMITS.max_pending]

    def _apply(self, message: Any) -> None:  # noqa: ANN401
        assert self._scene is not None  # noqa: S101
        self._scene, faults = self._scene.updated(message)
        for fault in faults:
            self._log.warn(fault)

    def _ask_if_lacking(self) -> None:
        with self._lock:
            publishers = self._count_publishers(self._subscription.topic_name)
            if publishers > self._publishers:
                self._whole, self._answer = False, None
            self._publishers = publishers
            if time.monotonic() > self._asked_at + LIMITS.patience:
                self._answer = None
            if self._scene is not None and not self._whole:
                self._ask()

    def _ask(self) -> None:
        """Ask for the whole scene, unless an answer is awaited."""
        client = self._client
        if client is None or self._answer is not None or not client.service_is_ready():
            return
        self._asked_at = time.monotonic()
        request = GetPlanningScene.Request()
        parts = type(request.components)
        request.components.components = (
            parts.ROBOT_STATE
            | parts.ROBOT_STATE_ATTACHED_OBJECTS
            | parts.WORLD_OBJECT_GEOMETRY
            | parts.OCTOMAP
            | parts.TRANSFORMS
            | parts.ALLOWED_COLLISION_MATRIX
        )
        self._answer = client.call_async(request)
        self._answer.add_done_callback(self._take_whole)

    def _take_whole(self, future: Any) -> None:  # noqa: ANN401
        with self._lock:
            if self._scene is None or future is not self._answer:
                return
            self._answer = None
            try:
                message = future.result().scene
            except Exception as error:
                self._log.warn(f"{SERVICE} failed: {error}")
                return
            self._whole = True
            message.is_diff = False
            pending, self._pending = self._pending, []
            for one in (message, *pending):
                self._apply(one)
            self._changed(self._scene)


class CloudTopic:
    """Reads the newest cloud on the topic that a parameter names, if any.

    Args:
        changed: Called with each cloud, in the root link, or None.
    """

    def __init__(
        self,
        node: Node,
        served: Served,
        frames: Frames,
        changed: Callable[[Any], None],
        log: OnceLog,
    ):
        self._node, self._served, self._frames = node, served, frames
        self._changed, self._log = changed, log
        self._group = MutuallyExclusiveCallbackGroup()
        # The topic may be changed while a cloud on it is read.
        self._lock = threading.Lock()
        self._subscription: Subscription | None = None
        self._topic = ""
        self._next = 0.0
        self._newest: PointCloud2 | None = None
        self._timer = steady_timer(node, LIMITS.cloud_period, self._read, self._group)

    def check(self, topic: str) -> None:
        """Refuse what is no name of a topic of this node; empty is none.

        Raises:
            InvalidArgumentError: It is not.
        """
        try:
            if topic:
                self._node.resolve_topic_name(topic)
        except RuntimeError as error:
            why = one_line(str(error).split(", at /")[0])
            raise InvalidArgumentError(
                f"parameter point_cloud_topic, '{short(topic)}': {why}"
            ) from None

    def listen(self, topic: str) -> None:
        """Listen to a topic, as `check` allows it; empty: to none."""
        self.check(topic)
        if topic == self._topic:
            return
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
        with self._lock:
            self._topic, self._newest = topic, None
        if topic:
            self._subscription = self._node.create_subscription(
                PointCloud2,
                topic,
                partial(self._take, topic),
                QoSProfile(depth=1, reliability=qos_profile_sensor_data.reliability),
                callback_group=self._group,
            )

    def _take(self, topic: str, message: PointCloud2) -> None:
        with self._lock:
            if topic == self._topic:
                self._newest = message
        self._read()

    def _read(self) -> None:
        """Read the newest cloud, if there is one; a later call does if it is too early."""
        with self._lock:
            message, topic = self._newest, self._topic
            if message is None or time.monotonic() < self._next:
                return
            self._newest = None
        settings = self._served.settings
        try:
            robot = self._served.robot().description
            frame_in_root = self._frames.frame_in_base(
                message.header.frame_id,
                message.header.stamp,
                robot,
                robot.root,
                settings.tf_timeout,
            )
            cloud = cloud_in_root(read_points(message), frame_in_root, settings.point_radius)
            with self._lock:
                if topic == self._topic:
                    self._changed(cloud)
        except GenerativeIKError as error:
            self._log.warn(f"a cloud on {topic} is refused: {error}")
        # Reading must leave time for all else.
        self._next = time.monotonic() + LIMITS.cloud_period
