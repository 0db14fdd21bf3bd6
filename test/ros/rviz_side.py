"""RViz's part of the protocol of interactive markers."""

import threading

from visualization_msgs.msg import InteractiveMarkerFeedback, InteractiveMarkerUpdate
from visualization_msgs.srv import GetInteractiveMarkers

TOPICS = "generative_ik/target"


class RVizSide:
    """Requests the markers, receives updates, and sends feedback."""

    def __init__(self, client):
        self._client = client
        self._updates = []
        self._news = threading.Condition()
        node = client.node
        node.create_subscription(InteractiveMarkerUpdate, f"{TOPICS}/update", self._take, 100)
        self._feedback = node.create_publisher(InteractiveMarkerFeedback, f"{TOPICS}/feedback", 10)
        client._when(lambda: self._feedback.get_subscription_count() > 0)
        client._when(lambda: node.count_publishers(f"{node.get_namespace()}/{TOPICS}/update"))
        self._service = node.create_client(
            GetInteractiveMarkers, f"{TOPICS}/get_interactive_markers"
        )
        assert self._service.wait_for_service(30.0)

    def fetch(self):
        answer = self._service.call(GetInteractiveMarkers.Request(), 30.0)
        assert answer is not None
        return answer

    def drag(self, pose, event=InteractiveMarkerFeedback.POSE_UPDATE, name="target"):
        self._feedback.publish(
            InteractiveMarkerFeedback(
                client_id="rviz", marker_name=name, event_type=event, pose=pose
            )
        )

    def update(self):
        with self._news:
            assert self._news.wait_for(lambda: self._updates, 10.0), "no update"
            return self._updates.pop(0)

    def _take(self, update):
        with self._news:
            self._updates.append(update)
            self._news.notify_all()
