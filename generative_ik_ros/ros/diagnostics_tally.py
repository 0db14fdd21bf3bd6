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
        requests: Requests answered since the start.
        outcomes: Number of requests of each outcome that has occurred.
        targets: Poses requested since the start.
        reached: Poses with at least one solution since the start.
        solutions: Solutions sent since the start.
        recent: Requests within the window.
        recent_targets: Poses requested within the window.
        rate: Requests per second within the window [1/s].
        solution_rate: Solutions per second within the window [1/s].
        success_rate: Fraction of the window's poses that have a solution; NaN if there are none.
        latency: Median and 99th percentile of the total time within the window [s].
        solve_time: The same of the time in the solver [s].
        sampler: Sampler that proposed the latest seeds.
        last_messages: The latest message of each outcome without a solution.
        internal_errors: Internal errors within the window.
    """

    requests: int
    outcomes: dict[str, int]
    targets: int
    reached: int
    solutions: int
    recent: int
    recent_targets: int
    rate: float
    solution_rate: float
    success_rate: float
    latency: tuple[float, float]
    solve_time: tuple[float, float]
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
        solve_times = [r.solve_time for r in recent if not math.isnan(r.solve_time)]
        return Report(
            requests=sum(outcomes.values()),
            outcomes=outcomes,
            targets=totals[0],
            reached=totals[1],
            solutions=totals[2],
            recent=len(recent),
            recent_targets=targets,
            rate=len(recent) * per_second,
            solution_rate=sum(record.solutions for record in recent) * per_second,
            success_rate=reached / targets if targets else math.nan,
            latency=_median_and_p99([record.total_time for record in recent]),
            solve_time=_median_and_p99(solve_times),
            sampler=sampler,
            last_messages=messages,
            internal_errors=sum(record.outcome == "internal_error" for record in recent),
        )


def _median_and_p99(values: list[float]) -> tuple[float, float]:
    """Return both percentiles by nearest rank; NaN if there are no values."""
    if not values:
        return math.nan, math.nan
    values = sorted(values)
    return tuple(values[math.ceil(share * len(values)) - 1] for share in (0.5, 0.99))  # pyright: ignore[reportReturnType]
