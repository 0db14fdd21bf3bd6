"""An arm that goes where it is commanded, and sources of targets for it."""

import subprocess
import sys
import threading
import time

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped, TwistStamped
from ik_client import IKClient
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from generative_ik_ros.ros.conversions import transforms_to_poses

RATE, ACCELERATION = 250.0, 5.0
START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])
DEEP = QoSProfile(depth=10_000)


def twist_message(twist, frame_id=""):
    message = TwistStamped()
    message.header.frame_id = frame_id
    linear, angular = message.twist.linear, message.twist.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = map(float, twist)
    return message


def pose_message(target, frame_id=""):
    message = PoseStamped(pose=transforms_to_poses(target[None])[0])
    message.header.frame_id = frame_id
    return message


class ServoArm(IKClient):
    """A simulated arm at the node's commands, which it records.

    Args:
        process: The node.
        chain: The arm's kinematics.
    """

    def __init__(self, process, chain):
        super().__init__(process.namespace)
        self.chain, self.commands, self.trajectories = chain, [], []
        self.positions, self._lock = START.copy(), threading.Lock()
        node = self.node
        self._states = node.create_publisher(JointState, "joint_states", 10)
        self._timer = None
        for kind, name, take in (
            (Float64MultiArray, "servo_commands", self._command),
            (JointTrajectory, "servo_trajectory", self.trajectories.append),
        ):
            node.create_subscription(kind, f"generative_ik/{name}", take, DEEP)
        self._outs = {
            PoseStamped: node.create_publisher(PoseStamped, "generative_ik/servo_target", 10),
            TwistStamped: node.create_publisher(TwistStamped, "generative_ik/servo_twist", 10),
        }

    def _command(self, message):
        with self._lock:
            self.positions = np.array(message.data)
            self.commands.append((time.monotonic(), self.positions))

    def power(self, on=True):
        """Publish joint states, or not."""
        if on and self._timer is None:
            self._timer = self.node.create_timer(0.01, self._publish_state)
        if not on and self._timer is not None:
            self.node.destroy_timer(self._timer)
            self._timer = None

    def _publish_state(self):
        # The gripper comes first, and in a message of its own, as from other drivers.
        self._states.publish(JointState(name=["gripper"], position=[float("nan")]))
        with self._lock:
            positions = self.positions.tolist()
        self._states.publish(
            JointState(name=list(self.chain.names)[::-1], position=positions[::-1])
        )

    def place(self, positions=START):
        """Put the arm somewhere, at rest, and forget what was commanded."""
        self.rest()
        with self._lock:
            self.positions = np.array(positions)
            self.commands.clear()
            self.trajectories.clear()
        time.sleep(0.2)

    def rest(self, timeout=20.0):
        """Wait until the arm stands and nothing is commanded any more."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            count, last = len(self.commands), self.path()[-2:]
            time.sleep(0.3)
            # On a busy machine the next command of a motion may come later.
            if len(self.commands) == count and (count < 2 or (last[0] == last[1]).all()):
                return
        raise AssertionError("commands do not end")

    def found(self):
        """Wait until the node hears targets, and its commands are heard."""
        prefix = f"{self.node.get_namespace()}/generative_ik/servo_"

        def both():
            heard = map(self.node.count_subscribers, (prefix + "target", prefix + "twist"))
            said = map(self.node.count_publishers, (prefix + "commands", prefix + "trajectory"))
            return all([*heard, *said])

        self._when(both)
        time.sleep(0.5)

    def send(self, message):
        self._outs[type(message)].publish(message)

    def stream(self, make, seconds, rate=50.0):
        """Send make(t) for a time [s]; what is late is not caught up."""
        due = time.monotonic()
        for k in range(int(seconds * rate)):
            self.send(make(k / rate))
            due = max(due + 1.0 / rate, time.monotonic())
            time.sleep(max(due - time.monotonic(), 0.0))

    def stream_until(self, condition, message, timeout=60.0):
        """Send a message again and again until something is so."""
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, "it did not come to that"
            self.send(message)
            time.sleep(0.02)

    def drive(self, message, seconds):
        """Send a message until it was followed for a time [s], by the number of commands.

        A busy machine commands more rarely.
        """
        enough = len(self.commands) + seconds * RATE
        self.stream_until(lambda: len(self.commands) >= enough, message)

    def path(self):
        """The commanded configurations (m, n), the start first."""
        with self._lock:
            return np.array([q for _, q in self.commands])


def check_limits(chain, path, start, rate=RATE, acceleration=ACCELERATION):
    """Positions, velocities and accelerations of commands from rest are within the limits.

    A message that were lost would show as a velocity of twice the size, and a jump of it.
    """
    path = np.vstack([start, start, path])
    assert (path >= chain.lower - 1e-9).all() and (path <= chain.upper + 1e-9).all()
    velocities = np.diff(path, axis=0) * rate
    assert (np.abs(velocities) <= chain.velocity_limits * (1.0 + 1e-9)).all()
    accelerations = np.diff(velocities, axis=0) * rate
    worst = int(np.abs(accelerations).max(axis=1).argmax())
    around = path[max(worst - 2, 0) : worst + 5]
    assert np.abs(accelerations).max() <= acceleration * (1.0 + 1e-6), (worst, around)
    return velocities


def twist_source(namespace, *twist):
    """Start a process that sends a twist at 50 Hz until it is killed."""
    return subprocess.Popen([sys.executable, __file__, namespace, *map(str, twist)])


if __name__ == "__main__":
    rclpy.init()
    sender = rclpy.create_node("twist_source", namespace=sys.argv[1])
    publisher = sender.create_publisher(TwistStamped, "generative_ik/servo_twist", 10)
    while True:
        publisher.publish(twist_message(sys.argv[2:]))
        time.sleep(0.02)
