"""A duration in, the node under load for that long, and what was lost, false or leaked out.

Two nodes side by side, one for each of two arms, and eight clients. Meanwhile robot descriptions
are swapped, good ones and bad ones, parameters are set, right ones and wrong ones, and further
clients are killed while they wait for their answers. In the last quarter one of the nodes is
killed and started anew, again and again. Run by `make soak`; ends with exit code 1 where anything
was lost, false or leaked.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import argparse
import json
import os
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
from soak_node import NodeProcess
from soak_report import Account, Report
from std_msgs.msg import String

from generative_ik_ros.robot.known import robot_urdf_path

LEFT, RIGHT = "/left", "/right"
ROBOTS = {LEFT: ("iiwa", "lwa4d"), RIGHT: ("ur10",)}
CLIENTS = {LEFT: 5, RIGHT: 3}
RATE = 8.0
"""Calls a second of each client."""
SWAP_EVERY, SET_EVERY, KILL_CLIENT_EVERY, SAMPLE_EVERY = 4.0, 3.0, 5.0, 1.0
CALM_SHARE = 0.75
"""Share of the time before the node is killed for the first time."""
RESTART_EVERY = 30.0
AFTERWARDS, AFTERWARDS_SHARE = 16.0, 0.05
"""Least time after the last restart [s], for clients to lose patience with the old node; long
soaks grant them a share of their duration."""
START_TIMEOUT = 600.0
"""A node that compiles its kernels for the first time takes minutes on a busy machine."""

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
    """What the soak itself says and hears: descriptions, parameters, diagnostics."""

    def __init__(self, account: Account):
        """Join it."""
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
        """Leave it."""
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()
        rclpy.shutdown()

    def describe(self, text: str) -> None:
        """Publish a description for the left node."""
        self._describe.publish(String(data=text))
        self._account.descriptions += 1

    def set(self, space: str, values: dict[str, object], accepted: bool) -> None:
        """Set parameters; whether they are accepted must be as said."""
        request = SetParameters.Request(
            parameters=[Parameter(name, value=v).to_parameter_msg() for name, v in values.items()]
        )
        answer = self._setters[space].call(request, 30.0)
        self._account.parameter_sets += 1
        if answer is None:
            self._account.troubles.append(f"{space}: no answer to setting {values}")
        elif all(result.successful for result in answer.results) != accepted:
            reasons = [result.reason for result in answer.results]
            self._account.troubles.append(f"{space}: setting {values} ended with {reasons}")

    def _hear(self, message: DiagnosticArray) -> None:
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            self._account.hear("/" + status.name.split("/")[0], status.level[0], values)


def client(
    namespace: str, seed: int, rate: float, robots: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """Start a client as a process; the robots are those that its node may have."""
    script = str(Path(__file__).with_name("soak_client.py"))
    command = [sys.executable, script, "--namespace", namespace, "--seed", str(seed)]
    names = ",".join(robots or ROBOTS[namespace])
    command += ["--robots", names, "--rate", str(rate)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


class Soak:
    """The course of a soak.

    Args:
        seconds: Its duration, without start and end [s].
        folder: For the files of the nodes.
    """

    def __init__(self, seconds: float, folder: Path):
        """Start the nodes."""
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
        """Wait until all answer, then do everything for as long as was asked for."""
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
        """End all processes and gather what they have to tell."""
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
                self.account.troubles.append(f"a client ended with exit code {process.returncode}")
            else:
                self.account.clients.append(json.loads(text))
        # The last diagnostics of before the end.
        time.sleep(1.5)
        for space, node in self.nodes.items():
            code = node.stop()
            if code != 0:
                self.account.troubles.append(f"{space} ended with exit code {code}")
            if "Traceback" in node.text():
                self.account.troubles.append(f"{space} has printed a traceback: {node.log}")
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
        """Start a client in a hurry; the one of before is killed while it waits."""
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
                self.account.troubles.append(f"{space} has ended by itself")

    def _restart(self) -> None:
        """Kill the left node and wait until it answers again; its clients see to themselves."""
        begin = time.time()
        # What the new node does not know any more, and what a bad description would not bring.
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
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args(arguments)
    # As robots run. With LOCALHOST rmw_fastrtps uses shared memory whatever a node says, through
    # which killed clients harm others.
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET"
    # Domains up to 101 have ports that no system hands out to others.
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
    folder = Path(tempfile.mkdtemp(prefix="generative_ik_soak_"))
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
    faults = report.faults()
    for fault in faults:
        print(f"soak: {fault}", file=sys.stderr)
    if faults:
        print(f"soak: the nodes' logs are in {folder}", file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
