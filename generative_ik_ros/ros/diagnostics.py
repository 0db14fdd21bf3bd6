"""The node's health, published on /diagnostics and written to the log."""

# Generated messages have no stubs: pyright does not see their constants.
# pyright: reportAttributeAccessIssue=false, reportOptionalCall=false

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.node import Node

from generative_ik_ros import _core
from generative_ik_ros.ros import transport
from generative_ik_ros.ros.diagnostics_tally import Report, RequestRecord, Tally
from generative_ik_ros.ros.log_lines import log_line
from generative_ik_ros.ros.topics import steady_timer
from generative_ik_ros.srv import GetIKPath, GetIKSolutions

try:
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
except ImportError:  # the log still has the same values
    DiagnosticArray = DiagnosticStatus = KeyValue = None

TOPIC = "/diagnostics"


@dataclass(frozen=True)
class Pace:
    """How often diagnostics are sent and logged."""

    period: float = 1.0
    """Time between two messages [s]; consumers of /diagnostics expect about one per second."""
    log_every: int = 60
    """Periods between two log entries; an entry is skipped if no requests have come since."""


PACE = Pace()


_R = GetIKSolutions.Response
_OUTCOMES = {
    _R.SOLVED: "solved",
    _R.PARTIAL: "partial",
    _R.NO_SOLUTION: "no_solution",
    _R.TIMED_OUT: "timed_out",
    _R.APPROXIMATE: "approximate",
    _R.INVALID_REQUEST: "refused",
    _R.NO_ROBOT_DESCRIPTION: "no_robot_description",
    _R.UNKNOWN_FRAME: "unknown_frame",
    _R.INTERNAL_ERROR: "internal_error",
    _R.BUSY: "busy",
    _R.PREPARING: "preparing",
}
_MOVEIT_OUTCOMES = {1: "solved", -31: "no_solution", -6: "timed_out", -21: "unknown_frame"}
"""MoveIt's error codes; all others count as refused."""


class Level(IntEnum):
    """How well a node is, as DiagnosticStatus has it."""

    OK = 0
    WARN = 1
    ERROR = 2


@dataclass(frozen=True)
class NodeState:
    """The robot and the sampler that a node currently uses.

    Attributes:
        robot: Name of the robot; None if there is none yet.
        sampler: Sampler selected by the node's parameter.
        refusal: Why the latest robot description or sampler was refused; empty if it was not.
        preparing: What is being loaded, and since when; empty if nothing is.
        collisions: For which requests collisions are checked, and with what, or why not.
        scene: What the robot is checked among.
    """

    robot: str | None
    sampler: str
    refusal: str = ""
    preparing: str = ""
    collisions: str = ""
    scene: str = ""


