"""Concurrent client processes of ~/get_position_ik.

In a single process the clients would delay each other, and seem to be served late.
"""

import multiprocessing
import time
from typing import NamedTuple

import numpy as np
import rclpy
from moveit_msgs.srv import GetPositionIK
from position_ik_client import ik_request
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

PATIENCE = 10.0
"""Time after which a reply counts as lost [s]."""


class Question(NamedTuple):
    """A request: target (4, 4), timeout [s], seed by joint, reachability, group."""

    target: np.ndarray
    timeout: float
    state: dict[str, float]
    far: bool
    group: str

    def message(self):
        return ik_request(self.target, self.group, self.timeout, state=self.state)


class Answer(NamedTuple):
    """A reply: the response time [s], error code, joint positions."""

    took: float
    code: int
    solution: dict[str, float]


def questions(reached, panda, number, count, timeouts, group="panda_arm"):
    """Return a client's requests, some out of reach, with all timeouts in turn."""
    rng = np.random.default_rng(number)
    made = []
    for i in range(count):
        far = bool(rng.random() < 0.2)
        place, seed = (
            dict(zip(panda.joint_names, rng.uniform(panda.lower, panda.upper), strict=True))
            for _ in range(2)
        )
        target = reached(place).copy()
        if far:
            target[:3, 3] *= 2.5 / np.linalg.norm(target[:3, 3])
        made.append(Question(target, timeouts[(i + number) % len(timeouts)], seed, far, group))
    return made


class Caller:
    """Sends requests and waits for replies with minimal overhead.

    The 0.3 ms per call of an executor would count as the server's delay.
    """

    def __init__(self, service):
        self.node = rclpy.create_node(
            f"load{time.monotonic_ns()}", start_parameter_services=False, enable_rosout=False
        )
        self.client = self.node.create_client(
            GetPositionIK, service, qos_profile=QoSProfile(depth=1000)
        )
        assert self.client.wait_for_service(60.0), f"{service} is not available"
        context = self.node.context.handle
        self._set = rclpy_implementation.WaitSet(0, 0, 0, 1, 0, 0, context)

    def send(self, message):
        return self.client.handle.send_request(message)

    def take(self, patience):
        """Return the next reply and the number of its request, or None after a timeout."""
        self._set.clear_entities()
        self._set.add_client(self.client.handle)
        self._set.wait(int(patience * 1e9))
        header, answer = self.client.handle.take_response(GetPositionIK.Response)
        return None if header is None else (header.request_id.sequence_number, answer)

    def answers(self, messages, patience=PATIENCE):
        """Send all requests before waiting for the first reply; None: it did not arrive."""
        answers, starts = [None] * len(messages), {}
        for place, message in enumerate(messages):
            start = time.monotonic()
            starts[self.send(message)] = place, start
        end = time.monotonic() + patience
        while starts and (left := end - time.monotonic()) > 0.0:
            taken = self.take(left)
            # Late replies to earlier requests are dropped.
            if taken is not None and taken[0] in starts:
                place, start = starts.pop(taken[0])
                state = taken[1].solution.joint_state
                positions = dict(zip(state.name, state.position, strict=True))
                took = time.monotonic() - start
                answers[place] = Answer(took, taken[1].error_code.val, positions)
        return answers


def begin(service, together):
    """Make the client of this process, which begins to ask when all others do."""
    global _caller, _together
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    _caller, _together = Caller(service), together
    # A first answer can get lost while both sides meet.
    while _caller.answers([GetPositionIK.Request()], 1.0) == [None]:
        pass


def ask(asked, at_once):
    """Return the answers to requests, each sent after the reply to the previous one or not."""
    messages = [one.message() for one in asked]
    _together.wait(60.0)
    if at_once:
        return _caller.answers(messages)
    return [answer for message in messages for answer in _caller.answers([message])]


class Clients:
    """Client processes that call a service concurrently."""

    def __init__(self, service, number):
        context = multiprocessing.get_context("spawn")
        self._pool = context.Pool(number, begin, (service, context.Barrier(number)))

    def ask(self, asked, at_once):
        """Let each client send its requests; return all (request, reply) pairs."""
        answers = self._pool.starmap(ask, [(own, at_once) for own in asked], chunksize=1)
        return list(zip(sum(asked, []), sum(answers, []), strict=True))

    def close(self):
        # All replies are in; how rclpy ends is not what is tested.
        self._pool.terminate()
        self._pool.join()
