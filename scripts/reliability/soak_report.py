"""Records of a soak test, and its report."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from soak_client import KINDS, Response

REACTION = 3.0
"""Time for discovery after a restarted node is ready [s]."""
MEMORY_WINDOW = 600.0
"""Shortest time over which the slope of the memory is tested [s]."""
MAX_GROWTH = 10.0
"""Largest slope of the memory that is not considered a leak [MiB/h]."""


@dataclass
class Account:
    """Everything recorded during a soak test.

    Attributes:
        start: Start of the test by the wall clock [s].
        end: End of the test [s].
        clients: Results of each client.
        restarts: When the left node was killed, and when it was ready again [s].
        killed_clients: Clients killed while they waited.
        descriptions: Robot descriptions published, valid and invalid.
        parameter_sets: Requests to set parameters, valid and invalid.
        errors: Descriptions of what must not happen.
    """

    start: float = 0.0
    end: float = 0.0
    clients: list[dict[str, Any]] = field(default_factory=list)
    restarts: list[tuple[float, float]] = field(default_factory=list)
    killed_clients: int = 0
    descriptions: int = 0
    parameter_sets: int = 0
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: dict[str, dict[str, str]] = {}
        self._beats: dict[str, list[float]] = {}
        self.samples: dict[str, list[tuple[float, float, int]]] = {}

    def hear(self, space: str, level: int, values: dict[str, str]) -> None:
        """Record a status from /diagnostics."""
        with self._lock:
            self._heard[space] = {**values, "level": str(level)}
            self._beats.setdefault(space, []).append(time.time())

    def forget(self, space: str) -> None:
        """Discard the status of a node that is about to be killed."""
        with self._lock:
            self._heard.pop(space, None)

    def ready_spaces(self) -> list[str]:
        """Return the namespaces of the nodes that have a robot."""
        with self._lock:
            return [s for s, values in self._heard.items() if values["robot"] != "none"]

    def requests_heard(self) -> int:
        """Return the number of requests answered according to the nodes' diagnostics."""
        with self._lock:
            return sum(int(values["requests"]) for values in self._heard.values())

    def last_heard(self, space: str) -> dict[str, str]:
        """Return the latest status of a node."""
        with self._lock:
            return dict(self._heard.get(space, {}))

    def longest_silence(self, space: str) -> float:
        """Return the longest time between two statuses of a node during the test [s]."""
        beats = [t for t in self._beats.get(space, []) if self.start <= t <= self.end]
        return float(np.diff([self.start, *beats, self.end]).max())

    def sample(self, space: str, resident: float, threads: int) -> None:
        """Record a node's memory [MiB] and number of threads."""
        self.samples.setdefault(space, []).append((time.time(), resident, threads))


