"""A client of the soak test, which sends requests of all kinds and checks every reply.

soak.py runs it as a process. It runs until its standard input is closed, then writes one JSON
object with all its calls to standard output.
"""

# Generated messages have no stubs: pyright does not see their constants.
# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false
# pyright: reportOptionalMemberAccess=false

import argparse
import json
import math
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.verification import Checker
from generative_ik_ros.robot.known import load_robot, robot_urdf_path
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.ros.last_resort import end_process_after
from generative_ik_ros.srv import GetIKSolutions

TOLERANCE = 1e-5
GRACE = 5.0
"""Time beyond a request's timeout after which its reply counts as lost [s]."""
BUSY_SHARE = 0.7
"""A reply BUSY is valid after this fraction of the request's timeout."""
SHARES = {
    "one pose": 0.5,
    "eight poses": 0.1,
    "near a seed": 0.1,
    "out of reach": 0.05,
    "5 ms deadline": 0.05,
    "malformed": 0.1,
    "cancelled": 0.1,
}
KINDS = (*SHARES, "500 poses")
"""The last is used by memory.py only."""
POSES = {"eight poses": 8, "500 poses": 500}
DEADLINE_SOLUTIONS = 60
"""Solutions requested with a deadline of 5 ms: few enough for replies below 5 kB. The middleware
keeps up to 1000 replies for clients that it does not know to be dead, in buffers that only grow.
Larger replies would fill these for hours and hide leaks; memory.py measures those."""
Request, Response = GetIKSolutions.Request, GetIKSolutions.Response


