"""What RViz shows after a row of marker arrays: markers by namespace and number."""

from visualization_msgs.msg import Marker


class Display:
    """Keeps markers as RViz does: added, changed, deleted one by one or all at once."""

    def __init__(self):
        self.markers = {}

    def take(self, message):
        assert len({(m.ns, m.id) for m in message.markers}) == len(message.markers)
        for marker in message.markers:
            if marker.action == Marker.DELETEALL:
                self.markers.clear()
            elif marker.action == Marker.DELETE:
                self.markers.pop((marker.ns, marker.id), None)
            else:
                assert marker.action == Marker.ADD
                self.markers[marker.ns, marker.id] = marker
        return self

    def of(self, namespace):
        """The markers of the namespaces that begin so, by namespace."""
        found = {}
        for (name, _), marker in sorted(self.markers.items()):
            if name.startswith(namespace):
                found.setdefault(name, []).append(marker)
        return found


def shown(message):
    """What one picture shows by itself."""
    return Display().take(message)
