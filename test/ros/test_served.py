"""The robot that requests see, without the node around it."""

import threading
import time
from types import SimpleNamespace as Stub

import pytest
from bad_urdfs import GOOD_URDF

from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.served import Served


@pytest.fixture
def node():
    logger = Stub(info=lambda _: None, warning=lambda _: None)
    return Stub(get_logger=lambda: logger)


def wait_for(condition):
    end = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_request_sees_a_robot_with_its_own_settings(node):
    """It may ask just as another robot is taken over."""
    asked, shown = threading.Event(), threading.Semaphore(0)

    class Slow(Served):
        def robot(self):
            robot = super().robot()
            asked.set()
            shown.acquire(timeout=0.3)
            return robot

    def build_groups(_, settings):
        if settings.tip_link:
            asked.wait(20.0)

    settings = Settings(robot_description=GOOD_URDF)
    served = Slow(node, settings, build_groups, lambda *_: None, lambda *_: shown.release())
    served.start()
    assert shown.acquire(timeout=20.0)
    served.change({"tip_link": "wrist"})
    robot, settings = served.current()
    assert robot.chain().tip_link == (settings.tip_link or "tip")
    wait_for(lambda: served.current()[1].tip_link)
    assert served.current()[0].chain().tip_link == "wrist"


def test_the_robot_that_is_shown_last_is_the_one_that_is_served(node):
    """A newer one may be ready while the one before is being shown."""
    newer = GOOD_URDF.replace("good", "newer")
    groups_built, may_end, shown = threading.Event(), threading.Event(), []

    def build_groups(robot, _):
        if robot.description.name == "newer":
            groups_built.set()

    def show(robot, *_):
        if robot.description.name == "good":
            served.describe(newer)
            may_end.wait(20.0)
        shown.append(robot.description.name)

    settings = Settings(robot_description=GOOD_URDF)
    served = Served(node, settings, build_groups, lambda *_: None, show)
    served.start()
    assert groups_built.wait(20.0)
    time.sleep(0.2)
    may_end.set()
    wait_for(lambda: len(shown) == 2)
    assert shown == ["good", "newer"]
    assert served.robot().description.name == "newer"
