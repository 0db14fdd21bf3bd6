"""The nodes of an arm's distance-geometric graph, and which links carry each of them."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.array_types import Bools, Ints


class NodeClass(IntEnum):
    """Classes of nodes (T-RO, section III-C)."""

    BASE = 0
    """Base frame."""
    JOINT = 1
    """Joint or link."""
    END = 2
    """End-effector."""


NODE = np.dtype(
    [
        ("joint", np.int64),
        ("second", np.int64),
        ("off_axis", np.bool_),
        ("first_link", np.int64),
        ("last_link", np.int64),
    ],
    align=True,
)
"""A node: the joint on whose axis, or after whose axis, its point is (-1 for x and y); whether it
is the second point of a pair (or y); whether it is off the axis; the links that carry it."""

BASE_FRAME = (0, 2, 3, 1)
"""Where the base points o, x, y and z stand among the nodes of every layout."""


@dataclass(frozen=True)
class Layout:
    """The nodes of a graph, from base to end.

    Link l stands between joint l - 1 and joint l; link 0 is the base, link m carries the tip.

    - Every revolute joint has two points on its axis, a spacing apart. The links on both sides
      carry them, since the rotation does not move them.
    - A prismatic joint has two such pairs on its line, one carried by the link before it and one
      by the link after it; the distance between the pairs is its position.
    - The first joint's first pair are the points o and z of the base frame; x and y make it a
      frame.
    - The last link has a point off the last axis, which shows the last joint's angle. A link
      between two coaxial joints, whose other points are all on that line, has one as well.

    Attributes:
        nodes: (N,) records of `NODE`.
        num_joints: Number m of joints.
    """

    nodes: NDArray[np.void]
    num_joints: int

    @classmethod
    def of(cls, prismatic: tuple[bool, ...], coaxial: tuple[bool, ...] = ()) -> "Layout":
        """Lay out the nodes.

        Args:
            prismatic: Whether joint j is prismatic, one a joint.
            coaxial: Whether joint j + 1's points are all on joint j's axis, one a joint (that of
                the last joint is not read); empty for none.
        """
        count = len(prismatic)
        rows = []
        for j, slides in enumerate(prismatic):
            spans = [(j, j), (j + 1, j + 1)] if slides else [(j, j + 1)]
            pairs = [(j, second, 0, *span) for span in spans for second in (0, 1)]
            if j == 0:
                pairs[2:2] = [(-1, 0, 1, 0, 0), (-1, 1, 1, 0, 0)]
            rows += pairs
            if j + 1 == count or (coaxial and coaxial[j] and not slides):
                rows.append((j, 0, 1, j + 1, j + 1))
        return cls(np.array(rows, NODE), count)

    @property
    def num_nodes(self) -> int:
        """Number N of nodes."""
        return len(self.nodes)

    @cached_property
    def structure(self) -> Bools:
        """(N, N) pairs that one link carries: the edges of the structure graph."""
        first = np.maximum.outer(self.nodes["first_link"], self.nodes["first_link"])
        last = np.minimum.outer(self.nodes["last_link"], self.nodes["last_link"])
        return (first <= last) & ~np.eye(self.num_nodes, dtype=bool)

    @cached_property
    def known(self) -> Bools:
        """(N,) nodes that base and target place: those of the first and of the last link."""
        return (self.nodes["first_link"] == 0) | (self.nodes["last_link"] == self.num_joints)

    @cached_property
    def known_edges(self) -> Bools:
        """(N, N) pairs of known distance: structure, base and goal edges."""
        placed = self.known[:, None] & self.known & ~np.eye(self.num_nodes, dtype=bool)
        return self.structure | placed

    @cached_property
    def classes(self) -> Ints:
        """(N,) a `NodeClass` each."""
        at_end = self.nodes["last_link"] == self.num_joints
        classes = np.where(at_end, NodeClass.END, NodeClass.JOINT)
        return np.where(self.nodes["first_link"] == 0, NodeClass.BASE, classes)
