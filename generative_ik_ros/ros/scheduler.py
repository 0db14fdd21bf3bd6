"""Earliest-deadline-first scheduling of service requests, with admission control."""

import heapq
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from generative_ik_ros._core import usable_cores


@dataclass(frozen=True)
class SchedulerTuning:
    """What decides how many requests run at once, and how much time replies get."""

    overcommit: int = 2
    """Urgent requests may bring the number running up to this multiple of `max_running`."""
    max_reply_share: float = 0.25
    """Largest share of a request's timeout that is reserved for sending its reply."""
    initial_reply_time: float = 0.0005
    """Time reserved for sending a reply before the first measurement [s]."""
    max_reply_time: float = 0.005
    """The same at most [s]."""
    max_waiting: int = 100_000
    """Largest total size of waiting requests, so that no client can fill the memory."""
    base_size: int = 100
    """Size of a request in addition to what it asks for."""
    decay: float = 0.1
    """Weight of the latest reply in the running estimate of the reply time."""


TUNING = SchedulerTuning()


@dataclass(order=True)
class Job:
    """A request that has arrived.

    Attributes:
        deadline: Reading of `time.perf_counter` at which the client stops waiting [s].
        arrived: Reading at which the request arrived [s].
        request: The message.
        header: Identifies the request to the middleware when the reply is sent.
        finish: Sends the reply, computing it first unless the job was declined.
        size: How much the request asks for, such as its number of poses.
        running: Whether the job counts among those running.
        declined: Why the request is not processed; empty if it is.
    """

    deadline: float
    arrived: float
    request: Any = field(compare=False)
    header: Any = field(compare=False)
    finish: Callable[["Job"], None] = field(compare=False)
    size: int = field(default=1, compare=False)
    running: bool = field(default=False, compare=False)
    declined: str = field(default="", compare=False)


class Scheduler:
    """Runs a limited number of requests at a time, the earliest deadline first.

    Running eight solves on two cores at once finishes no sooner than running two at a time, but
    every one of them finishes late. So requests wait in a queue, and one that would miss its
    deadline is declined in time instead of being solved too late.

    A request with an earlier deadline than all running ones starts at once, because those may
    run for seconds. When the queue is full, the requests with the latest deadlines are declined.

    Args:
        max_running: Requests processed at a time; None: one per core.
        max_waiting: Largest total size of waiting requests; a request of size n counts n + 100.
    """

    def __init__(self, max_running: int | None = None, max_waiting: int = TUNING.max_waiting):
        self._max_running, self._max_waiting = max_running or usable_cores(), max_waiting
        self._lock = threading.RLock()
        self._waiting: list[Job] = []
        self._waiting_size = 0
        self._running: list[float] = []
        self._current = threading.local()
        self._reply_time = TUNING.initial_reply_time
        self._ready_callbacks: list[Callable[[], None]] = []

    def on_ready(self, callback: Callable[[], None]) -> None:
        """Register a callback for when a waiting request may start but no thread looks for it."""
        self._ready_callbacks.append(callback)

    def submit(self, job: Job) -> list[Job]:
        """Queue a request and return those declined because the queue is full."""
        declined = []
        with self._lock:
            heapq.heappush(self._waiting, job)
            self._waiting_size += TUNING.base_size + job.size
            while self._waiting_size > self._max_waiting and len(self._waiting) > 1:
                indices = range(len(self._waiting))
                last = self._waiting.pop(max(indices, key=self._waiting.__getitem__))
                heapq.heapify(self._waiting)
                self._waiting_size -= TUNING.base_size + last.size
                last.declined = f"the node is busy: {len(self._waiting)} more urgent requests wait"
                declined.append(last)
        return declined

    def finish(self, job: Job) -> Job | None:
        """Record that a request was answered and return the next one to handle, if any."""
        with self._lock:
            if job.running:
                self._running.remove(job.deadline)
            return self.next_job()

    def has_waiting(self) -> bool:
        """Whether any request is waiting."""
        with self._lock:
            return bool(self._waiting)

    def next_job(self) -> Job | None:
        """Remove and return the most urgent request if it has expired or may start."""
        with self._lock:
            if (expired := self.next_expired()) is not None or not self._waiting:
                return expired
            deadline, num_running = self._waiting[0].deadline, len(self._running)
            if num_running >= self._max_running and (
                num_running >= TUNING.overcommit * self._max_running
                or deadline >= min(self._running)
            ):
                return None
            job = self._pop()
            job.running = True
            self._running.append(deadline)
            return job

    def next_expired(self) -> Job | None:
        """Remove and return the most urgent request if it has expired."""
        with self._lock:
            expiry = self.time_to_expiry()
            if expiry is None or expiry > 0.0:
                return None
            job = self._pop()
            job.declined = "the timeout passed while the request was queued"
            return job

    def time_to_expiry(self) -> float | None:
        """Return the time until the first waiting request expires [s]; None if none is waiting."""
        with self._lock:
            if not self._waiting:
                return None
            return max(self._solve_deadline(self._waiting[0]) - time.perf_counter(), 0.0)

    def begin_solve(self, job: Job) -> float:
        """Bind a request to this thread and return when its solve must end [s]."""
        self._current.job = job
        return self._solve_deadline(job)

    def reply_sent(self, job: Job) -> None:
        """Update the estimate of the reply time from a reply that has just been sent."""
        self._current.job = None
        overrun = time.perf_counter() - self._solve_deadline(job)
        if overrun > 0.0:
            smoothed = (1.0 - TUNING.decay) * self._reply_time + TUNING.decay * overrun
            self._reply_time = min(max(overrun, smoothed), TUNING.max_reply_time)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Let another request run while the one on this thread waits for an external reply."""
        job: Job | None = getattr(self._current, "job", None)
        if job is None or not job.running:
            yield
            return
        with self._lock:
            self._running.remove(job.deadline)
            ready = bool(self._waiting)
        if ready:
            for callback in self._ready_callbacks:
                callback()
        try:
            yield
        finally:
            with self._lock:
                self._running.append(job.deadline)

    def _pop(self) -> Job:
        """Remove and return the most urgent request."""
        job = heapq.heappop(self._waiting)
        self._waiting_size -= TUNING.base_size + job.size
        return job

    def _solve_deadline(self, job: Job) -> float:
        reserved = min(self._reply_time, TUNING.max_reply_share * (job.deadline - job.arrived))
        return job.deadline - reserved