class Diagnostics:
    """Publishes a `DiagnosticArray` with one status once a second, and logs the same values."""

    def __init__(self, node: Node, state: Callable[[], NodeState]):
        """Start the timer; without diagnostic_msgs, log that nothing is published."""
        self._node, self._state = node, state
        self._tally = Tally()
        self._periods = self._logged = 0
        self._out = None
        if DiagnosticArray is None:
            node.get_logger().info(
                f"diagnostic_msgs is not installed: nothing is published on {TOPIC}; "
                "the log has the same values"
            )
        else:
            self._out = node.create_publisher(DiagnosticArray, TOPIC, 10)
        self._timer = steady_timer(node, PACE.period, self._tick)

    def take(self, response: GetIKSolutions.Response) -> None:
        """Record a reply of `~/get_ik_solutions`."""
        counts = np.asarray(response.counts)
        exact = counts * (np.asarray(response.statuses, np.int8) != _R.APPROXIMATE)
        reached, found = int(np.count_nonzero(exact)), int(exact.sum())
        self._add_reply(response, len(counts), reached, found, response.sampler)

    def take_path(self, response: GetIKPath.Response, targets: int) -> None:
        """Record a reply of `~/get_ik_path` to a request with a number of poses."""
        asked, reached = targets if response.status > 0 else 0, response.num_reached
        self._add_reply(response, asked, reached, reached)

    def _add_reply(
        self,
        response: GetIKSolutions.Response | GetIKPath.Response,
        targets: int,
        reached: int,
        solutions: int,
        sampler: str = "",
    ) -> None:
        solve_time = response.solve_time if response.status > 0 else math.nan
        outcome, message = _OUTCOMES[response.status], response.message
        self._add(
            RequestRecord(
                outcome,
                response.total_time,
                solve_time,
                targets,
                reached,
                solutions,
                sampler,
                message,
            )
        )

    def take_position_ik(self, code: int, message: str, total_time: float) -> None:
        """Record a reply of `~/get_position_ik`: MoveIt's error code, message and time [s]."""
        outcome = _MOVEIT_OUTCOMES.get(code, "refused")
        asked = int(outcome in ("solved", "no_solution", "timed_out"))
        found = int(outcome == "solved")
        self._add(RequestRecord(outcome, total_time, math.nan, asked, found, found, "", message))

    def _add(self, record: RequestRecord) -> None:
        self._tally.add(record)
        logger = self._node.get_logger()
        if logger.is_enabled_for(LoggingSeverity.DEBUG):
            logger.debug(
                log_line(
                    "answer",
                    outcome=record.outcome,
                    targets=record.targets,
                    reached=record.reached,
                    solutions=record.solutions,
                    sampler=record.sampler or None,
                    total_ms=1e3 * record.total_time,
                    solve_ms=1e3 * record.solve_time,
                    message=record.message or None,
                )
            )

    def _tick(self) -> None:
        report, state = self._tally.report(), self._state()
        level, message = level_and_message(report, state)
        values = key_values(report, state)
        self._periods += 1
        requests = report.values["requests"]
        if self._periods % PACE.log_every == 0 and requests != self._logged:
            self._logged = requests
            self._node.get_logger().info(log_line("health", level=level.name, **values))
        if self._out is not None:
            part = "inverse kinematics"
            self._out.publish(
                diagnostics(self._node, part, level, message, values, state.robot or "")
            )


def diagnostics(
    node: Node, part: str, level: Level, message: str, values: dict[str, Any], robot: str = ""
) -> object:
    """Return a `DiagnosticArray` with the status of a part of a node; robot: hardware_id."""
    status = DiagnosticStatus(
        level=bytes([level]),
        name=f"{node.get_fully_qualified_name().lstrip('/')}: {part}",
        message=message,
        hardware_id=robot,
        values=[
            KeyValue(key=key, value=f"{value:.6g}" if type(value) is float else str(value))
            for key, value in values.items()
        ],
    )
    array = DiagnosticArray(status=[status])
    array.header.stamp = node.get_clock().now().to_msg()
    return array


def level_and_message(report: Report, state: NodeState) -> tuple[Level, str]:
    """Return the level of a DiagnosticStatus and a line that explains it."""
    if report.internal_errors:
        return Level.ERROR, f"{report.internal_errors} recent internal errors; see the node's log"
    if state.robot is None:
        return Level.WARN, state.preparing or "no usable robot description yet"
    if state.refusal:
        refused = "the last robot description or sampler was refused"
        return Level.WARN, f"{refused}, {state.robot} is kept"
    rate, success = report.values["requests_per_s"], report.values["success_rate"]
    if report.recent_targets and not success:
        return Level.WARN, f"none of the last {report.recent_targets} poses was reached"
    if not report.recent:
        return Level.OK, "ready"
    return Level.OK, (
        f"{rate:.1f} requests/s, {100.0 * success:.1f} % of poses reached"
        if report.recent_targets
        else f"{rate:.1f} requests/s"
    )


def key_values(report: Report, state: NodeState) -> dict[str, Any]:
    """Return the values to publish and log, by key: times in [ms], rates in [1/s]."""
    sampler = report.sampler or state.sampler
    if sampler != state.sampler:
        sampler += f" (the node's parameter asks for {state.sampler})"
    return {
        "robot": state.robot or "none",
        "core": f"{_core.version()}, {_core.instruction_set()}",
        "middleware": transport.description(),
        "sampler": sampler,
        **({"collision_checks": state.collisions} if state.collisions else {}),
        **({"scene": state.scene} if state.scene else {}),
        **report.values,
        **report.outcomes,
        **({"robot_kept_because": state.refusal} if state.refusal else {}),
        **({"preparing": state.preparing} if state.preparing else {}),
        **{f"last_{outcome}": text for outcome, text in report.last_messages.items()},
    }
