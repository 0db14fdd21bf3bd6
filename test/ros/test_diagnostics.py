"""The node's health on /diagnostics, in its log and by the health command."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from bad_urdfs import GOOD_URDF
from diagnostic_msgs.msg import DiagnosticArray
from ik_client import Response, Topic, request
from node_process import health
from rcl_interfaces.msg import Log
from rclpy.logging import LoggingSeverity
from rclpy.qos import DurabilityPolicy, QoSProfile

from generative_ik_ros import _core
from generative_ik_ros.ros.diagnostics import Diagnostics, NodeState, key_values, level_and_message
from generative_ik_ros.ros.diagnostics_tally import LIMITS, RequestRecord, Tally
from generative_ik_ros.ros.log_lines import log_line

ROSOUT = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
FAR = np.array([[1.0, 0, 0, 9.0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


@pytest.fixture(scope="module")
def heard(client):
    topic = Topic(client, DiagnosticArray, "/diagnostics", 10)
    yield topic
    topic.close()


def newest(heard, node, wanted):
    """The node's next status for which `wanted` is true."""
    del heard._messages[:]
    for _ in range(100):
        for status in heard.next().status:
            values = {pair.key: pair.value for pair in status.values}
            if status.name.startswith(node.namespace[1:]) and wanted(status, values):
                return status, values
    raise AssertionError("no such status")


def test_without_a_robot_it_is_a_warning(node, client, heard):
    client.call(request(FAR[None]))
    status, values = newest(heard, node, lambda s, v: "no_robot_description" in v)
    assert status.level == b"\x01" and status.message == "no usable robot description yet"
    assert status.name == f"{node.namespace[1:]}/generative_ik: inverse kinematics"
    assert int(values["no_robot_description"]) == int(values["requests"]) > 0
    assert "robot_description" in values["last_no_robot_description"]
    shown = node.health()
    assert shown.returncode == 1 and "WARN: no usable robot description yet" in shown.stdout
    assert "no_robot_description" in shown.stdout and "Traceback" not in shown.stderr


def test_every_reply_is_counted_by_its_outcome(node, client, heard, panda, panda_urdf):
    assert client.set_parameters(tip_link="panda_hand_tcp")[0].successful
    client.describe_robot(panda_urdf)
    good = panda.forward((panda.lower + panda.upper) / 2.0)
    client.until(request(good[None], num_solutions=7), lambda a: a.status == Response.SOLVED)
    _, before = newest(heard, node, lambda s, v: v["robot"] == "panda" and int(v["targets"]) > 0)
    for _ in range(4):
        client.call(request(np.stack([good, FAR]), num_solutions=5, sampler="uniform"))
    client.call(request(FAR[None], sampler="uniform"))
    for _ in range(3):
        client.call(request(good[None], timeout=-1.0))
    wanted = int(before["requests"]) + 8
    status, after = newest(heard, node, lambda s, v: int(v["requests"]) == wanted)

    def more(key):
        return int(after[key]) - int(before.get(key, 0))

    assert (more("partial"), more("no_solution"), more("refused")) == (4, 1, 3)
    assert (more("targets"), more("targets_reached"), more("solutions")) == (9, 4, 20)
    assert status.level == b"\x00" and status.hardware_id == "panda"
    assert after["sampler"] == "uniform (the node's parameter asks for auto)"
    assert "timeout must be zero or more" in after["last_refused"]
    assert "out of reach" in after["last_no_solution"]
    assert 0.0 < float(after["success_rate"]) < 1.0
    assert 0.0 < float(after["solve_p50_ms"]) <= float(after["solve_p99_ms"])
    assert float(after["latency_p50_ms"]) <= float(after["latency_p99_ms"])
    assert float(after["requests_per_s"]) > 0.0 and float(after["solutions_per_s"]) > 0.0


def test_a_refused_description_is_a_warning_until_a_good_one_comes(
    node, client, heard, panda_urdf
):
    client.describe_robot("<robot")
    status, values = newest(heard, node, lambda s, v: "robot_kept_because" in v)
    assert status.level == b"\x01" and "panda is kept" in status.message
    assert "not XML" in values["robot_kept_because"]
    client.describe_robot(panda_urdf.replace("panda_link8", "flange"))
    newest(heard, node, lambda s, v: s.level == b"\x00" and "robot_kept_because" not in v)


def test_the_health_command_prints_it(node, client):
    shown = node.health("--json")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    ((name, values),) = json.loads(shown.stdout).items()
    assert name == f"{node.namespace[1:]}/generative_ik" and values["level"] == "OK"
    assert {"success_rate", "latency_p99_ms", "sampler", "robot", "requests"} <= set(values)
    assert values["core"] == f"{_core.version()}, {_core.instruction_set()}"


