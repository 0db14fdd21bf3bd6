"""Services whose requests are handled by dedicated threads, without an executor."""

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile

from generative_ik_ros.ros.log_lines import error_line
from generative_ik_ros.ros.scheduler import Job, Scheduler


@dataclass(frozen=True)
class DirectTuning:
    """Queues and pauses of services on threads of their own."""

    queue_depth: int = 1000
    """Depth of the middleware's queues of requests and of replies. At ROS's default depth of 10 it
    silently drops the rest."""
    error_pause: float = 0.01
    """Pause after an error [s], so that a persistent one does not keep a core busy."""
    max_age: float = 60.0
    """The middleware's reception time stamps are trusted up to this age [s]."""


TUNING = DirectTuning()


@dataclass(frozen=True)
class Handler:
    """How a service handles its requests. None of the functions may raise.

    Attributes:
        answer: Takes a request, an empty response, and the reading of `time.perf_counter` by
            which to finish [s], which may have passed; returns the response. Several threads
            may call it at once.
        decline: Takes a request, an empty response, and why the request is not processed;
            returns the response without delay.
        timeout: Returns how long the client of a request waits [s].
        size: Returns how much a request asks for, such as its number of poses.
    """

    answer: Callable[[Any, Any, float], Any]
    decline: Callable[[Any, Any, str], Any]
    timeout: Callable[[Any], float]
    size: Callable[[Any], int] = lambda _: 1


class Threaded(Protocol):
    """What has threads of its own."""

    def start(self, num_threads: int) -> list[threading.Thread]:
        """Start and return them; a service has `num_threads` that answer requests."""
        ...

    def stop(self) -> None:
        """Tell them to end once what they have begun is done."""


