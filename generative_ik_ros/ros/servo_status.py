"""What the servo is doing, as a status on /diagnostics."""

import time
from collections import deque
from typing import Any

import numpy as np
from rclpy.node import Node

from generative_ik_ros.ros.diagnostics import PACE, TOPIC, DiagnosticArray, Level, diagnostics
from generative_ik_ros.ros.topics import steady_timer
from generative_ik_ros.tracking.step import TrackerStep, TrackingStatus

LOOK = 0.1
"""Time between two looks for another state, which is published at once [s]."""
TICKS = 5000
"""Periods, the latest ones, whose lateness is reported."""


class ServoReport:
    """What the servo's thread says of itself; any thread may read it.

    Attributes:
        on: Whether the parameter is set, or the arm still moves.
        commands: Configurations that were published.
        refused: Messages that could not be used.
        skipped: Periods that began later than the next one should have.
    """

    def __init__(self) -> None:
        self.on, self.commands, self.refused, self.skipped = False, 0, 0, 0
        self._step: TrackerStep | None = None
        self._following, self._failure, self._missing = False, "", ""
        self._late: deque[float] = deque(maxlen=TICKS)

    def wait(self, missing: str = "") -> None:
        """Note that nothing is commanded, and what is missing for that."""
        self._step, self._missing = None, missing

    def take(self, step: TrackerStep, following: bool) -> None:
        """Note what was commanded, and whether towards a target."""
        self._step, self._following = step, following
        self.commands += 1
        if following:
            self._failure = ""

    def fail(self, line: str) -> None:
        """Note why a message could not be used, or the arm does not move."""
        self._failure = line

    def late(self, seconds: float, skipped: bool) -> None:
        """Note how much later than planned a period began [s], and whether one was left out."""
        self._late.append(seconds)
        self.skipped += skipped

    def level_and_message(self) -> tuple[Level, str]:
        """Return the level of a DiagnosticStatus and a line that explains it."""
        step, failure = self._step, self._missing or self._failure
        level = Level.WARN if failure else Level.OK
        if step is None:
            return level, failure or "waiting for a target"
        if not self._following:
            return level, f"stopping: {failure or 'no target'}"
        if step.status is TrackingStatus.HELD:
            return Level.WARN, f"HELD: {step.reason}"
        return level, f"{step.status}{failure and ': ' + failure}"

    def key_values(self) -> dict[str, Any]:
        """Return the values to publish, by key."""
        late = 1e3 * np.array(self._late or (0.0,))
        values: dict[str, Any] = {
            "commands": self.commands,
            "refused_messages": self.refused,
            "skipped_periods": self.skipped,
            "late_p50_ms": float(np.quantile(late, 0.5)),
            "late_p99_ms": float(np.quantile(late, 0.99)),
            "late_max_ms": float(late.max()),
        }
        if (step := self._step) is not None:
            values["position_error_m"] = float(step.position_error)
            values["orientation_error_rad"] = float(step.orientation_error)
        return values


class ServoStatus:
    """Publishes a report once a second, and at once when it changes, while the servo is on."""

    def __init__(self, node: Node, report: ServoReport):
        self._node, self._report = node, report
        self._last: tuple[Level, str] | None = None
        self._next = 0.0
        if DiagnosticArray is not None:
            self._out = node.create_publisher(DiagnosticArray, TOPIC, 10)
            self._timer = steady_timer(node, LOOK, self._look)

    def _look(self) -> None:
        if not self._report.on:
            return
        state, now = self._report.level_and_message(), time.monotonic()
        if state == self._last and now < self._next:
            return
        self._last, self._next = state, now + PACE.period
        self._out.publish(diagnostics(self._node, "servo", *state, self._report.key_values()))
