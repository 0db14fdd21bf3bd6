"""Demonstration of the ROS 2 node: 100 solutions of a random pose of the Panda, and a path.

Starts the node as a process, publishes the robot description, calls the service, checks every
solution by forward kinematics, and prints a table and draws a picture. Then it measures round
trips for a path through 300 poses. Run by `make demo`.
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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.table import Table
from scipy.spatial.transform import Rotation
from std_msgs.msg import String

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import known_robot, load_robot
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.srv import GetIKPath, GetIKSolutions

ROBOT = "panda"
NUM_SOLUTIONS = 100
TOLERANCE, ROUNDING = 1e-5, 1e-12
DISTINCT = 0.05
CALLS = 50
POSES = 50
PATH_POSES = 300
REPLY_TIMEOUT = 0.25
"""Time after which a reply to a node that starts counts as lost [s]: they take milliseconds."""
PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", str(Path(__file__).with_name("demo_client.xml")))
"""Variable of Fast DDS and the file with the settings of the demonstration's own client."""
START_TIMEOUT = 60.0
"""Longest time for the node to start [s]."""
SAMPLES = 200
PICTURE = Path(__file__).resolve().parents[1] / "demo" / "solutions.png"

SAMPLERS_PICTURE = PICTURE.with_name("samplers.png")


class DemoError(Exception):
    """The demonstration failed."""