class DirectService:
    """A service with its own threads, in a leader/followers arrangement.

    An executor collects all entities of a node, in Python, before and after each callback, and
    wraps the callback in a task, which costs 0.3 ms per request. Here one thread, the leader,
    waits for this service alone. When a request is ready to run, the leader processes it itself
    and another thread becomes the leader. This uses the internal interface that rclpy's own
    executors use. Until `start`, the service belongs to the executor that spins the node, and
    where this rclpy has another interface it stays there.

    The timeout of a request counts from its arrival, and the request with the earliest deadline
    is processed first (see `Scheduler`). Requests that cannot start in time, or that exceed the
    size of the queue, are declined.

    Args:
        handler: Processes the requests.
        scheduler: Shared by all services whose requests compete for the same cores.
    """

    def __init__(
        self, node: Node, service_type: type, name: str, handler: Handler, scheduler: Scheduler
    ):
        self._node, self._type, self._handler = node, service_type, handler
        self._scheduler = scheduler
        self._group = DetachableGroup()
        self._service = node.create_service(
            service_type,
            name,
            self._answer_unscheduled,
            qos_profile=QoSProfile(depth=TUNING.queue_depth),
            callback_group=self._group,
        )
        self._context = node.context.handle
        self._wake: Any = None
        self._leading = threading.Lock()
        self._idle = threading.Semaphore(0)
        self._stop = threading.Event()

    def start(self, num_threads: int) -> list[threading.Thread]:
        """Detach the service from the executor and return the threads that serve it, if any.

        Args:
            num_threads: Requests processed at the same time, as far as the scheduler lets them
                run. One more thread receives requests meanwhile.
        """
        if not self._try_internals():
            return []
        self._group.detached = True
        self._idle = threading.Semaphore(num_threads)
        # Daemon threads, because otherwise the interpreter waits at exit for a running solve.
        threads = [
            threading.Thread(target=self._work, name="generative_ik_service", daemon=True)
            for _ in range(num_threads + 1)
        ]
        for thread in threads:
            thread.start()
        return threads

    def stop(self) -> None:
        """Tell the threads to end once they have answered the requests they are processing."""
        self._stop.set()
        if self._wake is not None:
            self._wake.trigger_guard_condition()

    def _try_internals(self) -> bool:
        """Return whether rclpy has the interface that `_work` needs, by using all of it."""
        try:
            wake = self._wake = rclpy_implementation.GuardCondition(self._context)
            with self._service.handle, wake, self._context:  # pyright: ignore
                self._wait(0.0)
                job = self._receive()
            self._scheduler.on_ready(wake.trigger_guard_condition)
        except Exception as error:
            self._wake = None
            self._node.get_logger().info(
                f"{self._service.srv_name} is served by rclpy's executor, which is slower, for "
                f"this rclpy differs from the known ones: {error_line(error)}"
            )
            return False
        if job is not None:
            self._scheduler.submit(job)
            wake.trigger_guard_condition()
        return True

    def _answer_unscheduled(self, request: object, response: object) -> object:
        deadline = time.perf_counter() + self._handler.timeout(request)
        return self._handler.answer(request, response, deadline)

    def _work(self) -> None:
        # The handles stay open for as long as a thread may wait on them.
        with self._service.handle, self._wake, self._context:  # pyright: ignore
            while not self._stop.is_set():
                try:
                    job = self._lead()
                except Exception:
                    self._report_error("receiving a request failed")
                    continue
                if job is None:
                    continue
                while job is not None:
                    job.finish(job)
                    # After `stop`, queued requests are left unanswered.
                    job = None if self._stop.is_set() else self._scheduler.finish(job)
                self._idle.release()
                # The leader queues a request that arrives before this release, for it finds no
                # idle thread, and then waits for the next one: make it look again.
                if self._scheduler.has_waiting():
                    self._wake.trigger_guard_condition()

    def _lead(self) -> Job | None:
        """Receive requests until there is one for this thread to process; None at the end."""
        scheduler = self._scheduler
        with self._leading:
            while not self._stop.is_set():
                self._wait(scheduler.time_to_expiry())
                if (job := self._receive()) is not None:
                    for declined in scheduler.submit(job):
                        declined.finish(declined)
                # The last idle thread stays the leader.
                if self._idle.acquire(blocking=False):
                    if (job := scheduler.next_job()) is not None:
                        return job
                    self._idle.release()
                while (job := scheduler.next_expired()) is not None:
                    job.finish(job)
        # Wake the next thread, so that it sees the stop as well.
        self._wake.trigger_guard_condition()
        return None

    def _receive(self) -> Job | None:
        request, header = self._service.handle.service_take_request(self._type.Request)
        if header is None:
            return None
        received = getattr(header, "received_timestamp", 0)
        arrived, age = time.perf_counter(), 1e-9 * (time.time_ns() - received)
        # The system clock may have been set since the time stamp was taken.
        if 0.0 < age < TUNING.max_age:
            arrived -= age
        deadline, size = arrived + self._handler.timeout(request), self._handler.size(request)
        return Job(deadline, arrived, request, header, self._finish, size)

    def _finish(self, job: Job) -> None:
        try:
            response = self._type.Response()
            if job.declined:
                response = self._handler.decline(job.request, response, job.declined)
            else:
                solve_deadline = self._scheduler.begin_solve(job)
                response = self._handler.answer(job.request, response, solve_deadline)
            self._service.send_response(response, job.header)
        except Exception:
            # For example, the client is gone; that must not affect the other clients.
            self._report_error("sending a reply failed")
        self._scheduler.reply_sent(job)

    def _report_error(self, what: str) -> None:
        if not self._stop.is_set():
            self._node.get_logger().error(f"{what}:\n{traceback.format_exc()}")
            self._stop.wait(TUNING.error_pause)

    def _wait(self, timeout: float | None) -> None:
        """Wait for a request or for `_wake`, at most for `timeout` [s]; None: without limit."""
        wait_set = rclpy_implementation.WaitSet(0, 1, 0, 0, 1, 0, self._context)
        wait_set.clear_entities()
        wait_set.add_guard_condition(self._wake)
        wait_set.add_service(self._service.handle)
        wait_set.wait(-1 if timeout is None else int(1e9 * timeout))


class DetachableGroup(CallbackGroup):
    """A callback group that an executor ignores once it is detached."""

    def __init__(self) -> None:
        super().__init__()
        self.detached = False

    def can_execute(self, entity: object) -> bool:
        """Whether an executor may look at the entity."""
        return not self.detached

    def beginning_execution(self, entity: object) -> bool:
        """Likewise."""
        return not self.detached

    def ending_execution(self, entity: object) -> None:
        """Do nothing: any number of callbacks may run."""
