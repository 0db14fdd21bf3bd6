"""Soak test: two nodes under load for a given time.

Two nodes for two arms serve eight clients. Meanwhile robot descriptions are replaced and
parameters set, with valid and invalid values, and further clients are killed while they wait for
replies. In the last quarter one of the nodes is repeatedly killed and restarted. Run by `make
soak`. The exit code is 1 if a reply was lost, a solution was false or memory leaked.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from soak_node import NodeProcess, set_ros_environment
from soak_report import Account, Report
from std_msgs.msg import String

from generative_ik_ros.robot.known import robot_urdf_path

LEFT, RIGHT = "/left", "/right"
ROBOTS = {LEFT: ("iiwa", "lwa4d"), RIGHT: ("ur10",)}
CLIENTS = {LEFT: 5, RIGHT: 3}
RATE = 8.0
"""Mean call rate of each client [Hz]."""
SWAP_EVERY, SET_EVERY, KILL_CLIENT_EVERY, SAMPLE_EVERY = 4.0, 3.0, 5.0, 1.0
"""Periods of the disturbances and of the memory samples [s]."""
CALM_SHARE = 0.75
"""Fraction of the duration before the node is killed for the first time."""
RESTART_EVERY = 30.0
"""Time between restarts of the node [s]."""
AFTERWARDS, AFTERWARDS_SHARE = 16.0, 0.05
"""Time after the last restart, for calls to the killed node to time out: at least so many seconds,
and at least this fraction of the duration."""
START_TIMEOUT = 120.0
"""Longest time for the nodes to start on a busy machine [s]."""

GOOD_PARAMETERS: tuple[dict[str, object], ...] = (
    {"num_solutions": 50, "marker_rate": 5.0},
    {"sampler": "uniform"},
    {"position_tolerance": 1e-6, "orientation_tolerance": 1e-6},
    {"sampler": "quasi_random", "timeout": 0.5},
    {"position_tolerance": 1e-5, "orientation_tolerance": 1e-5, "sampler": "auto", "timeout": 1.0},
)
BAD_PARAMETERS: tuple[dict[str, object], ...] = (
    {"timeout": -1.0},
    {"sampler": "no such sampler"},
    {"num_solutions": 0},
    {"num_solutions": "many"},
    {"robot_description": "<robot"},
    {"base_link": "no such link"},
)


class Network:
    """Publishes descriptions, sets parameters and receives diagnostics."""

    def __init__(self, account: Account):
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self._account = account
        self._node = rclpy.create_node("soak", start_parameter_services=False)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._describe = self._node.create_publisher(String, f"{LEFT}/robot_description", latched)
        self._setters = {
            space: self._node.create_client(SetParameters, f"{space}/generative_ik/set_parameters")
            for space in (LEFT, RIGHT)
        }
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._hear, 10)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Destroy the node."""
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()
        rclpy.shutdown()

    def describe(self, text: str) -> None:
        """Publish a description for the left node."""
        self._describe.publish(String(data=text))
        self._account.descriptions += 1

    def set(self, space: str, values: dict[str, object], accepted: bool) -> None:
        """Set parameters and record an error unless they are accepted, or refused, as expected."""
        request = SetParameters.Request(
            parameters=[Parameter(name, value=v).to_parameter_msg() for name, v in values.items()]
        )
        answer = self._setters[space].call(request, 30.0)
        self._account.parameter_sets += 1
        if answer is None:
            self._account.errors.append(f"{space}: no reply to setting {values}")
        elif all(result.successful for result in answer.results) != accepted:
            reasons = [result.reason for result in answer.results]
            self._account.errors.append(f"{space}: setting {values} ended with {reasons}")

    def _hear(self, message: DiagnosticArray) -> None:
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            self._account.hear("/" + status.name.split("/")[0], status.level[0], values)


