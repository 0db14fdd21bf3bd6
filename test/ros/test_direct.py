"""Services with their own threads: no request waits longer than necessary."""

import threading
import time
from types import SimpleNamespace

import pytest
import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile

from generative_ik_ros.ros import direct
from generative_ik_ros.ros.direct import DirectService, Handler
from generative_ik_ros.ros.scheduler import Scheduler

TIMEOUT = 5.0
ECHO = Handler(
    answer=lambda request, response, deadline: response,
    decline=lambda request, response, why: response,
    timeout=lambda request: TIMEOUT,
)


class SlowToFinish(Scheduler):
    """Delays between the end of a request and the return of its thread."""

    def __init__(self):
        super().__init__(max_running=1)
        self.finished, self.may_return = threading.Event(), threading.Event()

    def finish(self, job):
        following = super().finish(job)
        self.finished.set()
        self.may_return.wait(TIMEOUT)
        return following


@pytest.fixture
def ros():
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node("direct", context=context, start_parameter_services=False)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    yield node, executor
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_a_request_that_arrives_while_the_last_thread_returns_is_not_left_waiting(ros):
    node, executor = ros
    scheduler = SlowToFinish()
    service = DirectService(node, GetParameters, "slow_to_leave", ECHO, scheduler)
    threads = service.start(1)
    client = node.create_client(GetParameters, "slow_to_leave")
    assert client.wait_for_service(10.0)

    def ask():
        return client.call_async(GetParameters.Request())

    first = ask()
    executor.spin_until_future_complete(first, 10.0)
    assert scheduler.finished.wait(10.0)
    start, second = time.perf_counter(), ask()
    # The leader finds no idle thread and queues the request.
    while not scheduler.has_waiting():
        assert time.perf_counter() - start < TIMEOUT
        time.sleep(0.001)
    time.sleep(0.1)
    scheduler.may_return.set()
    executor.spin_until_future_complete(second, 2.0 * TIMEOUT)
    assert time.perf_counter() - start < 0.5 * TIMEOUT
    service.stop()
    for thread in threads:
        thread.join(10.0)
        assert not thread.is_alive()


@pytest.mark.parametrize("missing", ["WaitSet", "GuardCondition"])
def test_where_the_internals_of_rclpy_differ_the_executor_serves(ros, monkeypatch, missing):
    node, executor = ros
    known = {"WaitSet": direct.rclpy_implementation.WaitSet,
             "GuardCondition": direct.rclpy_implementation.GuardCondition}  # fmt: skip
    del known[missing]
    monkeypatch.setattr(direct, "rclpy_implementation", SimpleNamespace(**known))
    service = DirectService(node, GetParameters, "plain", ECHO, Scheduler())
    assert service.start(2) == []
    client = node.create_client(GetParameters, "plain")
    assert client.wait_for_service(10.0)
    answer = client.call_async(GetParameters.Request())
    executor.spin_until_future_complete(answer, 10.0)
    assert answer.done()
    service.stop()


def test_a_flood_is_declined_and_an_urgent_request_is_still_answered(ros):
    node, executor = ros
    free = threading.Event()
    held = []

    def answer(request, response, deadline):
        free.wait(TIMEOUT)
        return response

    def decline(request, response, why):
        held.append(why)
        return response

    handler = Handler(
        answer,
        decline,
        timeout=lambda request: float(request.names[0]),
        size=lambda request: len(request.names),
    )
    service = DirectService(
        node, GetParameters, "flooded", handler, Scheduler(1, max_waiting=2000)
    )
    threads = service.start(1)
    client = node.create_client(GetParameters, "flooded", qos_profile=QoSProfile(depth=1000))
    assert client.wait_for_service(10.0)
    flood = [client.call_async(GetParameters.Request(names=["60"] * 100)) for _ in range(50)]
    end = time.perf_counter() + TIMEOUT
    while len(held) < 39 and time.perf_counter() < end:
        executor.spin_once(0.1)
    # One request runs, ten wait.
    assert len(held) == 39 and all("busy" in why for why in held)
    urgent = client.call_async(GetParameters.Request(names=["30"]))
    while len(held) < 40 and time.perf_counter() < end:
        executor.spin_once(0.1)
    free.set()
    executor.spin_until_future_complete(urgent, 10.0)
    for one in flood:
        executor.spin_until_future_complete(one, 10.0)
    assert urgent.done() and all(one.done() for one in flood)
    assert len(held) == 40
    service.stop()
    for thread in threads:
        thread.join(10.0)
        assert not thread.is_alive()
