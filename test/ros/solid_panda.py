"""A Panda with collision geometry, scenes for it, and what collides there by coal alone."""

import re
from copy import copy

import numpy as np

from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.tree import link_transforms

LINKS = [f"panda_link{k}" for k in range(9)]
HAND = ["panda_hand", "panda_leftfinger", "panda_rightfinger"]


def solid(urdf):
    """Return a URDF in which every link collides as it looks."""
    return re.sub(
        r"<visual>(.*?)</visual>",
        lambda found: (
            found[0] + "<collision>" + re.sub(r"<material[^>]*/>", "", found[1]) + "</collision>"
        ),
        urdf,
        flags=re.DOTALL,
    )


def _near():
    """Pairs of links within two joints of each other, and those of the hand."""
    row = [*LINKS[:8], "panda_hand"]
    pairs = [(row[i], row[j]) for i in range(9) for j in range(i + 1, min(i + 3, 9))]
    fingers = [("panda_hand", one) for one in HAND[1:]] + [tuple(HAND[1:])]
    return [*pairs, *fingers, *((one, far) for one in HAND[1:] for far in LINKS[6:8])]


DISABLED = {frozenset(pair) for pair in _near()}
SRDF = (
    '<robot name="panda">'
    '<group name="panda_arm"><chain base_link="panda_link0" tip_link="panda_link8"/></group>'
    + "".join(f'<disable_collisions link1="{a}" link2="{b}"/>' for a, b in map(sorted, DISABLED))
    + "</robot>"
)


def boxes_file(path, **boxes):
    """Write a scene of boxes, each (size, position), as a MoveIt planning scene."""
    lines = ["world:", "  collision_objects:"]
    for name, (size, position) in boxes.items():
        lines += [
            f"    - id: {name}",
            "      header: {frame_id: panda_link0}",
            "      primitives:",
            f"        - {{type: box, dimensions: {list(size)}}}",
            "      primitive_poses:",
            f"        - {{position: {list(position)}, orientation: [0, 0, 0, 1]}}",
        ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


class Truth:
    """Collisions of a robot among boxes, by coal and the URDF's shapes, without our checks."""

    def __init__(self, urdf, boxes=None, disabled=frozenset()):
        import coal

        self._coal = coal
        self._robot = RobotDescription.from_urdf(urdf)
        self._shapes = [
            (link, self._geometry(shape), shape.shape_in_link)
            for link, shapes in self._robot.collisions.items()
            for shape in shapes
        ]
        self._boxes = {
            name: (coal.Box(*size), coal.Transform3s(np.eye(3), np.array(position, float)))
            for name, (size, position) in (boxes or {}).items()
        }
        self._disabled, self._self = disabled, True

    def without_self(self):
        """Return the same, blind to collisions of the robot with itself."""
        other = copy(self)
        other._self = False
        return other

    def _geometry(self, shape):
        kind, size = shape.shape, shape.size
        if kind == "box":
            return self._coal.Box(*size)
        if kind == "sphere":
            return self._coal.Sphere(size[0])
        assert kind == "cylinder", kind
        return self._coal.Cylinder(size[0], size[1])

    def pairs(self, joints, margin=0.0):
        """Names of what is closer than a margin with joints (by name) somewhere."""
        frames = link_transforms(self._robot, joints, self._robot.root)
        placed = [
            (link, shape, self._transform(frames[link][0] @ pose))
            for link, shape, pose in self._shapes
        ]
        found = set()
        for i, (link, shape, pose) in enumerate(placed):
            for name, (box, at) in self._boxes.items():
                if self._distance(shape, pose, box, at) < margin:
                    found.add((link, name))
            for other, other_shape, other_pose in placed[:i] if self._self else ():
                allowed = link == other or frozenset((link, other)) in self._disabled
                if not allowed and self._distance(shape, pose, other_shape, other_pose) < 0.0:
                    found.add((other, link))
        # What is fixed to each other and to the world does not count.
        return {pair for pair in found if pair[0] != "panda_link0" or pair[1] in HAND + LINKS}

    def of_reply(self, names, response, margin=0.0, **others):
        """Return the pairs of each configuration of a reply, with other joints somewhere."""
        rows = np.reshape(response.positions, (-1, len(names)))
        return [self.pairs({**dict(zip(names, q, strict=True)), **others}, margin) for q in rows]

    def _transform(self, pose):
        return self._coal.Transform3s(pose[:3, :3], pose[:3, 3])

    def _distance(self, a, at_a, b, at_b):
        result = self._coal.DistanceResult()
        self._coal.distance(a, at_a, b, at_b, self._coal.DistanceRequest(), result)
        return result.min_distance