def test_the_health_command_reports_when_there_is_no_node(ros):
    shown = health("--node", "/nobody", "--timeout=1")
    assert shown.returncode == 2 and "no node heard on /diagnostics" in shown.stderr


def test_the_health_command_lists_the_nodes_of_two_namespaces(node, start_node, client_of):
    other = start_node(robot_description=GOOD_URDF)
    client_of(other)
    shown = health("--json", "--timeout=4")
    names = {f"{one.namespace[1:]}/generative_ik" for one in (node, other)}
    assert names <= set(json.loads(shown.stdout))


def test_the_window_slides_and_memory_is_bounded():
    clock = SimpleNamespace(now=100.0)
    tally = Tally(lambda: clock.now)
    for _ in range(20_000):
        clock.now += 0.001
        tally.add(RequestRecord("solved", 0.002, 0.001, 1, 1, 10, "uniform"))
    for _ in range(3):
        tally.add(RequestRecord("timed_out", 1.0, 0.9, 1, 0, 0, "uniform", "x" * 10_000))
    report = tally.report()
    values = report.values
    assert values["requests"] == 20_003 and values["solutions"] == 200_000
    assert values["requests_per_s"] == pytest.approx(1000.0, rel=0.01)
    assert values["latency_p50_ms"] == values["latency_p99_ms"] == 2.0
    assert values["success_rate"] == pytest.approx(1 - 3 / 2048)
    assert len(tally._recent) == 2048 and len(report.last_messages["timed_out"]) == 300
    clock.now += LIMITS.window + 1.0
    report = tally.report()
    values = report.values
    assert (report.recent, values["requests_per_s"], values["requests"]) == (0, 0.0, 20_003)
    assert math.isnan(values["success_rate"]) and math.isnan(values["latency_p99_ms"])


SERVING = NodeState("r", "auto")


@pytest.mark.parametrize(
    ("records", "state", "level", "words"),
    [
        ([], SERVING, 0, "ready"),
        ([], NodeState(None, "auto"), 1, "no usable robot description"),
        ([], NodeState("r", "auto", "bad"), 1, "refused, r is kept"),
        ([RequestRecord("no_solution", 0.1, 0.1, 4)], SERVING, 1, "none of the last 4"),
        ([RequestRecord("refused", 0.1)], SERVING, 0, "requests/s"),
        ([RequestRecord("internal_error", 0.1)], SERVING, 2, "1 recent internal errors"),
    ],
)
def test_the_level_reflects_the_state(records, state, level, words):
    tally = Tally()
    for record in records:
        tally.add(record)
    found, message = level_and_message(tally.report(), state)
    assert found == level and words in message
    assert key_values(tally.report(), state)["requests"] == len(records)


def test_log_lines_can_be_read_by_programs():
    line = log_line(
        "health", level="OK", text='a "b"\nc', rate=1.23456789, none=None, bad=math.nan
    )
    assert line == 'event=health level=OK text="a \\"b\\"\\nc" rate=1.23457'
    assert log_line("x", empty="") == 'event=x empty=""'


def test_without_diagnostic_msgs_the_log_has_the_values(ros, monkeypatch):
    """A node without that package prints one hint, then the same values."""
    from generative_ik_ros.ros import diagnostics as module

    monkeypatch.setattr(module, "DiagnosticArray", None)
    monkeypatch.setattr(module, "PACE", replace(module.PACE, log_every=1))
    node = rclpy.create_node("no_diagnostics", start_parameter_services=False)
    lines = []
    log = node.create_subscription(Log, "/rosout", lambda m: lines.append(m.msg), ROSOUT)
    try:
        node.get_logger().set_level(LoggingSeverity.DEBUG)
        diagnostics = Diagnostics(node, lambda: NodeState("arm", "auto"))
        diagnostics.take(Response(status=Response.INVALID_REQUEST, message="no such thing"))
        for _ in range(60):
            rclpy.spin_once(node, timeout_sec=0.1)
            if any("event=health" in line for line in lines):
                break
    finally:
        node.destroy_subscription(log)
        node.destroy_node()
    (line,) = [line for line in lines if "event=health" in line]
    assert "robot=arm" in line and 'last_refused="no such thing"' in line
    assert "event=answer outcome=refused" in "\n".join(lines)
    assert any("diagnostic_msgs is not installed" in line for line in lines)
