"""More requests at once than a node can answer in, what became of them and its memory out."""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false

import argparse
import os
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
from soak_node import NodeProcess

from generative_ik_ros.robot.known import load_robot, robot_urdf_path
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.srv import GetIKSolutions

ROBOT, SPACE = "iiwa", "/flood"
Request, Response = GetIKSolutions.Request, GetIKSolutions.Response
STATUSES = {
    getattr(Response, name): name
    for name in ("SOLVED", "PARTIAL", "NO_SOLUTION", "TIMED_OUT", "INVALID_REQUEST", "BUSY")
}
PATIENCE = 10.0
"""Time beyond the requests' timeout after which an answer is taken for lost [s]."""


class Flood:
    """A node, and a client that asks without waiting for answers.

    Args:
        poses: Poses of each request.
        timeout: Of each request [s].
    """

    def __init__(self, poses: int, timeout: float):
        """Start the node and wait until it has answered."""
        text = robot_urdf_path(ROBOT).read_text(encoding="utf-8")
        folder = Path(tempfile.mkdtemp(prefix="generative_ik_flood_"))
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
        self._timeout, self._arrived = timeout, {}
        self._client.wait_for_service()
        self.small()

    def close(self) -> None:
        """End both."""
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown()
        self.process.stop()

    def small(self) -> float:
        """Ask for one solution of one pose; return how long its answer took [s]."""
        start = time.perf_counter()
        request = Request(num_solutions=1, timeout=60.0)
        request.targets.poses = list(self._request.targets.poses)[:1]
        future = self._client.call_async(request)
        while not future.done():
            self._executor.spin_once(1.0)
        return time.perf_counter() - start

    def run(self, count: int) -> tuple[Counter[str], float, float]:
        """Send so many requests at once.

        Returns:
            Answers by status and those that never came, by how much the latest was late [s], and
            the most memory that the node had [MiB].
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
        end = time.perf_counter() + self._timeout + PATIENCE
        while answers.total() < count and time.perf_counter() < end:
            self._executor.spin_once(0.1)
            memory = max(memory, self.process.resident())
        answers["never answered"] = count - answers.total()
        return answers, latest, memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Flood a node and tell; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--poses", type=int, default=500, help="of each request")
    parser.add_argument("--timeout", type=float, default=20.0, help="of each request [s]")
    options = parser.parse_args(arguments)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET"
    # Domains up to 101 have ports that no system hands out to others.
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
    flood = Flood(options.poses, options.timeout)
    before = flood.process.resident()
    answers, latest, memory = flood.run(options.requests)
    told = ", ".join(f"{number} {status}" for status, number in answers.most_common())
    asked = f"{options.requests} requests of {options.poses} poses each, {options.timeout:g} s"
    print(
        f"{asked}: {told}; the latest answer {latest:+.2f} s from its deadline; "
        f"memory {before:.0f} MiB before, {memory:.0f} at most; "
        f"a small request afterwards: {1e3 * flood.small():.1f} ms"
    )
    flood.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
