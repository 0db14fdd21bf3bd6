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

from rclpy.task import Future
from soak_client import Client, Request, Response
from soak_node import NodeProcess, set_ros_environment

from generative_ik_ros.robot.known import robot_urdf_path
from generative_ik_ros.ros.conversions import transforms_to_poses

ROBOT, SPACE = "iiwa", "/flood"
STATUSES = {
    getattr(Response, name): name
    for name in ("SOLVED", "PARTIAL", "NO_SOLUTION", "TIMED_OUT", "INVALID_REQUEST", "BUSY")
}
GRACE = 10.0
"""Time beyond the requests' timeout after which a reply counts as lost [s]."""


class Flood(Client):
    """A node, and a client that sends requests without waiting for replies.

    Args:
        poses: Poses per request.
        timeout: Timeout of each request [s].
        folder: Folder for the node's files.
    """

    def __init__(self, poses: int, timeout: float, folder: Path):
        """Start the node and wait for its first solution."""
        text = robot_urdf_path(ROBOT).read_text(encoding="utf-8")
        self.process = NodeProcess(SPACE, folder, robot_description=text)
        super().__init__(SPACE, [ROBOT], 0)
        self._flooding = Request(num_solutions=50, timeout=timeout)
        self._flooding.targets.poses = transforms_to_poses(self.current.targets(self.rng, poses))
        self._timeout = timeout
        self.wait(60.0)
        while not (self.calls and self.calls[-1][-1] > 0):
            self.call("one pose")

    def close(self) -> None:
        """Stop the node and the client."""
        super().close()
        self.process.stop()

    def small(self) -> float:
        """Request one solution of one pose; return the time until the reply [s]."""
        start = time.perf_counter()
        request = Request(num_solutions=1, timeout=60.0)
        request.targets.poses = list(self._flooding.targets.poses)[:1]
        self.await_reply(self.client.call_async(request), 120.0)
        return time.perf_counter() - start

    def flood(self, count: int) -> tuple[Counter[str], float, float]:
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
            future, sent = self.client.call_async(self._flooding), time.perf_counter()
            future.add_done_callback(lambda one, sent=sent: take(one, sent))
            self.executor.spin_once(0.0)
        end = time.perf_counter() + self._timeout + GRACE
        while answers.total() < count and time.perf_counter() < end:
            self.executor.spin_once(0.1)
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
            answers, latest, memory = flood.flood(options.requests)
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
