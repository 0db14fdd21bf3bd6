"""Measures how a node handles more requests at once than it can answer."""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.task import Future
from soak_node import NodeProcess, set_ros_environment

from generative_ik_ros.robot.known import load_robot, robot_urdf_path
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.srv import GetIKSolutions

ROBOT, SPACE = "iiwa", "/flood"
Request, Response = GetIKSolutions.Request, GetIKSolutions.Response
STATUSES = {
    getattr(Response, name): name
    for name in ("SOLVED", "PARTIAL", "NO_SOLUTION", "TIMED_OUT", "INVALID_REQUEST", "BUSY")
}
GRACE = 10.0
"""Time beyond the requests' timeout after which a reply counts as lost [s]."""


class Flood:
    """A node, and a client that sends requests without waiting for replies.

    Args:
        poses: Poses per request.
        timeout: Timeout of each request [s].
        folder: Folder for the node's files.
    """

    def __init__(self, poses: int, timeout: float, folder: Path):
        """Start the node and wait for its first reply."""
        text = robot_urdf_path(ROBOT).read_text(encoding="utf-8")
        self.process = NodeProcess(SPACE, folder, robot_description=text)
        rclpy.init()
        self._node = rclpy.create_node("flood", namespace=SPACE, start_parameter_services=False)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._client = self._node.create_client(
            GetIKSolutions, "generative_ik/get_ik_solutions", qos_profile=QoSProfile(depth=10_000)
        )
        chain = load_robot(ROBOT)
        q = np.random.default_rng(0).uniform(chain.lower, chain.upper, (poses, chain.num_joints))
        self._request = Request(num_solutions=50, timeout=timeout)
        self._request.targets.poses = transforms_to_poses(chain.forward(q))
        self._timeout = timeout
        self._client.wait_for_service()
        self.small()

    def close(self) -> None:
        """Stop the node and the client."""
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown()
        self.process.stop()

    def small(self) -> float:
        """Request one solution of one pose; return the time until the reply [s]."""
        start = time.perf_counter()
        request = Request(num_solutions=1, timeout=60.0)
        request.targets.poses = list(self._request.targets.poses)[:1]
        future = self._client.call_async(request)
        while not future.done():
            self._executor.spin_once(1.0)
        return time.perf_counter() - start

    def run(self, count: int) -> tuple[Counter[str], float, float]:
        """Send `count` requests at once.

        Returns:
            Number of replies by status, lateness of the latest one [s], and the node's largest
            memory use [MiB].
        """
        answers: Counter[str] = Counter()
        latest, memory = -self._timeout, 0.0

        def take(future: Future, sent: float) -> None:
            nonlocal latest
            answer = future.result()
            assert answer is not None
            answers[STATUSES.get(answer.status, f"status {answer.status}")] += 1
            latest = max(latest, time.perf_counter() - sent - self._timeout)

        for _ in range(count):
            future, sent = self._client.call_async(self._request), time.perf_counter()
            future.add_done_callback(lambda one, sent=sent: take(one, sent))
            self._executor.spin_once(0.0)
        end = time.perf_counter() + self._timeout + GRACE
        while answers.total() < count and time.perf_counter() < end:
            self._executor.spin_once(0.1)
            memory = max(memory, self.process.resident())
        answers["without reply"] = count - answers.total()
        return answers, latest, memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Flood a node and print the result; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--poses", type=int, default=500, help="poses per request")
    parser.add_argument("--timeout", type=float, default=20.0, help="of each request [s]")
    options = parser.parse_args(arguments)
    set_ros_environment()
    with tempfile.TemporaryDirectory(prefix="generative_ik_flood_") as folder:
        flood = Flood(options.poses, options.timeout, Path(folder))
        try:
            before = flood.process.resident()
            answers, latest, memory = flood.run(options.requests)
            small = flood.small()
        finally:
            flood.close()
    replies = ", ".join(f"{number} {status}" for status, number in answers.most_common())
    print(
        f"{options.requests} requests of {options.poses} poses each, {options.timeout:g} s: "
        f"{replies}; latest reply {latest:+.2f} s from its deadline; memory {before:.0f} MiB "
        f"before, at most {memory:.0f} MiB; a small request afterwards: {1e3 * small:.1f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
