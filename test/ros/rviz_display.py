"""The markers that RViz shows after a sequence of marker arrays."""

from visualization_msgs.msg import Marker


class Display:
    """Adds, modifies and deletes markers as RViz does."""

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
        """Return the markers of all namespaces with a prefix, by namespace."""
        found = {}
        for (name, _), marker in sorted(self.markers.items()):
            if name.startswith(namespace):
                found.setdefault(name, []).append(marker)
        return found


def arms(message):
    """Return all parts of each arm by namespace; the first arm has those that are shared."""
    found = shown(message).of("solution_")
    for parts in found.values():
        ids = {part.id for part in parts}
        first = next(iter(found.values()))
        parts += [part for part in first if part.id not in ids and part.color.a == 1.0]
        parts.sort(key=lambda part: part.id)
    return found


def shown(message):
    """Return the markers of a single message."""
    return Display().take(message)