def client(
    namespace: str, seed: int, rate: float, robots: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """Start a client process for a node that may have any of the robots."""
    script = str(Path(__file__).with_name("soak_client.py"))
    command = [sys.executable, script, "--namespace", namespace, "--seed", str(seed)]
    names = ",".join(robots or ROBOTS[namespace])
    command += ["--robots", names, "--rate", str(rate)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


class Soak:
    """A soak test.

    Args:
        seconds: Duration without start and shutdown [s].
        folder: Folder for the nodes' files.
    """

    def __init__(self, seconds: float, folder: Path):
        self._seconds = seconds
        self.account = Account()
        self.nodes = {
            LEFT: NodeProcess(LEFT, folder),
            RIGHT: NodeProcess(RIGHT, folder, robot_description=_text(ROBOTS[RIGHT][0])),
        }
        self._network = Network(self.account)
        self._texts = [_text(name) for name in ROBOTS[LEFT]]
        self._texts.insert(1, self._texts[0][: len(self._texts[0]) // 2])
        self._texts.append("<robot><link name='alone'/></robot>")
        self._network.describe(self._texts[0])
        self._victim: subprocess.Popen[str] | None = None
        self._swaps = self._sets = 0
        self.clients: list[subprocess.Popen[str]] = []

    def _until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + START_TIMEOUT
        while not condition():
            if time.monotonic() > end:
                raise SystemExit("soak: the nodes did not become ready; see their logs")
            time.sleep(0.05)

    def run(self) -> None:
        """Wait until the nodes are ready, then run clients and disturbances."""
        self._until(lambda: len(self.account.ready_spaces()) == 2)
        for space, count in CLIENTS.items():
            for _ in range(count):
                self.clients.append(client(space, len(self.clients), RATE))
        self._until(lambda: self.account.requests_heard() > 0)
        start = time.monotonic()
        self.account.start = time.time()
        afterwards = max(AFTERWARDS, AFTERWARDS_SHARE * self._seconds)
        last_restart = start + self._seconds - afterwards
        plan = {
            self._swap: SWAP_EVERY,
            self._set_parameters: SET_EVERY,
            self._start_victim: KILL_CLIENT_EVERY,
            self._sample: SAMPLE_EVERY,
        }
        due = {action: start + every / 2.0 for action, every in plan.items()}
        next_restart = min(start + CALM_SHARE * self._seconds, last_restart)
        end = start + self._seconds
        while (now := time.monotonic()) < end:
            for action, when in due.items():
                if now >= when:
                    due[action] = now + plan[action]
                    action()
            if next_restart <= now <= last_restart + 1.0:
                next_restart = now + RESTART_EVERY
                self._restart()
                end = max(end, time.monotonic() + afterwards)
                due = {action: time.monotonic() + every for action, every in plan.items()}
            time.sleep(0.05)
        self.account.end = time.time()

    def finish(self) -> None:
        """Stop all processes and collect the clients' results."""
        if self._victim is not None:
            self._victim.kill()
            self._victim.communicate()
        for process in self.clients:
            if process.stdin is not None:
                process.stdin.close()
                process.stdin = None
        for process in self.clients:
            text, _ = process.communicate(timeout=60.0)
            if process.returncode:
                self.account.errors.append(f"a client ended with exit code {process.returncode}")
            else:
                self.account.clients.append(json.loads(text))
        # Wait for the last diagnostics, which count all requests.
        time.sleep(1.5)
        for space, node in self.nodes.items():
            code = node.stop()
            if code != 0:
                self.account.errors.append(f"{space} ended with exit code {code}")
            if "Traceback" in node.text():
                self.account.errors.append(f"{space} printed a traceback: {node.log}")
        self._network.close()

    def _swap(self) -> None:
        self._swaps += 1
        self._network.describe(self._texts[self._swaps % len(self._texts)])

    def _set_parameters(self) -> None:
        turn = self._sets
        self._sets += 1
        for space in (LEFT, RIGHT):
            self._network.set(space, GOOD_PARAMETERS[turn % len(GOOD_PARAMETERS)], True)
            self._network.set(space, BAD_PARAMETERS[turn % len(BAD_PARAMETERS)], False)

    def _start_victim(self) -> None:
        """Start a client that calls without a pause, and kill the previous one."""
        if self._victim is not None:
            self._victim.kill()
            self._victim.communicate()
            self.account.killed_clients += 1
        space = (LEFT, RIGHT)[self.account.killed_clients % 2]
        self._victim = client(space, 1000 + self.account.killed_clients, 0.0)

    def _sample(self) -> None:
        for space, node in self.nodes.items():
            if node.alive:
                self.account.sample(space, node.resident(), node.threads())
            else:
                self.account.errors.append(f"{space} has ended unexpectedly")

    def _restart(self) -> None:
        """Kill the left node, restart it and wait until it is ready."""
        begin = time.time()
        # The latched description may be an invalid one, with which the new node would not start.
        self._network.describe(self._texts[0])
        self.account.forget(LEFT)
        self.nodes[LEFT].kill_and_restart()
        self._until(lambda: LEFT in self.account.ready_spaces())
        self.account.restarts.append((begin, time.time()))


def _text(robot: str) -> str:
    return robot_urdf_path(robot).read_text(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak and report; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800.0, help="duration [s]")
    parser.add_argument("--json", type=Path, help="write the measurements to this file")
    options = parser.parse_args(arguments)
    set_ros_environment()
    folder = Path(tempfile.mkdtemp(prefix="generative_ik_soak_"))
    passed = False
    try:
        soak = Soak(options.seconds, folder)
        try:
            soak.run()
        finally:
            soak.finish()
        report = Report(soak.account)
        figures: dict[str, Any] = report.figures()
        if options.json:
            options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
        print(report.text())
        errors = report.errors()
        for error in errors:
            print(f"soak: {error}", file=sys.stderr)
        passed = not errors
    finally:
        if passed:
            shutil.rmtree(folder)
        else:
            print(f"soak: the nodes' logs are in {folder}", file=sys.stderr)
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
