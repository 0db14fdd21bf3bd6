"""Statistics of answered requests, over a sliding window and since the start."""

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class TallyLimits:
    """How much of the requests is remembered."""

    window: float = 30.0
    """Length of the sliding window [s]."""
    max_records: int = 2048
    """Most recent records kept one by one; at high request rates they span less than the
    window."""
    max_message: int = 300
    """Longest message kept [characters]: clients control parts of it."""


LIMITS = TallyLimits()


@dataclass(frozen=True)
class RequestRecord:
    """One answered request.

    Attributes:
        outcome: How it ended, as one word.
        total_time: Time in the callback, including conversions [s].
        solve_time: Time in the solver [s]; NaN if it was not called.
        targets: Number of poses in the request.
        reached: Number of poses with at least one solution.
        solutions: Number of solutions in the reply.
        sampler: Sampler that proposed the seeds; empty if none did.
        message: Message of the reply.
    """

    outcome: str
    total_time: float
    solve_time: float = math.nan
    targets: int = 0
    reached: int = 0
    solutions: int = 0
    sampler: str = ""
    message: str = ""


@dataclass(frozen=True)
class Report:
    """Statistics of a node's requests.

    Attributes:
        values: What is published, by key: times in [ms] and rates in [1/s] within the window,
            NaN without what they are of; numbers since the start.
        outcomes: Number of requests of each outcome that has occurred.
        recent: Requests within the window.
        recent_targets: Poses requested within the window.
        sampler: Sampler that proposed the latest seeds.
        last_messages: The latest message of each outcome without a solution.
        internal_errors: Internal errors within the window.
    """

    values: dict[str, float]
    outcomes: dict[str, int]
    recent: int
    recent_targets: int
    sampler: str
    last_messages: dict[str, str]
    internal_errors: int


class Tally:
    """Accumulates request records; thread-safe, with bounded memory.

    Args:
        clock: Reads a steady clock [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._start = clock, clock()
        self._lock = threading.Lock()
        self._recent: deque[tuple[float, RequestRecord]] = deque(maxlen=LIMITS.max_records)
        self._outcomes: Counter[str] = Counter()
        self._targets = self._reached = self._solutions = 0
        self._sampler = ""
        self._messages: dict[str, str] = {}

    def add(self, record: RequestRecord) -> None:
        """Add the record of one request."""
        with self._lock:
            # Without the message, whose length clients control.
            self._recent.append((self._clock(), replace(record, message="")))
            self._outcomes[record.outcome] += 1
            self._targets += record.targets
            self._reached += record.reached
            self._solutions += record.solutions
            self._sampler = record.sampler or self._sampler
            if record.message and not record.solutions:
                self._messages[record.outcome] = record.message[: LIMITS.max_message]

    def report(self) -> Report:
        """Summarise the records."""
        with self._lock:
            now = self._clock()
            # At high request rates the records span less than the window.
            full = len(self._recent) == LIMITS.max_records
            oldest = self._recent[0][0] if full else self._start
            span = min(LIMITS.window, now - oldest)
            recent = [record for when, record in self._recent if now - when <= LIMITS.window]
            outcomes, messages = dict(self._outcomes), dict(self._messages)
            totals = self._targets, self._reached, self._solutions
            sampler = self._sampler
        targets = sum(record.targets for record in recent)
        reached = sum(record.reached for record in recent)
        per_second = 1.0 / max(span, 1e-3)
        values = {
            "requests": sum(outcomes.values()),
            "requests_per_s": len(recent) * per_second,
            "solutions_per_s": sum(record.solutions for record in recent) * per_second,
            "success_rate": reached / targets if targets else math.nan,
            **_percentiles("latency", [record.total_time for record in recent]),
            **_percentiles("solve", [record.solve_time for record in recent]),
            **dict(zip(("targets", "targets_reached", "solutions"), totals, strict=True)),
        }
        errors = sum(record.outcome == "internal_error" for record in recent)
        return Report(values, outcomes, len(recent), targets, sampler, messages, errors)


def _percentiles(name: str, times: list[float]) -> dict[str, float]:
    """Return median and 99th percentile [ms] of times [s] without NaN, by nearest rank."""
    known = sorted(1e3 * one for one in times if not math.isnan(one)) or [math.nan]
    return {
        f"{name}_p{percent}_ms": known[math.ceil(0.01 * percent * len(known)) - 1]
        for percent in (50, 99)
    }