class Robot:
    """A robot that the node may have, with an independent check of its solutions."""

    def __init__(self, name: str):
        self.chain = load_robot(name)
        text = robot_urdf_path(name).read_text(encoding="utf-8")
        oracle = Oracle(text, self.chain.base_link, self.chain.tip_link, self.chain.joint_names)
        self._checker = Checker(oracle, self.chain, TOLERANCE, TOLERANCE)

    def targets(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return reachable poses (count, 4, 4) [m]."""
        lower = np.where(self.chain.continuous, -np.pi, self.chain.lower)
        upper = np.where(self.chain.continuous, np.pi, self.chain.upper)
        return self.chain.forward(rng.uniform(lower, upper, (count, self.chain.num_joints)))

    def violations(self, targets: np.ndarray, answer: Response) -> int:
        """Count the false, out-of-limits and duplicate solutions in a reply."""
        if list(answer.joint_names) != self.chain.joint_names or len(answer.counts) != len(
            targets
        ):
            return 1
        positions = np.reshape(answer.positions, (-1, self.chain.num_joints))
        each = np.split(positions, np.cumsum(answer.counts)[:-1])
        return sum(
            self._checker.violations(target, found).total
            for target, found in zip(targets, each, strict=True)
        )


class Client:
    """Calls one service, one request at a time."""

    def __init__(self, namespace: str, robots: list[str], seed: int):
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node(
            f"soak_client_{seed}", namespace=namespace, start_parameter_services=False
        )
        # With rmw_fastrtps a client also receives the replies to all other clients, which would
        # overflow a queue of the default depth of 10; flood.py awaits thousands.
        self.client = self.node.create_client(
            GetIKSolutions, "generative_ik/get_ik_solutions", qos_profile=QoSProfile(depth=10_000)
        )
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        loaded = [Robot(name) for name in robots]
        self._by_tip = {robot.chain.tip_link: robot for robot in loaded}
        self.current = loaded[0]
        self.rng = np.random.default_rng(seed)
        self.calls: list[tuple[float, float, float, int, int]] = []
        self.lost: list[tuple[float, float]] = []
        self.false, self.unexpected = 0, []

    def close(self) -> None:
        """Destroy the node."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown()

    def run(self, stop: threading.Event, rate: float) -> None:
        """Call until `stop` is set, `rate` times per second on average."""
        while not stop.is_set():
            if not self.wait(0.5):
                continue
            self.call(str(self.rng.choice(list(SHARES), p=list(SHARES.values()))))
            if rate:
                stop.wait(float(self.rng.exponential(1.0 / rate)))

    def wait(self, seconds: float) -> bool:
        """Wait for the service; return whether it is available."""
        return self.client.wait_for_service(seconds)

    def await_reply(self, future: Future, seconds: float) -> bool:
        """Wait for a reply; return whether it arrived."""
        end = time.perf_counter() + seconds
        while not future.done() and (left := end - time.perf_counter()) > 0.0:
            self.executor.spin_once(left)
        return future.done()

    def call(self, kind: str, check: bool = True) -> None:
        """Send a request of a kind, and check its reply unless `check` is False."""
        targets, request = self._request(kind)
        sent, start = time.time(), time.perf_counter()
        future = self.client.call_async(request)
        if kind == "cancelled":
            # The reply, which still arrives, must not affect anything.
            self.client.remove_pending_request(future)
            self.calls.append((sent, 0.0, 0.0, KINDS.index(kind), 0))
            return
        if not self.await_reply(future, GRACE + (request.timeout or 1.0)):
            self.client.remove_pending_request(future)
            self.lost.append((sent, time.time()))
            return
        answer = future.result()
        elapsed = time.perf_counter() - start
        status = answer.status
        self.calls.append((sent, elapsed, answer.total_time, KINDS.index(kind), status))
        if check:
            busy = elapsed >= BUSY_SHARE * request.timeout
            self._check(kind, targets, answer, busy)

    def _check(self, kind: str, targets: np.ndarray, answer: Response, busy: bool) -> None:
        """Record false solutions and unexpected statuses."""
        if answer.status > 0:
            robot = self._by_tip.get(answer.tip_link)
            self.false += 1 if robot is None else robot.violations(targets, answer)
            self.current = robot or self.current
        # After a swap the seed state may have the length of the previous robot.
        refusable = answer.status == Response.INVALID_REQUEST and kind == "near a seed"
        if answer.status == Response.BUSY:
            valid = busy
        elif kind == "malformed":
            valid = answer.status == Response.INVALID_REQUEST and bool(answer.message)
        else:
            valid = answer.status > 0 or refusable
        if not valid and answer.status not in (Response.NO_ROBOT_DESCRIPTION, Response.PREPARING):
            self.unexpected.append(f"{kind}: {answer.status} {answer.message}"[:200])

    def _request(self, kind: str) -> tuple[np.ndarray, Request]:
        rng, chain = self.rng, self.current.chain
        request = Request(num_solutions=20, timeout=1.0, random_seed=int(rng.integers(2**31)))
        targets = self.current.targets(rng, POSES.get(kind, 1))
        if kind in POSES:
            request.num_solutions = 5
        elif kind == "near a seed":
            request.seed_state = np.clip(np.zeros(chain.num_joints), chain.lower, chain.upper)
        elif kind == "out of reach":
            targets[:, :3, 3] *= (chain.reach + 5.0) / np.linalg.norm(targets[0, :3, 3])
        elif kind == "5 ms deadline":
            request.timeout, request.num_solutions = 0.005, DEADLINE_SOLUTIONS
        request.targets.poses = transforms_to_poses(targets)
        if kind == "malformed":
            _make_invalid(request, rng)
        return targets, request


def _make_invalid(request: Request, rng: np.random.Generator) -> None:
    """Set one field of a request to an invalid value."""
    pose = request.targets.poses[0]
    ways: list[Callable[[], object]] = [
        lambda: setattr(request, "timeout", -1.0),
        lambda: setattr(request, "sampler", "no such sampler"),
        lambda: setattr(request, "tip_link", "no such link"),
        lambda: setattr(request, "seed_state", [math.nan]),
        lambda: setattr(request, "num_solutions", 2**32 - 1),
        lambda: setattr(request, "position_tolerance", math.nan),
        lambda: setattr(pose.position, "x", math.inf),
        lambda: setattr(pose.orientation, "w", 7.0),
        lambda: setattr(request.targets, "poses", []),
    ]
    ways[int(rng.integers(len(ways)))]()


def _set_at_end_of_input(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()


def main() -> None:
    """Run one client."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--robots", required=True, help="names, separated by commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=0.0, help="calls per second; 0: no pause")
    options = parser.parse_args()
    stop = threading.Event()
    threading.Thread(target=_set_at_end_of_input, args=(stop,), daemon=True).start()
    client = Client(options.namespace, options.robots.split(","), options.seed)
    client.run(stop, options.rate)
    result = {
        "namespace": options.namespace,
        "calls": client.calls,
        "lost": client.lost,
        "false": client.false,
        "unexpected": client.unexpected,
    }
    json.dump(result, sys.stdout)
    sys.stdout.flush()
    # The middleware may block.
    end_process_after(10.0)
    client.close()


if __name__ == "__main__":
    main()
