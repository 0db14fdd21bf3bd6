"""Fuzz target: service requests."""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import atexit
import math
import os
import tempfile
import time
from array import array
from pathlib import Path

import numpy as np
import rclpy
from fuzz_mutate import NASTY, pick
from geometry_msgs.msg import Pose, PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.signals import SignalHandlerOptions
from soak_node import NodeProcess

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.verification import Checker
from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.robot.known import load_robot, robot_urdf_path
from generative_ik_ros.ros.conversions import poses_to_transforms, transforms_to_poses
from generative_ik_ros.samplers.registry import sampler_names
from generative_ik_ros.srv import GetIKSolutions

Request, Response = GetIKSolutions.Request, GetIKSolutions.Response

_NUMBERS = (
    0.0, -0.0, 1.0, -1.0, 1e-5, 1e-300, 5e-324, 1e308, -1e308, math.nan, math.inf, -math.inf, 0.5,
    math.pi, -math.pi, 1e6, 1e-12, 0.01, 1e17,
)  # fmt: skip
_ROBOT, _TIP = "panda", "panda_hand_tcp"
MAX_TIMEOUT = 0.5
REPLY_TIMEOUT = 60.0
"""Longest wait for a reply [s]."""
MAX_MEMORY = 1500.0
"""Largest resident memory of the node [MiB]."""


