"""A service in, its requests answered by threads of their own, without an executor, out."""

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile

from generative_ik_ros.ros.turns import Job, Turns

_WAITING = 1000
"""Requests that may wait to be taken in, and answers that some client has not heard. ROS keeps ten
of each, and drops further ones without a word."""
_PAUSE = 0.01
"""Time [s] after a failure, so that one that lasts does not keep a core busy."""
_LONGEST_DELAY = 60.0
"""What the middleware says of when a request came in is believed up to this age [s]."""


@dataclass(frozen=True)
class Handler:
    """What a service does with a request. Nothing of it may raise.

    Attributes:
        answer: Takes a request, an empty response, and a reading of `time.perf_counter` by which
            to be done [s], which may have passed; returns the response. May be called by several
            threads at once.
        decline: Takes a request, an empty response, and why the request's turn does not come;
            returns the response, at once.
        timeout: Says of a request how long its client waits [s].
        size: Says how much a request asks for, such as its number of poses.
    """

    answer: Callable[[Any, Any, float], Any]
    decline: Callable[[Any, Any, str], Any]
    timeout: Callable[[Any], float]
    size: Callable[[Any], int] = lambda _: 1


class DirectService:
    """A service that is waited for alone.

    An executor gathers everything a node has, in Python, before and after each callback, and wraps
    the callback in a task: 0.3 ms a request. Here a thread waits for this one service, takes the
    request and answers it, while the next thread waits. It needs what rclpy's own executors call;
    until `start` the service belongs to whatever executor spins the node.

    A client's patience begins when its request arrives, not when somebody takes it up: each
    request has a deadline, and the most urgent is answered first (see `Turns`). What cannot be
    begun in time, or is too much, is declined.

    Args:
        node: The node that offers the service.
        service_type: Its type.
        name: Its name.
        handler: What is done with its requests.
        turns: Shared by all services whose requests compete for the same cores.
    """

    def __init__(
        self,
        node: Node,
        service_type: type,
        name: str,
        handler: Handler,
        turns: Turns,
    ):
        """Offer the service."""
        self._node, self._type, self._handler, self._turns = node, service_type, handler, turns
        self._group = _HandedOver()
        self._service = node.create_service(
            service_type,
            name,
            self._answer_unscheduled,
            qos_profile=QoSProfile(depth=_WAITING),
            callback_group=self._group,
        )
        self._context = node.context.handle
        self._wake = rclpy_implementation.GuardCondition(self._context)
        self._turn = threading.Lock()
        self._spare = threading.Semaphore(0)
        self._stop = threading.Event()
        turns.when_free(self._wake.trigger_guard_condition)

    def start(self, num_threads: int) -> list[threading.Thread]:
        """Take the service over from the executor; return the threads that answer from now on.

        Args:
            num_threads: Requests that are worked on at the same time, cores permitting. One more
                thread sees to those that arrive meanwhile.
        """
        self._group.handed_over = True
        self._spare = threading.Semaphore(num_threads)
        # Daemons, for the interpreter would otherwise wait for a solve that has no end.
        threads = [
            threading.Thread(target=self._work, name="generative_ik_service", daemon=True)
            for _ in range(num_threads + 1)
        ]
        for thread in threads:
            thread.start()
        return threads

    def stop(self) -> None:
        """Let each thread end once it has answered what it has taken."""
        self._stop.set()
        self._wake.trigger_guard_condition()

    def _answer_unscheduled(self, request: object, response: object) -> object:
        deadline = time.perf_counter() + self._handler.timeout(request)
        return self._handler.answer(request, response, deadline)

    def _work(self) -> None:
        # Held open, so that nothing is destroyed while a thread waits for it.
        with self._service.handle, self._wake, self._context:  # pyright: ignore
            while not self._stop.is_set():
                try:
                    job = self._lead()
                except Exception:
                    self._tell("taking a request failed")
                    continue
                if job is None:
                    continue
                while job is not None:
                    job.finish(job)
                    # At the end only what is at work is answered.
                    job = None if self._stop.is_set() else self._turns.leave(job)
                self._spare.release()
                # A request that came in between found neither a turn nor a thread to spare: the
                # leading thread has put it aside and waits for the next one.
                if self._turns.waiting():
                    self._wake.trigger_guard_condition()

    def _lead(self) -> Job | None:
        """Take requests in until there is one for this thread to work on, or the end is near."""
        turns = self._turns
        with self._turn:
            while not self._stop.is_set():
                self._wait(turns.patience())
                if (job := self._take()) is not None:
                    for declined in turns.arrive(job):
                        declined.finish(declined)
                # The last thread goes on leading.
                if self._spare.acquire(blocking=False):
                    if (job := turns.free()) is not None:
                        return job
                    self._spare.release()
                while (job := turns.expired()) is not None:
                    job.finish(job)
        # The next thread has to see it as well.
        self._wake.trigger_guard_condition()
        return None

    def _take(self) -> Job | None:
        request, header = self._service.handle.service_take_request(self._type.Request)
        if header is None:
            return None
        arrived, waited = time.perf_counter(), 1e-9 * (time.time_ns() - header.received_timestamp)
        # The system's clock may have been set meanwhile.
        if 0.0 < waited < _LONGEST_DELAY:
            arrived -= waited
        deadline, size = arrived + self._handler.timeout(request), self._handler.size(request)
        return Job(deadline, arrived, request, header, self._finish, size)

    def _finish(self, job: Job) -> None:
        try:
            response = self._type.Response()
            if job.declined:
                response = self._handler.decline(job.request, response, job.declined)
            else:
                solve_by = self._turns.solve_by(job)
                response = self._handler.answer(job.request, response, solve_by)
            self._service.send_response(response, job.header)
        except Exception:
            # Such as a reply to a client that is gone: no reason to fail all others.
            self._tell("reply failed")
        self._turns.sent(job)

    def _tell(self, what: str) -> None:
        if not self._stop.is_set():
            self._node.get_logger().error(f"{what}:\n{traceback.format_exc()}")
            self._stop.wait(_PAUSE)

    def _wait(self, patience: float | None) -> None:
        """Wait for a request, for the end, or until a request that waits runs out of time [s]."""
        waiting = rclpy_implementation.WaitSet(0, 1, 0, 0, 1, 0, self._context)
        waiting.clear_entities()
        waiting.add_guard_condition(self._wake)
        waiting.add_service(self._service.handle)
        waiting.wait(-1 if patience is None else int(1e9 * patience))


class _HandedOver(CallbackGroup):
    """Callbacks that an executor leaves alone as soon as others take care of them."""

    def __init__(self) -> None:
        super().__init__()
        self.handed_over = False

    def can_execute(self, entity: object) -> bool:
        return not self.handed_over

    def beginning_execution(self, entity: object) -> bool:
        return not self.handed_over

    def ending_execution(self, entity: object) -> None:
        pass
