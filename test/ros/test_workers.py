"""The threads that run a node's callbacks."""

import subprocess
import sys
import time

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.waitable import NumberOfEntities, Waitable
from std_msgs.msg import String

from generative_ik_ros.ros.workers import Stop, Workers


class Recorder:
    """A logger that keeps errors."""

    def __init__(self):
        self.errors = []

    def error(self, text):
        self.errors.append(text)


@pytest.fixture
def node(ros):
    node = Node("worked")
    yield node
    node.destroy_node()


@pytest.fixture
def recorder(node, monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(node, "get_logger", lambda: recorder)
    return recorder


@pytest.fixture
def work(node, recorder):
    """Run the node's callbacks on three threads until the test ends."""
    stop = Stop()
    workers = Workers(node, stop)
    workers.start(3)
    yield
    stop.set()
    assert workers.join(20.0)
    workers.executor.shutdown()


def wait_for(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def hasty_switches():
    """Let threads take turns so often that each meets the other at any place."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(2e-6)
    yield
    sys.setswitchinterval(interval)


def test_subscriptions_and_publishers_may_go_while_threads_wait(
    node, recorder, hasty_switches, work
):
    """rclpy raised InvalidHandle where one was destroyed as a thread began to wait for it."""
    ticks = []
    node.create_timer(0.001, lambda: ticks.append(None))
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        subscription = node.create_subscription(String, "words", lambda _: None, 1)
        publisher = node.create_publisher(String, "words", 1)
        time.sleep(0.0003)
        node.destroy_subscription(subscription)
        node.destroy_publisher(publisher)
    assert not recorder.errors
    before = len(ticks)
    wait_for(lambda: len(ticks) > before + 3)


class Gone(Waitable):
    """An event whose publisher is destroyed when it is about to be taken."""

    def __init__(self, node, group):
        super().__init__(group)
        self._node = node

    __enter__ = __exit__ = add_to_wait_set = lambda *_: None

    def get_num_entities(self):
        return NumberOfEntities()

    def is_ready(self, wait_set):
        return True

    def take_data(self):
        self._node.remove_waitable(self)
        raise InvalidHandle("gone")


def test_an_event_that_is_gone_leaves_its_group_to_others(node, recorder, work):
    """No callback of the group was called any more, and the threads did not end."""
    ticks, group = [], MutuallyExclusiveCallbackGroup()
    node.create_timer(0.001, lambda: ticks.append(None), callback_group=group)
    gone = Gone(node, group)
    node.add_waitable(gone)
    wait_for(lambda: gone not in node.waitables)
    before = len(ticks)
    wait_for(lambda: len(ticks) > before + 3)
    assert not recorder.errors


def test_a_callback_that_fails_is_told_and_the_others_go_on(node, recorder, work):
    ticks = []

    def fail():
        ticks.append(None)
        raise ValueError("a callback's own")

    node.create_timer(0.001, fail)
    wait_for(lambda: len(ticks) > 5)
    assert "callback failed" in recorder.errors[0]
    assert "ValueError: a callback's own" in recorder.errors[0]


def test_no_signal_is_lost_while_the_main_thread_begins_to_wait():
    """An event's `set` waited for what it had interrupted, or was not called at all."""
    code = (
        "import signal\n"
        "from generative_ik_ros.ros.workers import Stop\n"
        "stop = Stop()\n"
        "stop.on_signals(signal.SIGALRM)\n"
        "for number in range(5000):\n"
        "    signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + number % 60))\n"
        "    stop.wait()\n"
        "assert stop.is_set()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60.0)