@contextmanager
def node_process(tip_link: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the node as a process, which must end cleanly."""
    command = [sys.executable, "-m", "generative_ik_ros.ros.node"]
    command += ["--ros-args", "-p", f"tip_link:={tip_link}"]
    environment = {key: os.environ[key] for key in os.environ if key != PROFILES[0]}
    process = subprocess.Popen(command, env=environment)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            raise DemoError("the node did not end when interrupted") from None
    if code:
        raise DemoError(f"the node ended with exit code {code}")


class Client:
    """Publishes a robot description and calls the node's service."""

    def __init__(self) -> None:
        self.node = Node("demo", start_parameter_services=False)
        self._service = self.node.create_client(GetIKSolutions, "/generative_ik/get_ik_solutions")
        self._path_service = self.node.create_client(GetIKPath, "/generative_ik/get_ik_path")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.node.create_publisher(String, "robot_description", latched)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Destroy the node."""
        self._executor.shutdown()
        self.node.destroy_node()

    def introduce(self, process: subprocess.Popen[bytes], urdf: str, target: Floats) -> None:
        """Publish a description and ask for a pose (4, 4) until the node answers it."""
        request = solutions_request(target)
        self._description.publish(String(data=urdf))
        end = time.monotonic() + START_TIMEOUT
        while time.monotonic() < end:
            if process.poll() is not None:
                raise DemoError(f"the node ended with exit code {process.returncode}")
            if not self._service.wait_for_service(0.2):
                continue
            # The first reply can be lost while discovery is incomplete.
            answer = self._call(self._service, request, REPLY_TIMEOUT)
            waiting = answer is None or answer.status in (
                answer.NO_ROBOT_DESCRIPTION,
                answer.PREPARING,
            )
            if not waiting:
                return
            time.sleep(0.05)
        raise DemoError(f"the node was not ready after {START_TIMEOUT:.0f} s")

    def solve(self, target: Floats) -> tuple[GetIKSolutions.Response, float]:
        """Request solutions of a pose (4, 4); return the reply and the round-trip time [s]."""
        answer, elapsed = self._timed(self._service, solutions_request(target))
        if answer.status < 0:
            raise DemoError(f"the service replied: {answer.message}")
        return answer, elapsed

    def follow(self, targets: Floats) -> tuple[GetIKPath.Response, float]:
        """Request a path through poses (B, 4, 4); return the reply and the round-trip time [s]."""
        request = GetIKPath.Request(timeout=30.0, flat_reply=True)
        turns = Rotation.from_matrix(targets[:, :3, :3]).as_quat()
        request.poses = np.hstack([targets[:, :3, 3], turns]).ravel().tolist()
        answer, elapsed = self._timed(self._path_service, request)
        if answer.status != answer.SOLVED:
            raise DemoError(f"no path: {answer.message}")
        return answer, elapsed

    def _timed(self, service: Any, request: Any) -> tuple[Any, float]:  # noqa: ANN401
        """Return the reply and the round-trip time [s]."""
        start = time.perf_counter()
        answer = self._call(service, request, 60.0)
        if answer is None:
            raise DemoError("the service did not reply")
        return answer, time.perf_counter() - start

    def _call(self, service: Any, request: Any, timeout: float) -> Any:  # noqa: ANN401 (messages)
        """Return the reply, or None if there is none after `timeout` [s]."""
        future = service.call_async(request)
        end = time.monotonic() + timeout
        # spin_until_future_complete becomes slower with every call in rclpy 7.1.
        while not future.done() and time.monotonic() < end:
            self._executor.spin_once(timeout)
        return future.result() if future.done() else None


def solutions_request(target: Floats) -> GetIKSolutions.Request:
    """Return the request for solutions of a pose (4, 4)."""
    request = GetIKSolutions.Request(num_solutions=NUM_SOLUTIONS, timeout=5.0)
    request.targets.poses = transforms_to_poses(target[None])
    return request


def check(chain: KinematicChain, q: Floats, target: Floats) -> tuple[Floats, Floats, float]:
    """Check solutions (N, n) by forward kinematics.

    Returns:
        Distance from the target (N,) [m], angle from it (N,) [rad], and the smallest distance
        between two solutions in the joint that differs most [rad].

    Raises:
        DemoError: A solution misses the target or violates a limit, or two are duplicates.
    """
    tip_in_base = chain.forward(q)
    distance = np.linalg.norm(tip_in_base[:, :3, 3] - target[:3, 3], axis=1)
    # Unlike the trace, the chord between rotations is accurate at tiny angles.
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
) -> tuple[Floats, GetIKSolutions.Response, list[int]]:
    """Draw reachable poses until one has as many solutions as requested.

    Near the boundary of the workspace there are fewer; their numbers are returned as well.
    """
    fewer: list[int] = []
    for _ in range(POSES):
        target = chain.forward(rng.uniform(chain.lower, chain.upper))
        answer, _ = client.solve(target)
        if answer.counts[0] == NUM_SOLUTIONS:
            return target, answer, fewer
        fewer.append(answer.counts[0])
    raise DemoError(f"none of {POSES} random poses has {NUM_SOLUTIONS} solutions: {fewer}")


def sweep(chain: KinematicChain) -> Floats:
    """Return configurations (PATH_POSES, n) along a smooth motion [rad or m]."""
    middle, range_ = (chain.lower + chain.upper) / 2.0, chain.upper - chain.lower
    share = np.linspace(-1.0, 1.0, PATH_POSES)[:, None]
    return middle + 0.1 * range_ * np.sin(share + np.arange(chain.num_joints))


def path_times(calls: list[tuple[GetIKPath.Response, float]]) -> list[tuple[str, str]]:
    """Return what the times of paths are, for the summary."""
    solving = statistics.median(reply.solve_time for reply, _ in calls)
    node = statistics.median(reply.total_time - reply.solve_time for reply, _ in calls)
    extra = statistics.median(elapsed - reply.solve_time for reply, elapsed in calls)
    return [
        (f"path through {PATH_POSES} poses, solve time, median", f"{1e3 * solving:.2f} ms"),
        ("in the node beside solving, median", f"{1e3 * node:.2f} ms"),
        ("round trip beside solving, median", f"{1e3 * extra:.2f} ms"),
    ]


def show(
    console: Console, chain: KinematicChain, q: Floats, errors: tuple[Floats, Floats]
) -> None:
    """Print the first ten solutions."""
    table = Table(title=f"The first 10 of {len(q)} solutions, joints in rad", title_justify="left")
    for name in ("#", *chain.joint_names, "error, nm", "error, nrad"):
        table.add_column(name.removeprefix("panda_"), justify="right", no_wrap=True)
    for row in range(10):
        joints = (f"{value:.4f}" for value in q[row])
        residuals = (f"{1e9 * error[row]:.1f}" for error in errors)
        table.add_row(str(row + 1), *joints, *residuals)
    console.print(table)


def demo(console: Console, random_seed: int | None) -> None:
    """Request solutions, check them and print the results.

    Raises:
        DemoError: The node failed, or a solution is false.
    """
    robot, chain = known_robot(ROBOT), load_robot(ROBOT)
    urdf = robot.urdf.read_text(encoding="utf-8")
    middle = chain.forward((chain.lower + chain.upper) / 2.0)
    client, start = Client(), time.perf_counter()
    with node_process(robot.tip_link) as process:
        try:
            client.introduce(process, urdf, middle)
            first = time.perf_counter() - start
            target, answer, fewer = find_pose(client, chain, np.random.default_rng(random_seed))
            calls = [client.solve(target) for _ in range(CALLS)]
            line = chain.forward(sweep(chain))
            paths = [client.follow(line) for _ in range(CALLS)]
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
        console.print(f"(earlier random poses had fewer than {len(q)} solutions: {counts})")
    show(console, chain, q, (distance, angle))
    round_trip = 1e3 * statistics.median(elapsed for _, elapsed in calls)
    solving = 1e3 * statistics.median(reply.solve_time for reply, _ in calls)
    summary = Table.grid(padding=(0, 2))
    for name, value in (
        ("the node's first answer after its start", f"{first:.1f} s"),
        ("solutions, checked by forward kinematics", f"{len(q)}"),
        ("largest error", f"{distance.max():.2g} m, {angle.max():.2g} rad"),
        ("smallest difference of two solutions in some joint", f"{apart:.4f} rad"),
        ("sampler", answer.sampler),
        (f"solve time, median of {CALLS} calls", f"{solving:.2f} ms"),
        ("round-trip time, median", f"{round_trip:.2f} ms"),
        *path_times(paths),
    ):
        summary.add_row(name, value)
    console.print(summary)
    from generative_ik_ros.cli.plot import plot_solutions

    PICTURE.parent.mkdir(exist_ok=True)
    plot_solutions(chain, q, target[None], PICTURE)
    console.print(f"picture: {os.path.relpath(PICTURE)}")
    show_samplers(console, chain, target)


def show_samplers(console: Console, chain: KinematicChain, target: Floats) -> None:
    """Print and draw what each sampler proposes for the pose (4, 4), where PyTorch is there."""
    from generative_ik_ros.cli.plot import plot_samplers
    from generative_ik_ros.cli.sampler_figures import measure_sampler
    from generative_ik_ros.cli.samplers import SHOWN, samplers_table

    console.print()
    if find_spec("torch") is None:
        console.print("IKFlow, GGIK and distal teaching beside it: make setup, and again")
        return
    found = {
        name: measure_sampler(chain, name, target, SAMPLES, NUM_SOLUTIONS, 0) for name in SHOWN
    }
    console.print(samplers_table(found, SAMPLES, NUM_SOLUTIONS))
    usable = [one for one in found.values() if not isinstance(one, str)]
    plot_samplers(chain, usable, target, SAMPLERS_PICTURE)
    console.print(f"picture: {os.path.relpath(SAMPLERS_PICTURE)}")


def main() -> int:
    """Run the demonstration and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--random-seed", type=int, help="seed of the random pose")
    arguments = parser.parse_args()
    # Wide enough for the table if the output is not a terminal.
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    # A separate domain, to stay apart from robots in the network. The ports of domains up to 101
    # are outside the ephemeral range.
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ[PROFILES[0]] = PROFILES[1]
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
