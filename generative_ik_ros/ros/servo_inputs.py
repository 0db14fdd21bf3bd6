"""What the servo follows: topics that are read once a period, without an executor."""

# Generated messages have no stubs, and rclpy's handles have none.
# pyright: reportAttributeAccessIssue=false

import math
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import GenerativeIKError, InvalidTargetError, listed
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros.conversions import poses_to_transforms
from generative_ik_ros.ros.direct import DetachableGroup
from generative_ik_ros.ros.frames import Frames
from generative_ik_ros.ros.servo_motion import Aim

JOINT_STATES_DEPTH = 100
"""Queue of joint states, of which several nodes may publish some joints each."""
MEASURED_FOR = 1.0
"""Time for which the arm is taken to be where joint states had it [s]."""
_LATEST = Time()


class NoJointStatesError(GenerativeIKError):
    """Nothing says where the arm is."""


class PolledTopic:
    """A subscription that no executor serves: its owner takes what has arrived.

    An executor looks at all entities of a node for each message, which takes longer than a
    message here. Reliable and best-effort publishers are heard.

    Args:
        depth: Messages that are kept until they are taken, the newest ones.

    Attributes:
        name: The topic's full name.
    """

    def __init__(self, node: Node, kind: type, name: str, depth: int):
        group = DetachableGroup()
        group.detached = True
        self._node, self._kind = node, kind
        self.name = node.resolve_topic_name(name)
        self._subscription = node.create_subscription(
            kind,
            name,
            lambda _: None,
            QoSProfile(depth=depth, reliability=qos_profile_sensor_data.reliability),
            callback_group=group,
        )

    def take(self) -> list[Any]:
        """Return the messages that have arrived, the oldest first."""
        handle, messages = self._subscription.handle, []
        with handle:
            while (taken := handle.take_message(self._kind, False)) is not None:
                messages.append(taken[0])
        return messages

    def close(self) -> None:
        """Unsubscribe."""
        self._node.destroy_subscription(self._subscription)


class ServoInputs:
    """The latest target and joint positions.

    Attributes:
        refused: Messages that could not be used.
        refusal: What was wrong with the last one.
    """

    def __init__(self, node: Node, frames: Frames):
        """Subscribe to `~/servo_target`, `~/servo_twist` and `joint_states`."""
        self._frames = frames
        self._targets = PolledTopic(node, PoseStamped, "~/servo_target", 1)
        self._twists = PolledTopic(node, TwistStamped, "~/servo_twist", 1)
        self._joint_states = PolledTopic(node, JointState, "joint_states", JOINT_STATES_DEPTH)
        self._measured: dict[str, tuple[float, float]] = {}
        self.refused, self.refusal = 0, ""

    def close(self) -> None:
        """Unsubscribe."""
        for topic in (self._targets, self._twists, self._joint_states):
            topic.close()

    def read(self, chain: KinematicChain, now: float) -> Aim | None:
        """Return the target that has arrived since the last call, if any that can be used.

        Args:
            chain: The arm.
            now: Reading of `time.monotonic` [s].
        """
        for message in self._joint_states.take():
            for name, position in zip(message.name, message.position, strict=False):
                if math.isfinite(position):
                    self._measured[name] = position, now
        aim = None
        for topic, read in ((self._twists, self._twist), (self._targets, self._pose)):
            for message in topic.take():
                try:
                    aim = read(message, chain, now)
                except GenerativeIKError as error:
                    self.refused, self.refusal = self.refused + 1, str(error)
        return aim

    def measured(self, chain: KinematicChain, now: float) -> Floats:
        """Return where the arm is (n,) [rad or m].

        Raises:
            NoJointStatesError: Joint states of late do not say.
        """
        never = -math.inf
        known = [self._measured.get(name, (0.0, never)) for name in chain.names]
        missing = [
            name
            for name, (_, arrived) in zip(chain.names, known, strict=True)
            if now - arrived > MEASURED_FOR
        ]
        if missing:
            raise NoJointStatesError(
                f"no position of {listed(missing)} on {self._joint_states.name} in the last "
                f"{MEASURED_FOR:g} s; nothing is commanded before it is known where the arm is"
            )
        return np.array([position for position, _ in known])

    def _pose(self, message: PoseStamped, chain: KinematicChain, now: float) -> Aim:
        pose = poses_to_transforms([message.pose])[0]
        frame = self._frame(message.header.frame_id, chain)
        return Aim(now, pose if frame is None else frame @ pose)

    def _twist(self, message: TwistStamped, chain: KinematicChain, now: float) -> Aim:
        linear, angular = message.twist.linear, message.twist.angular
        twist = np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])
        if not np.isfinite(twist).all():
            raise InvalidTargetError(f"twist is not finite: {twist.tolist()}")
        if message.header.frame_id.removeprefix("/") == chain.tip_link:
            return Aim(now, twist=twist)
        frame = self._frame(message.header.frame_id, chain)
        return Aim(now, twist=twist, frame_in_base=np.eye(4) if frame is None else frame)

    def _frame(self, frame_id: str, chain: KinematicChain) -> Floats | None:
        """Return the latest pose of a frame in the base link; does not wait for TF."""
        return self._frames.frame_in_base(
            frame_id, _LATEST, chain.description, chain.base_link, 0.0
        )
