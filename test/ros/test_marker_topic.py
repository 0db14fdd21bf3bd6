"""A topic of markers, without the node around it."""

import threading
import time
from types import SimpleNamespace as Stub

from visualization_msgs.msg import MarkerArray

from generative_ik_ros.ros.topics import MarkerTopic


def test_what_is_drawn_while_the_robot_changes_is_not_shown_after(ros):
    """A picture of the robot before would stay until there is another one."""
    published, drawing = [], threading.Event()
    out = Stub(get_subscription_count=lambda: 1, publish=published.append)
    node = Stub(
        create_publisher=lambda *_: out,
        create_timer=lambda period, tick, *_: ticks.append(tick),
    )

    class Drawn(MarkerTopic):
        def _next(self):
            return "base", self._draw

        def _draw(self):
            drawing.set()
            time.sleep(0.2)
            return MarkerArray()

    ticks = []
    topic = Drawn(node, "markers", 10.0)
    thread = threading.Thread(target=ticks[0])
    thread.start()
    assert drawing.wait(20.0)
    topic.clear("base")
    thread.join(20.0)
    assert [len(message.markers) for message in published] == [0, 1]
