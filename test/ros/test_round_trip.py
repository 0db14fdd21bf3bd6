"""Overhead of the ROS service."""

import os
import time

import numpy as np
import pytest
import rclpy
from ik_client import pose_rows, request, sweep
from rclpy.executors import SingleThreadedExecutor

from generative_ik_ros.srv import GetIKPath, GetIKSolutions


@pytest.fixture
def ask_directly(ros):
    """Create functions that call a node without another thread."""
    executor = SingleThreadedExecutor()
    node = rclpy.create_node("asker", start_parameter_services=False)
    executor.add_node(node)

    def make(process, service="get_ik_solutions", kind=GetIKSolutions):
        name = f"{process.namespace}/generative_ik/{service}"
        client = node.create_client(kind, name)

        def ask(message):
            future = client.call_async(message)
            while not future.done():
                executor.spin_once(5.0)
            return future.result()

        return ask

    yield make
    executor.shutdown()
    node.destroy_node()


@pytest.fixture(scope="module")
def nodes(panda_node, start_node, client_of):
    """The node, and services that only sleep, the lower bound on a busy machine."""
    nodes = panda_node, start_node(module="bare_server")
    for node in nodes:
        client_of(node)
    return nodes


def compare(asks, message, calls, allowed, above_floor):
    """Fail if the node's round trips take longer beside solving than is allowed."""

    def overhead(ask):
        start = time.perf_counter()
        response = ask(message)
        return time.perf_counter() - start - response.solve_time, response.solve_time

    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        # Whatever else the machine does only adds to the least.
        figures = [np.min([overhead(ask) for _ in range(calls)], axis=0) for ask in asks]
        (extra, solving), (floor, _) = figures
        print(
            f"round trip {1e3 * (extra + solving):.2f} ms, solving {1e3 * solving:.2f} ms, "
            f"extra {1e3 * extra:.2f} ms, a bare service {1e3 * floor:.2f} ms, "
            f"load {os.getloadavg()[0]:.1f}"
        )
        if extra <= max(allowed, floor + above_floor):
            break
    else:
        pytest.fail("the overhead is too large in all attempts; see the figures")


def test_a_round_trip_costs_at_most_a_millisecond_more_than_solving(panda, nodes, ask_directly):
    target = panda.forward((panda.lower + panda.upper) / 2.0)
    message = request(target[None], num_solutions=100)
    compare([ask_directly(node) for node in nodes], message, 50, 0.001, 0.0005)


def test_a_path_through_300_poses_costs_at_most_3_ms_more(panda, nodes, ask_directly):
    """In flat arrays; rclpy alone takes longer for a message for each pose and point."""
    message = GetIKPath.Request(timeout=30.0, flat_reply=True)
    message.poses = pose_rows(panda.forward(sweep(300)))
    asks = [ask_directly(node, "get_ik_path", GetIKPath) for node in nodes]
    response = asks[0](message)
    assert response.status == response.SOLVED and len(response.pose_points) == 300
    compare(asks, message, 20, 0.003, 0.001)
