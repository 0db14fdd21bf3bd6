"""Answers in, how well they went lately and since the start out."""

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace

WINDOW = 30.0
"""Time that "lately" reaches back [s]."""
_KEPT = 2048
"""Answers that are remembered one by one; busier nodes look back less than the window."""
_LONGEST = 300
"""Characters of a message that are kept: a client chooses parts of it."""

OUTCOMES = (
    "solved",
    "partial",
    "no_solution",
    "timed_out",
    "refused",
    "no_robot_description",
    "unknown_frame",
    "internal_error",
    "busy",
)
"""What can become of a request; the first two hold at least one solution."""


@dataclass(frozen=True)
class Answer:
    """One answered request.

    Attributes:
        outcome: One of `OUTCOMES`.
        total_time: From the request to its answer, conversions included [s].
        solve_time: In the solver [s]; NaN where it was not asked.
        targets: Poses asked for.
        reached: Those of them with at least one solution.
        solutions: Solutions in the answer.
        sampler: Sampler that proposed the seeds; empty where none did.
        message: What the answer says to people.
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
    """How a node has fared.

    Attributes:
        requests: Answers since the start.
        outcomes: Their number by outcome, without those that never came.
        targets: Poses asked for since the start.
        reached: Those of them with at least one solution.
        solutions: Solutions sent since the start.
        recent: Answers within the window.
        recent_targets: Poses asked for within the window.
        recent_reached: Those of them with at least one solution.
        rate: Answers a second, lately [1/s].
        solution_rate: Solutions a second, lately [1/s].
        success_rate: Share of the poses asked for lately that have a solution; NaN without any.
        latency: Median and 99th percentile of the time to an answer, lately [s].
        solve_time: The same of the time in the solver [s].
        sampler: Sampler that proposed the last seeds.
        last_messages: The last message of each outcome that holds no solution.
        faults: Internal errors within the window.
    """

    requests: int
    outcomes: dict[str, int]
    targets: int
    reached: int
    solutions: int
    recent: int
    recent_targets: int
    recent_reached: int
    rate: float
    solution_rate: float
    success_rate: float
    latency: tuple[float, float]
    solve_time: tuple[float, float]
    sampler: str
    last_messages: dict[str, str]
    faults: int


class Tally:
    """Counts answers; may be used from several threads. Its memory has a bound.

    Args:
        clock: Reads a steady clock [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        """Begin with nothing answered."""
        self._clock, self._start = clock, clock()
        self._lock = threading.Lock()
        self._recent: deque[tuple[float, Answer]] = deque(maxlen=_KEPT)
        self._outcomes: Counter[str] = Counter()
        self._targets = self._reached = self._solutions = 0
        self._sampler = ""
        self._messages: dict[str, str] = {}

    def add(self, answer: Answer) -> None:
        """Count an answer."""
        with self._lock:
            # Without its message: a client chooses how long that is.
            self._recent.append((self._clock(), replace(answer, message="")))
            self._outcomes[answer.outcome] += 1
            self._targets += answer.targets
            self._reached += answer.reached
            self._solutions += answer.solutions
            self._sampler = answer.sampler or self._sampler
            if answer.outcome not in OUTCOMES[:2] and answer.message:
                self._messages[answer.outcome] = answer.message[:_LONGEST]

    def report(self) -> Report:
        """Sum up."""
        with self._lock:
            now = self._clock()
            # A full memory reaches back less far than the window.
            full = len(self._recent) == _KEPT
            oldest = self._recent[0][0] if full else self._start
            reach = min(WINDOW, now - oldest)
            recent = [answer for when, answer in self._recent if now - when <= WINDOW]
            outcomes, messages = dict(self._outcomes), dict(self._messages)
            totals = self._targets, self._reached, self._solutions
            sampler = self._sampler
        targets = sum(answer.targets for answer in recent)
        reached = sum(answer.reached for answer in recent)
        per_second = 1.0 / max(reach, 1e-3)
        solving = [a.solve_time for a in recent if not math.isnan(a.solve_time)]
        return Report(
            requests=sum(outcomes.values()),
            outcomes=outcomes,
            targets=totals[0],
            reached=totals[1],
            solutions=totals[2],
            recent=len(recent),
            recent_targets=targets,
            recent_reached=reached,
            rate=len(recent) * per_second,
            solution_rate=sum(answer.solutions for answer in recent) * per_second,
            success_rate=reached / targets if targets else math.nan,
            latency=_median_and_p99([answer.total_time for answer in recent]),
            solve_time=_median_and_p99(solving),
            sampler=sampler,
            last_messages=messages,
            faults=sum(answer.outcome == "internal_error" for answer in recent),
        )


def _median_and_p99(values: list[float]) -> tuple[float, float]:
    """Return the two by nearest rank; NaN where there are no values."""
    if not values:
        return math.nan, math.nan
    values = sorted(values)
    return tuple(values[math.ceil(share * len(values)) - 1] for share in (0.5, 0.99))  # pyright: ignore[reportReturnType]
