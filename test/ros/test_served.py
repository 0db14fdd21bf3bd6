"""The robot that requests see, without the node around it."""

import threading
import time
from types import SimpleNamespace as Stub

from bad_urdfs import GOOD_URDF

from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.served import Served


def test_the_robot_that_is_shown_last_is_the_one_that_is_served():
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

    logger = Stub(info=lambda _: None, warning=lambda _: None)
    node, settings = Stub(get_logger=lambda: logger), Settings(robot_description=GOOD_URDF)
    served = Served(node, settings, build_groups, lambda *_: None, show)
    served.start()
    assert groups_built.wait(20.0)
    time.sleep(0.2)
    may_end.set()
    end = time.monotonic() + 20.0
    while len(shown) < 2:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert shown == ["good", "newer"]
    assert served.robot().description.name == "newer"
