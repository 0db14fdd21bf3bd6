"""Requests with deadlines in, word of which is to be answered next, and by when, out."""

import heapq
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from generative_ik_ros.parallel import usable_cores

_OVER = 2
"""So many times `at_once` requests are at work at most, where urgent ones come late."""
_SHARE = 0.25
"""Largest share of a request's time that is set aside for its answer to get out."""
_FIRST_GUESS, _LONGEST = 0.0005, 0.005
"""What an answer is taken to need before one was seen, and at most [s]."""
_MOST_WAITING = 100_000
"""Size of all requests that may wait, so that no client fills the memory."""
_OWN_SIZE = 100
"""Size of a request besides what it asks for."""
_FORGET = 0.1
"""How quickly a slow answer is forgotten, for each answer since."""


@dataclass(order=True)
class Job:
    """A request that has arrived.

    Attributes:
        deadline: Reading of `time.perf_counter` at which the client stops waiting [s].
        arrived: Reading when the request came in [s].
        request: The message.
        header: What the middleware needs to send the answer.
        finish: Answers it.
        size: How much it asks for, such as its number of poses.
        begun: Whether it counts among those at work.
        declined: Why it is not to be worked on; empty where it is.
    """

    deadline: float
    arrived: float
    request: Any = field(compare=False)
    header: Any = field(compare=False)
    finish: Callable[["Job"], None] = field(compare=False)
    size: int = field(default=1, compare=False)
    begun: bool = field(default=False, compare=False)
    declined: str = field(default="", compare=False)


class Turns:
    """Lets so many requests be worked on at a time, the most urgent first.

    Eight solves at a time on two cores end no sooner than two at a time, but all of them late:
    each piece of work after the deadline takes four times as long. So requests wait for their
    turn, and one whose time runs out meanwhile is answered in time, without a solution.

    One that is more urgent than all that are at work does not wait: these may have seconds left.
    Where too much waits, the least urgent is declined.

    Args:
        at_once: Requests that are worked on at a time; None: as many as there are cores.
        most_waiting: Size of all requests that may wait, where one of size n counts n + 100.
    """

    def __init__(self, at_once: int | None = None, most_waiting: int = _MOST_WAITING):
        """Begin with nothing at work."""
        self._at_once, self._most_waiting = at_once or usable_cores(), most_waiting
        self._lock = threading.Lock()
        self._waiting: list[Job] = []
        self._waiting_size = 0
        self._at_work: list[float] = []
        self._mine = threading.local()
        self._reply = _FIRST_GUESS
        self._woken: list[Callable[[], None]] = []

    def when_free(self, wake: Callable[[], None]) -> None:
        """Have `wake` called where a request waits and may begin, but nobody sees to it."""
        self._woken.append(wake)

    def arrive(self, job: Job) -> list[Job]:
        """Let a request wait for its turn; return those to decline, for there are too many."""
        declined = []
        with self._lock:
            heapq.heappush(self._waiting, job)
            self._waiting_size += _OWN_SIZE + job.size
            while self._waiting_size > self._most_waiting and len(self._waiting) > 1:
                places = range(len(self._waiting))
                last = self._waiting.pop(max(places, key=self._waiting.__getitem__))
                heapq.heapify(self._waiting)
                self._waiting_size -= _OWN_SIZE + last.size
                last.declined = f"the node is busy: {len(self._waiting)} more urgent requests wait"
                declined.append(last)
        return declined

    def leave(self, job: Job) -> Job | None:
        """Note that a request was answered; return the one to see to next, if any."""
        with self._lock:
            if job.begun:
                self._at_work.remove(job.deadline)
            return self._next()

    def waiting(self) -> bool:
        """Say whether a request waits for its turn."""
        with self._lock:
            return bool(self._waiting)

    def free(self) -> Job | None:
        """Return a waiting request to see to now, if there is one and it may begin."""
        with self._lock:
            return self._next()

    def expired(self) -> Job | None:
        """Return a waiting request that can no longer be solved in time, if there is one."""
        with self._lock:
            return self._next_expired()

    def patience(self) -> float | None:
        """Return how long it is until a waiting request runs out of time [s]; None: none waits."""
        with self._lock:
            if not self._waiting:
                return None
            return max(self._last_call(self._waiting[0]) - time.perf_counter(), 0.0)

    def solve_by(self, job: Job) -> float:
        """Return when work on a request must end for its answer to be in time [s]."""
        self._mine.job = job
        return self._last_call(job)

    def sent(self, job: Job) -> None:
        """Learn from an answer that has just gone out how long answers take."""
        self._mine.job = None
        over = time.perf_counter() - self._last_call(job)
        if over > 0.0:
            kept = (1.0 - _FORGET) * self._reply + _FORGET * over
            self._reply = min(max(over, kept), _LONGEST)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let others work while the caller's request waits for somebody else's answer."""
        job: Job | None = getattr(self._mine, "job", None)
        if job is None or not job.begun:
            yield
            return
        with self._lock:
            self._at_work.remove(job.deadline)
            wake = bool(self._waiting)
        if wake:
            for call in self._woken:
                call()
        try:
            yield
        finally:
            with self._lock:
                self._at_work.append(job.deadline)

    def _next(self) -> Job | None:
        """Take the most urgent of the waiting, where there is room for it or its time is up."""
        if not self._waiting:
            return None
        if (expired := self._next_expired()) is not None:
            return expired
        deadline, busy = self._waiting[0].deadline, len(self._at_work)
        if busy >= self._at_once and (
            busy >= _OVER * self._at_once or deadline >= min(self._at_work)
        ):
            return None
        job = self._take()
        job.begun = True
        self._at_work.append(deadline)
        return job

    def _next_expired(self) -> Job | None:
        """Take the most urgent of the waiting, where its time is up."""
        if not self._waiting or time.perf_counter() < self._last_call(self._waiting[0]):
            return None
        job = self._take()
        job.declined = "time was up before the request's turn came"
        return job

    def _take(self) -> Job:
        """Take the most urgent of the waiting."""
        job = heapq.heappop(self._waiting)
        self._waiting_size -= _OWN_SIZE + job.size
        return job

    def _last_call(self, job: Job) -> float:
        return job.deadline - min(self._reply, _SHARE * (job.deadline - job.arrived))
