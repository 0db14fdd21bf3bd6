"""A node's answers in, its health on /diagnostics and in the log out."""

# Generated messages have no stubs: pyright does not see their constants.
# pyright: reportAttributeAccessIssue=false, reportOptionalCall=false

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType  # pyright: ignore[reportPrivateImportUsage]
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.node import Node

from generative_ik_ros.ros.diagnostics_tally import Answer, Report, Tally
from generative_ik_ros.ros.log_lines import log_line
from generative_ik_ros.srv import GetIKSolutions

try:
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
except ImportError:  # the same figures are in the log then
    DiagnosticArray = DiagnosticStatus = KeyValue = None

TOPIC = "/diagnostics"
PERIOD = 1.0
"""Time between two messages [s]; consumers of /diagnostics expect about one a second."""
LOG_EVERY = 60
"""Every so many periods the same is written to the log, where requests have come meanwhile."""

_R = GetIKSolutions.Response
_OUTCOMES = {
    _R.SOLVED: "solved",
    _R.PARTIAL: "partial",
    _R.NO_SOLUTION: "no_solution",
    _R.TIMED_OUT: "timed_out",
    _R.INVALID_REQUEST: "refused",
    _R.NO_ROBOT_DESCRIPTION: "no_robot_description",
    _R.UNKNOWN_FRAME: "unknown_frame",
    _R.INTERNAL_ERROR: "internal_error",
    _R.BUSY: "busy",
}
_MOVEIT_OUTCOMES = {1: "solved", -31: "no_solution", -6: "timed_out", -21: "unknown_frame"}
"""MoveIt's error codes; every other one is a refusal."""
_OK, _WARN, _ERROR = 0, 1, 2


@dataclass(frozen=True)
class Standing:
    """What a node works with at the moment.

    Attributes:
        robot: Name of the robot; None before there is one.
        sampler: Sampler that the node's parameter asks for.
        kept: Why the last robot description was refused and the robot before kept; else empty.
    """

    robot: str | None
    sampler: str
    kept: str = ""


class Diagnostics:
    """Publishes a `DiagnosticArray` with one status, once a second, and logs what it says.

    Args:
        node: The node whose health it is.
        standing: Returns what the node works with.
    """

    def __init__(self, node: Node, standing: Callable[[], Standing]):
        """Start the timer, or say what is missing."""
        self._node, self._standing = node, standing
        self._tally = Tally()
        self._periods = self._logged = 0
        self._out = None
        if DiagnosticArray is None:
            node.get_logger().info(
                f"diagnostic_msgs is not installed: nothing is published on {TOPIC}; "
                "the log has the same figures"
            )
        else:
            self._out = node.create_publisher(DiagnosticArray, TOPIC, 10)
        # Steady, because a node is no less alive when its simulation is paused.
        self._timer = node.create_timer(
            PERIOD,
            self._tick,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def take(self, response: GetIKSolutions.Response) -> None:
        """Count an answer of `~/get_ik_solutions`."""
        solved = response.status > 0
        counts = np.asarray(response.counts)
        self._add(
            Answer(
                _OUTCOMES[response.status],
                response.total_time,
                response.solve_time if solved else math.nan,
                len(counts),
                int(np.count_nonzero(counts)),
                int(counts.sum()),
                response.sampler,
                response.message,
            )
        )

    def take_position_ik(self, code: int, message: str, total_time: float) -> None:
        """Count an answer of `~/get_position_ik` by MoveIt's error code [s]."""
        outcome = _MOVEIT_OUTCOMES.get(code, "refused")
        asked = int(outcome in ("solved", "no_solution", "timed_out"))
        found = int(outcome == "solved")
        self._add(Answer(outcome, total_time, math.nan, asked, found, found, "", message))

    def _add(self, answer: Answer) -> None:
        self._tally.add(answer)
        logger = self._node.get_logger()
        if logger.is_enabled_for(LoggingSeverity.DEBUG):
            logger.debug(
                log_line(
                    "answer",
                    outcome=answer.outcome,
                    targets=answer.targets,
                    reached=answer.reached,
                    solutions=answer.solutions,
                    sampler=answer.sampler or None,
                    total_ms=1e3 * answer.total_time,
                    solve_ms=1e3 * answer.solve_time,
                    message=answer.message or None,
                )
            )

    def _tick(self) -> None:
        report, standing = self._tally.report(), self._standing()
        level, message = judge(report, standing)
        values = figures(report, standing)
        self._periods += 1
        if self._periods % LOG_EVERY == 0 and report.requests != self._logged:
            self._logged = report.requests
            name = ("OK", "WARN", "ERROR")[level]
            self._node.get_logger().info(log_line("health", level=name, **values))
        if self._out is not None:
            self._out.publish(self._message(level, message, standing, values))

    def _message(
        self, level: int, message: str, standing: Standing, values: dict[str, Any]
    ) -> Any:  # noqa: ANN401 (not there for the type checker)
        status = DiagnosticStatus(
            level=bytes([level]),
            name=f"{self._node.get_fully_qualified_name().lstrip('/')}: inverse kinematics",
            message=message,
            hardware_id=standing.robot or "",
            values=[
                KeyValue(key=key, value=f"{value:.6g}" if type(value) is float else str(value))
                for key, value in values.items()
            ],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._node.get_clock().now().to_msg()
        return array


def judge(report: Report, standing: Standing) -> tuple[int, str]:
    """Return the level of a DiagnosticStatus and a line that explains it."""
    if report.faults:
        return _ERROR, f"{report.faults} internal errors lately; the log has the details"
    if standing.robot is None:
        return _WARN, "no usable robot description yet"
    if standing.kept:
        return _WARN, f"the last robot description was refused, {standing.robot} is kept"
    if report.recent_targets and not report.recent_reached:
        return _WARN, f"none of the last {report.recent_targets} poses was reached"
    if not report.recent:
        return _OK, "ready"
    return _OK, (
        f"{report.rate:.1f} requests/s, {100.0 * report.success_rate:.1f} % of poses reached"
        if report.recent_targets
        else f"{report.rate:.1f} requests/s"
    )


def figures(report: Report, standing: Standing) -> dict[str, Any]:
    """Return what is published and logged, by name: times in [ms], rates in [1/s]."""
    sampler = report.sampler or standing.sampler
    if sampler != standing.sampler:
        sampler += f" (the node's parameter asks for {standing.sampler})"
    return {
        "robot": standing.robot or "none",
        "sampler": sampler,
        "requests": report.requests,
        "requests_per_s": report.rate,
        "solutions_per_s": report.solution_rate,
        "success_rate": report.success_rate,
        "latency_p50_ms": 1e3 * report.latency[0],
        "latency_p99_ms": 1e3 * report.latency[1],
        "solve_p50_ms": 1e3 * report.solve_time[0],
        "solve_p99_ms": 1e3 * report.solve_time[1],
        "targets": report.targets,
        "targets_reached": report.reached,
        "solutions": report.solutions,
        **report.outcomes,
        **({"robot_kept_because": standing.kept} if standing.kept else {}),
        **{f"last_{outcome}": text for outcome, text in report.last_messages.items()},
    }