class Report:
    """Evaluates the records of a soak test.

    Args:
        account: The complete records.
    """

    def __init__(self, account: Account):
        self._account = account
        self._calls = {
            (index, one["namespace"]): np.array(one["calls"]).reshape(-1, 5)
            for index, one in enumerate(account.clients)
        }

    def _near_restart(self, namespace: str, begin: float, end: float) -> bool:
        return namespace == "/left" and any(
            begin <= ready + REACTION and end >= killed for killed, ready in self._account.restarts
        )

    def figures(self) -> dict[str, Any]:
        """Return all measurements."""
        account = self._account
        lost = [
            self._near_restart(one["namespace"], *span)
            for one in account.clients
            for span in one["lost"]
        ]
        calls = np.concatenate(list(self._calls.values())) if self._calls else np.empty((0, 5))
        answered = calls[:, 3] != KINDS.index("cancelled")
        return {
            "seconds": account.end - account.start,
            "clients": len(account.clients),
            "calls": len(calls),
            "answered": int(answered.sum()),
            "lost": lost.count(False),
            "lost_with_a_killed_node": lost.count(True),
            "cancelled": int((~answered).sum()),
            "killed_clients": account.killed_clients,
            "descriptions": account.descriptions,
            "parameter_sets": account.parameter_sets,
            "restarts": len(account.restarts),
            "solutions": sum(
                int(account.last_heard(space).get("solutions", 0)) for space in account.samples
            ),
            "false_solutions": sum(one["false"] for one in account.clients),
            "statuses": dict(sorted(Counter(calls[answered, 4].astype(int).tolist()).items())),
            "times_ms": self._times(calls[answered]),
            "ready_again_s": [ready - killed for killed, ready in account.restarts],
            "recovery_s": self._recovery(),
            "memory": {space: self._memory(space) for space in account.samples},
            "silence_s": {space: account.longest_silence(space) for space in account.samples},
        }

    def _times(self, calls: np.ndarray) -> dict[str, dict[str, float]]:
        """Return the times of each kind of call, without those near restarts [ms]."""
        calm = np.array([not self._near_restart("/left", c[0], c[0] + c[1]) for c in calls], bool)
        table = {}
        for number, kind in enumerate(KINDS):
            chosen = calls[calm & (calls[:, 3] == number)] if len(calls) else calls
            if len(chosen):
                outside, inside = 1e3 * chosen[:, 1], 1e3 * chosen[:, 2]
                table[kind] = {
                    "calls": len(chosen),
                    "p50": float(np.median(outside)),
                    "p99": float(np.percentile(outside, 99)),
                    "max": float(outside.max()),
                    "node_p50": float(np.median(inside)),
                    "node_p99": float(np.percentile(inside, 99)),
                }
        return table

    def _recovery(self) -> list[float]:
        """Return the time from each kill until all its clients had solutions again [s]."""
        found = []
        for killed, _ in self._account.restarts:
            times = []
            for (_, space), calls in self._calls.items():
                if space == "/left":
                    new = calls[(calls[:, 0] > killed) & (calls[:, 4] > 0)]
                    times.append(float(new[0, 0] + new[0, 1] - killed) if len(new) else np.inf)
            found.append(max(times, default=np.inf))
        return found

    def _memory(self, space: str) -> dict[str, float]:
        """Return the node's memory before the first restart [MiB], and its slope [MiB/h].

        The first third of that time is excluded, because caches fill and code is loaded.
        """
        first_kill = self._account.restarts[0][0] if self._account.restarts else np.inf
        end = first_kill if space == "/left" else np.inf
        rows = np.array([row for row in self._account.samples[space] if row[0] < end])
        rows = rows[len(rows) // 3 :]
        hours, memory = (rows[:, 0] - rows[0, 0]) / 3600.0, rows[:, 1]
        slope, error = _slope(hours, memory)
        return {
            "first": float(memory[0]),
            "last": float(memory[-1]),
            "slope": slope,
            "slope_error": error,
            "seconds": float(3600.0 * hours[-1]),
            "most_threads": float(rows[:, 2].max()),
        }

    def errors(self) -> list[str]:
        """Return everything that must not happen, one line each."""
        figures, account = self.figures(), self._account
        found = list(account.errors)
        for one in account.clients:
            found += [f"{one['namespace']}: {reply}" for reply in one["unexpected"][:5]]
            found += self._without_robot(one["namespace"], np.array(one["calls"]).reshape(-1, 5))
        if figures["lost"]:
            found.append(f"{figures['lost']} replies were lost")
        if figures["false_solutions"]:
            found.append(f"{figures['false_solutions']} solutions are false")
        if not figures["answered"]:
            found.append("no request was answered")
        if any(np.isinf(figures["recovery_s"])):
            found.append("a client had no solution after a restart")
        for space, memory in figures["memory"].items():
            lower_bound = memory["slope"] - 2.0 * memory["slope_error"]
            if memory["seconds"] >= MEMORY_WINDOW and lower_bound > MAX_GROWTH:
                found.append(f"{space} grows by {memory['slope']:.1f} MiB/h")
        reported = int(account.last_heard("/right").get("requests", 0))
        answered = sum(
            int((calls[:, 3] != KINDS.index("cancelled")).sum())
            for (_, space), calls in self._calls.items()
            if space == "/right"
        )
        if reported < answered:
            found.append(
                f"/right has answered {answered} requests, its diagnostics report {reported}"
            )
        return found

    def _without_robot(self, space: str, calls: np.ndarray) -> list[str]:
        """Return the replies without a robot that are not near a restart."""
        statuses = [Response.NO_ROBOT_DESCRIPTION, Response.PREPARING]  # pyright: ignore[reportAttributeAccessIssue]
        without = calls[np.isin(calls[:, 4], statuses)]
        return [
            f"{space}: no robot {row[0] - self._account.start:.1f} s after the start"
            for row in without
            if not self._near_restart(space, row[0], row[0] + row[1])
        ]

    def text(self) -> str:
        """Return the measurements as Markdown."""
        f = self.figures()
        restarts = f"node killed {f['restarts']} times"
        if f["restarts"]:
            restarts += (
                f", with {f['lost_with_a_killed_node']} calls pending; ready again after at most "
                f"{max(f['ready_again_s']):.1f} s, all clients had solutions again after "
                f"{max(f['recovery_s']):.1f} s"
            )
        lines = [
            f"{f['seconds']:.0f} s, {f['clients']} clients, two nodes: {f['calls']} calls, "
            f"{f['answered']} answered, {f['lost']} lost, {f['false_solutions']} false solutions; "
            f"{f['cancelled']} calls cancelled, {f['killed_clients']} other clients killed, "
            f"{f['descriptions']} robot descriptions, {f['parameter_sets']} parameter requests; "
            f"{restarts}.",
            "",
            "| call | replies | p50 [ms] | p99 [ms] | max [ms] | in the node p50 | p99 |",
            "|---|---|---|---|---|---|---|",
        ]  # fmt: skip
        for kind, t in f["times_ms"].items():
            lines.append(
                f"| {kind} | {t['calls']} | {t['p50']:.1f} | {t['p99']:.1f} | {t['max']:.0f} | "
                f"{t['node_p50']:.1f} | {t['node_p99']:.1f} |"
            )
        lines += [
            "",
            "| node | memory [MiB] | slope [MiB/h] | over [s] | threads |",
            "|" + "---|" * 5,
        ]
        for space, m in f["memory"].items():
            lines.append(
                f"| {space} | {m['first']:.1f} to {m['last']:.1f} | {m['slope']:.2f} ± "
                f"{m['slope_error']:.2f} | {m['seconds']:.0f} | {m['most_threads']:.0f} |"
            )
        return "\n".join(lines)


def _slope(hours: np.ndarray, memory: np.ndarray) -> tuple[float, float]:
    """Fit a line; return its slope and the slope's standard error.

    The samples are strongly correlated, so the error is estimated from the means of eight
    consecutive blocks.
    """
    if len(hours) < 16:
        return 0.0, float("inf")
    slope = float(np.polyfit(hours, memory, 1)[0])
    means = np.array([piece.mean() for piece in np.array_split(memory, 8)])
    when = np.array([piece.mean() for piece in np.array_split(hours, 8)])
    line = np.polyfit(when, means, 1)
    rest = means - np.polyval(line, when)
    error = np.sqrt((rest**2).sum() / 6.0 / ((when - when.mean()) ** 2).sum())
    return slope, float(error)
