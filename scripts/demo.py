"""A random pose of the Panda in, a table and a picture of 100 ways to reach it out, over ROS 2.

Starts the node as a process of its own, publishes the robot's description, calls the service and
checks every answer by forward kinematics. Run by `make demo`.
"""

# Generated messages have no stubs: pyright does not see their constants.
# pyright: reportAttributeAccessIssue=false

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import rclpy
from numpy.typing import NDArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.table import Table
from std_msgs.msg import String

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import known_robot, load_robot
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.srv import GetIKSolutions

ROBOT = "panda"
NUM_SOLUTIONS = 100
TOLERANCE, ROUNDING = 1e-5, 1e-12
DISTINCT = 0.05
CALLS = 50
POSES = 50
START_TIMEOUT = 300.0
"""A node that compiles its kernels for the first time takes half a minute of a whole core [s]."""
PICTURE = Path(__file__).resolve().parents[1] / "demo" / "solutions.png"


class DemoError(Exception):
    """Something that the demo is there to show did not happen."""


@contextmanager
def node_process(tip_link: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the node as a process; it has to end cleanly."""
    command = [sys.executable, "-m", "generative_ik_ros.ros.node"]
    process = subprocess.Popen([*command, "--ros-args", "-p", f"tip_link:={tip_link}"])
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            raise DemoError("the node did not end when told to") from None
    if code:
        raise DemoError(f"the node ended with exit code {code}")


class Client:
    """Publishes a robot description and calls the node's service."""

    def __init__(self) -> None:
        self.node = Node("demo", start_parameter_services=False)
        self._service = self.node.create_client(GetIKSolutions, "/generative_ik/get_ik_solutions")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.node.create_publisher(String, "robot_description", latched)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the network."""
        self._executor.shutdown()
        self.node.destroy_node()

    def introduce(self, process: subprocess.Popen[bytes], urdf: str) -> None:
        """Publish a description and wait until the node has taken it up."""
        self._description.publish(String(data=urdf))
        end = time.monotonic() + START_TIMEOUT
        while time.monotonic() < end:
            if process.poll() is not None:
                raise DemoError(f"the node ended with exit code {process.returncode}")
            if not self._service.wait_for_service(0.2):
                continue
            # A first answer can get lost while both sides still discover each other.
            answer = self._call(GetIKSolutions.Request(), 1.0)
            if answer is not None and answer.status != answer.NO_ROBOT_DESCRIPTION:
                return
            time.sleep(0.05)
        raise DemoError(f"the node was not ready after {START_TIMEOUT:.0f} s")

    def solve(self, target: NDArray[np.float64]) -> tuple[GetIKSolutions.Response, float]:
        """Ask for solutions of a pose (4, 4); the answer and the time of the round trip [s]."""
        request = GetIKSolutions.Request(num_solutions=NUM_SOLUTIONS, timeout=5.0)
        request.targets.poses = transforms_to_poses(target[None])
        start = time.perf_counter()
        answer = self._call(request, 30.0)
        elapsed = time.perf_counter() - start
        if answer is None:
            raise DemoError("the service did not answer")
        if answer.status < 0:
            raise DemoError(f"the service answered: {answer.message}")
        return answer, elapsed

    def _call(
        self, request: GetIKSolutions.Request, timeout: float
    ) -> GetIKSolutions.Response | None:
        """Return the answer, or None where there is none after `timeout` [s]."""
        future = self._service.call_async(request)
        end = time.monotonic() + timeout
        # Not spin_until_future_complete, which in rclpy 7.1 gets slower with every call.
        while not future.done() and time.monotonic() < end:
            self._executor.spin_once(timeout)
        return future.result() if future.done() else None


def check(
    chain: KinematicChain, q: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Measure solutions (N, n) with nothing but forward kinematics.

    Returns:
        Distance from the target (N,) [m], angle from it (N,) [rad], and by how much the two
        most similar solutions differ in the joint that differs most [rad].

    Raises:
        DemoError: One of them misses the target or a limit, or two are the same.
    """
    tip_in_base = chain.forward(q)
    distance = np.linalg.norm(tip_in_base[:, :3, 3] - target[:3, 3], axis=1)
    # The chord between rotations stays accurate at tiny angles, where the trace does not.
    chord = np.linalg.norm(tip_in_base[:, :3, :3] - target[:3, :3], axis=(1, 2))
    angle = 2.0 * np.arcsin(np.minimum(chord / np.sqrt(8.0), 1.0))
    apart = np.abs(q[:, None] - q[None]).max(axis=2)[np.triu_indices(len(q), 1)].min()
    if max(distance.max(), angle.max()) > TOLERANCE + ROUNDING:
        raise DemoError(f"a solution misses: {distance.max():.2g} m, {angle.max():.2g} rad")
    if (q < chain.lower - ROUNDING).any() or (q > chain.upper + ROUNDING).any():
        raise DemoError("a solution violates a joint limit")
    if apart < DISTINCT - ROUNDING:
        raise DemoError(f"two solutions are only {apart:.2g} rad apart")
    return distance, angle, float(apart)


def find_pose(
    client: Client, chain: KinematicChain, rng: np.random.Generator
) -> tuple[NDArray[np.float64], GetIKSolutions.Response, list[int]]:
    """Draw reachable poses until one has as many solutions as wanted.

    Near the edge of the workspace there are fewer; their numbers are returned as well.
    """
    fewer: list[int] = []
    for _ in range(POSES):
        target = chain.forward(rng.uniform(chain.lower, chain.upper))
        answer, _ = client.solve(target)
        if answer.counts[0] == NUM_SOLUTIONS:
            return target, answer, fewer
        fewer.append(answer.counts[0])
    raise DemoError(f"none of {POSES} random poses has {NUM_SOLUTIONS} solutions: {fewer}")


def show(
    console: Console,
    chain: KinematicChain,
    q: NDArray[np.float64],
    errors: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """Print the first ten solutions."""
    table = Table(title=f"The first 10 of {len(q)} solutions, joints in rad", title_justify="left")
    for name in ("#", *chain.joint_names, "nm off", "nrad off"):
        table.add_column(name.removeprefix("panda_"), justify="right", no_wrap=True)
    for row in range(10):
        joints = (f"{value:.4f}" for value in q[row])
        misses = (f"{1e9 * error[row]:.1f}" for error in errors)
        table.add_row(str(row + 1), *joints, *misses)
    console.print(table)


def demo(console: Console, random_seed: int | None) -> None:
    """Show the way from a robot description to checked solutions.

    Raises:
        DemoError: Something went wrong on it.
    """
    robot, chain = known_robot(ROBOT), load_robot(ROBOT)
    with node_process(robot.tip_link) as process:
        client = Client()
        try:
            client.introduce(process, robot.urdf.read_text(encoding="utf-8"))
            target, answer, fewer = find_pose(client, chain, np.random.default_rng(random_seed))
            calls = [client.solve(target) for _ in range(CALLS)]
        finally:
            client.close()
    q = np.reshape(answer.positions, (-1, chain.num_joints))
    distance, angle, apart = check(chain, q, target)
    pose = transforms_to_poses(target[None])[0]
    p, r = pose.position, pose.orientation
    console.print()
    console.print(
        f"Target of {robot.tip_link} in {robot.base_link}: position {p.x:.4f} {p.y:.4f} {p.z:.4f} "
        f"m, quaternion {r.x:.4f} {r.y:.4f} {r.z:.4f} {r.w:.4f}"
    )
    if fewer:
        counts = ", ".join(map(str, fewer))
        console.print(f"(random poses before it have fewer than {len(q)} solutions: {counts})")
    show(console, chain, q, (distance, angle))
    round_trip = 1e3 * statistics.median(elapsed for _, elapsed in calls)
    solving = 1e3 * statistics.median(reply.solve_time for reply, _ in calls)
    summary = Table.grid(padding=(0, 2))
    for name, value in (
        ("solutions, each checked by forward kinematics", f"{len(q)}"),
        ("farthest from the target", f"{distance.max():.2g} m, {angle.max():.2g} rad"),
        ("closest two differ in some joint by", f"{apart:.4f} rad"),
        ("sampler", answer.sampler),
        (f"solving, median of {CALLS} calls", f"{solving:.2f} ms"),
        ("service round trip, median", f"{round_trip:.2f} ms"),
    ):
        summary.add_row(name, value)
    console.print(summary)
    from generative_ik_ros.cli.plot import plot_solutions

    PICTURE.parent.mkdir(exist_ok=True)
    plot_solutions(chain, q, target[None], PICTURE)
    console.print(f"picture: {os.path.relpath(PICTURE)}")


def main() -> int:
    """Run the demo; the exit code says whether all of it was right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--random-seed", type=int, help="the same seed draws the same pose")
    arguments = parser.parse_args()
    # Wide enough for the table also where the output goes into a file.
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    # A domain of its own keeps the demo and the robots in the network apart. Domains up to 101 use
    # ports that no system hands out to others.
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        demo(console, arguments.random_seed)
    except DemoError as error:
        console.print(f"demo failed: {error}", style="red")
        return 1
    finally:
        rclpy.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
