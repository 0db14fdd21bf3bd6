"""Streaming test: a node commands an arm at 500 Hz towards a stream of targets, for a given time.

The node is a servo, in a process of its own: that in Python, or that in C++. Another process sends
it targets along a circle at the rate of the commands, or another one, and is killed at the end.
Reported are commands that were lost, how regularly they came, how late periods began, what they
violate, how far the tip was from the circle, how the arm stopped, and the node's share of a core.
Run by `make stream`. The exit code is 1 if a command was lost or violates a limit, or the arm did
not stop.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import argparse
import json
import math
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import rclpy
from ament_index_python import get_package_prefix
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from soak_node import THE_NODE, NodeProcess, set_ros_environment
from std_msgs.msg import Float64MultiArray

from generative_ik_ros import KinematicChain, load_robot
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.known import robot_urdf_path
from generative_ik_ros.ros.conversions import transforms_to_poses

ACCELERATION = 10.0
"""Limit of all joints [rad/s^2]."""
RADIUS, TURN = 0.1, 4.0
"""Of the circle [m], and the time for a turn, which the first ones take longer than [s]."""
START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])
NAMESPACE = "/arm"
REST = 3.0
"""Time after which an arm without targets is at rest [s]."""
PACKAGE = "generative_ik_servo"
"""Of the node in C++."""


def start_node(given: argparse.Namespace, folder: Path) -> NodeProcess:
    """Start the node that the command line asks for, with its files in a folder."""
    program = THE_NODE
    parameters: dict[str, object] = {
        "robot_description": robot_urdf_path("panda").read_text(encoding="utf-8"),
        "tip_link": "panda_hand_tcp",
        "servo": True,
        "servo_rate": given.rate,
        "servo_acceleration_limits": str(ACCELERATION),
    }
    if given.source_rate >= given.rate:  # slower targets are filtered
        parameters["servo_filter"] = 0.0
    if given.node == "cpp":
        parameters |= {"servo_priority": given.priority, "servo_lock_memory": given.priority > 0}
        prefix = given.prefix or get_package_prefix(PACKAGE)
        program = Path(prefix, "lib", PACKAGE, "servo_node")
    return NodeProcess(NAMESPACE, folder, program, "generative_ik", **parameters)


def circle(start: Floats, seconds: float) -> Floats:
    """Return the target (4, 4) at a time: on a circle through the start, from rest."""
    angle = 2.0 * math.pi / TURN * (seconds + TURN * math.expm1(-seconds / TURN))
    target = start.copy()
    target[0, 3] += RADIUS * (math.cos(angle) - 1.0)
    target[1, 3] += RADIUS * math.sin(angle)
    return target


def send_targets(rate: float) -> None:
    """Publish targets at a rate [Hz] until the process is killed."""
    rclpy.init()
    node = rclpy.create_node("targets", namespace=NAMESPACE)
    targets = node.create_publisher(PoseStamped, "generative_ik/servo_target", 10)
    start, begun = load_robot("panda").forward(START), time.monotonic()
    for k in range(sys.maxsize):
        target = circle(start, k / rate)
        targets.publish(PoseStamped(pose=transforms_to_poses(target[None])[0]))
        time.sleep(max(begun + (k + 1) / rate - time.monotonic(), 0.0))


class Arm:
    """An arm that is where it was commanded, and records that.

    Attributes:
        commands: When each came [s], and the configuration.
        published: How many commands the node says it has published.
        status: What the node said last of the servo, with its values.
        late: How late periods began, as each status says: median, 99th percentile, most [ms].
    """

    def __init__(self) -> None:
        self.commands: list[tuple[float, Floats]] = []
        self.published, self.status = 0, {"": ""}
        self.late: list[list[float]] = []
        self._names = list(load_robot("panda").joint_names)
        self._node = rclpy.create_node("arm", namespace=NAMESPACE)
        deep = QoSProfile(depth=10_000)
        self._node.create_subscription(
            Float64MultiArray, "generative_ik/servo_commands", self._take, deep
        )
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._hear, deep)
        self._states = self._node.create_publisher(JointState, "joint_states", 10)
        self._node.create_timer(0.01, self._publish_state)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _take(self, message: Float64MultiArray) -> None:
        self.commands.append((time.monotonic(), np.array(message.data)))

    def _publish_state(self) -> None:
        last = self.commands[-1][1] if self.commands else START
        self._states.publish(JointState(name=self._names, position=last.tolist()))

    def _hear(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name.endswith(": servo"):
                self.status = {"message": status.message}
                self.status |= {pair.key: pair.value for pair in status.values}
                self.published = int(self.status["commands"])
                late = [self.status[f"late_{which}_ms"] for which in LATE]
                self.late.append([float(value) for value in late])

    def close(self) -> None:
        """Listen no more."""
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()


def violations(chain: KinematicChain, path: Floats, rate: float) -> dict[str, int]:
    """Return how often commands (m, n) at a rate [Hz], from rest to rest, are beyond limits."""
    path = np.vstack([START, START, path])
    velocities = np.diff(path, axis=0) * rate
    accelerations = np.diff(velocities, axis=0) * rate
    beyond = {
        "positions": (path < chain.lower - 1e-9) | (path > chain.upper + 1e-9),
        "velocities": np.abs(velocities) > chain.velocity_limits * (1.0 + 1e-9),
        "accelerations": np.abs(accelerations) > ACCELERATION * (1.0 + 1e-6),
    }
    return {what: int(where.sum()) for what, where in beyond.items()}


def report(arm: Arm, rate: float, killed: float, core: float) -> dict[str, object]:
    """Return what is said of a run in which targets ended at a time [s].

    Args:
        arm: What was commanded.
        rate: Of commands [Hz].
        killed: When targets ended [s].
        core: Share of a core that the node has used meanwhile.
    """
    chain = load_robot("panda")
    times = np.array([when for when, _ in arm.commands])
    path = np.array([q for _, q in arm.commands])
    apart = 1e3 * np.diff(times)
    tips = chain.forward(path)[:, :3, 3]
    middle = chain.forward(START)[:3, 3] - (RADIUS, 0.0, 0.0)
    flat = np.linalg.norm(tips[:, :2] - middle[:2], axis=1)
    off = np.hypot(flat - RADIUS, tips[:, 2] - middle[2])[times < killed]
    after = path[times > killed]
    return {
        "seconds": round(times[-1] - times[0], 1),
        "commands": len(path),
        "lost": arm.published - len(path),
        "violations": violations(chain, path, rate),
        "skipped_periods": int(arm.status["skipped_periods"]),
        "apart_ms": {f"p{100 * q:g}": round(float(np.quantile(apart, q)), 3) for q in QUANTILES},
        # Of the last 5000 periods, or of all there were by then.
        "late_ms": dict(zip(LATE, np.median(arm.late, axis=0).round(4).tolist(), strict=True))
        | {"max": max(row[-1] for row in arm.late)},
        "share_of_a_core": round(core, 3),
        "off_circle_mm": {
            f"p{100 * q:g}": round(1e3 * float(np.quantile(off, q)), 3) for q in QUANTILES
        },
        "commands_after_the_source_died": len(after),
        "at_rest": bool(len(after) > 1 and np.abs(after[-1] - after[-2]).max() == 0.0),
        "message": arm.status["message"],
    }


QUANTILES = (0.001, 0.5, 0.99, 0.999, 1.0)
LATE = ("p50", "p99", "max")


def run(given: argparse.Namespace) -> dict[str, object]:
    """Stream for a time, kill the source of targets, and report."""
    set_ros_environment()
    with tempfile.TemporaryDirectory() as folder:
        node = start_node(given, Path(folder))
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        arm = Arm()
        source = subprocess.Popen([sys.executable, __file__, f"--targets={given.source_rate}"])
        try:
            end = time.monotonic() + 60.0
            while not arm.commands and node.alive and time.monotonic() < end:
                time.sleep(0.1)
            if not arm.commands:
                raise SystemExit(f"nothing was commanded:\n{node.text()}")
            arm.late.clear()  # the start of the node
            begun, worked = time.monotonic(), node.processor_time()
            time.sleep(given.seconds)
            source.kill()
            killed = time.monotonic()
            core = (node.processor_time() - worked) / (killed - begun)
            # The last status comes within a second of the last command.
            time.sleep(REST)
        finally:
            source.kill()
            node.stop()
            arm.close()
            rclpy.shutdown()
    return report(arm, given.rate, killed, core)


def main() -> int:
    """Run the test and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--rate", type=float, default=500.0, help="of commands [Hz]")
    parser.add_argument("--source-rate", type=float, help="of targets [Hz]; by default the same")
    parser.add_argument("--node", choices=("python", "cpp"), default="python")
    parser.add_argument("--priority", type=int, default=0, help="of the node in C++: SCHED_FIFO")
    parser.add_argument("--prefix", default="", help="where the node in C++ is installed")
    parser.add_argument("--targets", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.targets:
        send_targets(given.targets)
    given.source_rate = given.source_rate or given.rate
    found = run(given)
    print(json.dumps(found, indent=2))
    violated = any(violations for violations in found["violations"].values())  # type: ignore[union-attr]
    return int(bool(found["lost"] or violated or not found["at_rest"]))


if __name__ == "__main__":
    raise SystemExit(main())