class Requests:
    """Requests to a node in a process of its own."""

    def prepare(self) -> None:
        """Start the node."""
        os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        text = robot_urdf_path(_ROBOT).read_text(encoding="utf-8")
        self._chain = load_robot(_ROBOT)
        base = self._chain.base_link
        self._oracle = Oracle(text, base, self._chain.tip_link, self._chain.joint_names)
        self._node_process = NodeProcess(
            "/fuzz",
            Path(tempfile.mkdtemp()),
            robot_description=text,
            tip_link=self._chain.tip_link,
            max_timeout=MAX_TIMEOUT,
            timeout=MAX_TIMEOUT,
            max_solutions=5_000,
            max_targets=200,
            num_solutions=10,
            tf_timeout=0.05,
        )
        atexit.register(self._node_process.stop)
        self._read = 0
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("fuzz", start_parameter_services=False)
        self._client = self._node.create_client(
            GetIKSolutions, "/fuzz/generative_ik/get_ik_solutions"
        )
        self._target = self._node.create_publisher(
            PoseStamped, "/fuzz/generative_ik/target_pose", 10
        )
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        assert self._client.wait_for_service(300.0), "the node did not start"
        assert any(self._call(Request(), 2.0) for _ in range(10)), "the node does not answer"
        # The first request for a sampler loads it, which takes seconds on a busy machine.
        target = self._chain.forward(bent_configuration(self._chain))
        for sampler in sampler_names():
            request = Request(sampler=sampler)
            request.targets.poses = transforms_to_poses(target[None])
            assert self._call(request, 5.0 * REPLY_TIMEOUT), f"no first reply with {sampler}"

    def case(self, rng: np.random.Generator) -> bytes:
        """Return a serialised request with up to four invalid or unusual fields."""
        chain = self._chain
        q = rng.uniform(
            chain.lower, chain.upper, (int(rng.choice([1, 1, 1, 3])), chain.num_joints)
        )
        request = Request(num_solutions=int(rng.integers(1, 20)), timeout=MAX_TIMEOUT)
        request.targets.poses = transforms_to_poses(chain.forward(q))
        for _ in range(int(rng.integers(0, 5))):
            _change(rng, request)
        return serialize_message(request)

    def run(self, case: bytes, rng: np.random.Generator) -> str:
        """Send the request and check the reply."""
        request = deserialize_message(case, Request)
        if rng.random() < 0.1 and request.targets.poses:
            message = PoseStamped(pose=request.targets.poses[0])
            message.header.frame_id = request.targets.header.frame_id
            self._target.publish(message)
        answer = self._call(request, REPLY_TIMEOUT)
        assert answer is not None, "no reply"
        assert self._node_process.alive, "the node has ended"
        memory = self._node_process.resident()
        assert memory < MAX_MEMORY, f"the node uses {memory:.0f} MiB"
        assert "\n" not in answer.message and len(answer.message) < 20_000, answer.message
        assert answer.status != Response.INTERNAL_ERROR, answer.message
        printed = self._node_process.text()
        news, self._read = printed[self._read :], len(printed)
        assert "Traceback" not in news, news[-4000:]
        if answer.status < 0:
            assert answer.message and not len(answer.positions) and not len(answer.counts)
            return f"status {answer.status}"
        self._check(request, answer)
        return f"status {answer.status}"

    def _check(self, request: Request, answer: Response) -> None:
        counts = np.array(answer.counts)
        assert len(counts) == len(request.targets.poses) == len(answer.statuses)
        assert counts.max() <= (request.num_solutions or 10), "more solutions than requested"
        total, joints = int(counts.sum()), len(answer.joint_names)
        positions = np.reshape(answer.positions, (total, joints))
        assert np.isfinite(positions).all() and len(answer.position_errors) == total
        tolerances = request.position_tolerance or 1e-5, request.orientation_tolerance or 1e-5
        assert (np.array(answer.position_errors) <= tolerances[0]).all(), "position error"
        assert (np.array(answer.orientation_errors) <= tolerances[1]).all(), "orientation error"
        if answer.tip_link != self._chain.tip_link or request.targets.header.frame_id:
            return
        checker = Checker(self._oracle, self._chain, *tolerances)
        targets = poses_to_transforms(request.targets.poses)
        each = np.split(positions, np.cumsum(counts)[:-1])
        for target, found in zip(targets, each, strict=True):
            violations = checker.violations(target, found)
            assert not violations.total, f"false solutions: {violations}"

    def _call(self, request: Request, timeout: float) -> Response | None:
        future = self._client.call_async(request)
        end = time.monotonic() + timeout
        while not future.done() and (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(min(left, 0.5))
            if not self._node_process.alive:
                raise AssertionError("the node has ended:\n" + self._node_process.text()[-4000:])
        return future.result() if future.done() else None


def _number(rng: np.random.Generator) -> float:
    if rng.random() < 0.5:
        return float(pick(rng, _NUMBERS))  # pyright: ignore[reportArgumentType]
    return float(rng.normal() * 10.0 ** rng.uniform(-8, 4))


def _name(rng: np.random.Generator) -> str:
    known = ["", _TIP, "panda_link0", "panda_link4", "panda_leftfinger", "world", *sampler_names()]
    # ROS strings end at the first zero byte.
    return str(pick(rng, known if rng.random() < 0.7 else NASTY)).replace("\0", "")


def _change(rng: np.random.Generator, request: Request) -> None:
    way = int(rng.integers(11))
    count = int(pick(rng, [0, 1, 6, 7, 7, 7, 8, 9, 300]))  # pyright: ignore[reportArgumentType]
    if way == 0 and request.targets.poses:
        pose = pick(rng, request.targets.poses)
        part = pick(rng, [pose.position, pose.orientation])
        setattr(part, str(pick(rng, "xyz")), _number(rng))
    elif way == 1:
        request.targets.poses = [*request.targets.poses, Pose()] * int(rng.choice([0, 1, 2, 150]))
    elif way == 2:
        request.targets.header.frame_id = _name(rng)
        request.targets.header.stamp.sec = int(rng.integers(-(2**31), 2**31))
    elif way == 3:
        request.tip_link = _name(rng)
    elif way == 4:
        request.num_solutions = int(pick(rng, [0, 1, 50, 400, 5000, 2**31, 2**32 - 1]))  # pyright: ignore[reportArgumentType]
    elif way == 5:
        request.seed_state = array("d", [_number(rng) for _ in range(count)])
    elif way == 6:
        names = [f"panda_joint{i}" for i in range(1, count + 1)]
        request.seed_joint_names = names if rng.random() < 0.7 else [_name(rng) for _ in names]
    elif way == 7:
        request.consistency_limits = array("d", [abs(_number(rng)) for _ in range(count)])
        if not len(request.seed_state):
            request.seed_state = array("d", rng.normal(size=7))
    elif way == 8:
        request.position_tolerance, request.orientation_tolerance = _number(rng), _number(rng)
    elif way == 9:
        request.timeout = float(pick(rng, [*_NUMBERS, 1e-3, 1e-4, 0.01, 0.1, 0.1]))  # pyright: ignore[reportArgumentType]
    else:
        request.sampler = str(pick(rng, ["", "auto", "uniform", "capability_map", _name(rng)]))
        request.random_seed = int(rng.integers(-(2**63), 2**63 - 1))
