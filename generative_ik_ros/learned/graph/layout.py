"""The kinds of an arm's joints in, which points its graph has and which link carries each out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

BASE, JOINT, END = 0, 1, 2
"""Classes of nodes (T-RO, section III-C): base frame, joint or link, end-effector."""

BASE_FRAME = (0, 2, 3, 1)
"""Where the base points o, x, y and z stand among the nodes of every layout."""


@dataclass(frozen=True)
class Layout:
    """The nodes of a graph, from base to end.

    Link l stands between joint l - 1 and joint l; link 0 is the base, link m carries the tip.

    - Every turning joint has two points on its axis, a spacing apart. They belong to the links
      on both sides, for turning does not move them.
    - A sliding joint has two such pairs on its line, one in the link before it and one in the
      link after it; the distance between the pairs is its position.
    - The first joint's first pair are the points o and z of the base frame; x and y make it a
      frame.
    - The last link has a point off the last axis, so that the last joint's angle shows. A link
      whose next points all lie on its own joint's axis (two joints on one line) has one as well.

    Attributes:
        joint: (N,) the joint whose axis, or after whose axis, a point stands; -1 for x and y.
        along: (N,) 1 for the second point of a pair, else 0.
        aside: (N,) whether it stands off the axis.
        first_link: (N,) first link that carries it.
        last_link: (N,) last link that carries it.
        num_joints: Number m of joints.
    """

    joint: NDArray[np.int64]
    along: NDArray[np.int64]
    aside: NDArray[np.bool_]
    first_link: NDArray[np.int64]
    last_link: NDArray[np.int64]
    num_joints: int

    @classmethod
    def of(cls, prismatic: tuple[bool, ...], on_one_line: tuple[bool, ...]) -> "Layout":
        """Lay out the nodes.

        Args:
            prismatic: Whether joint j slides, one a joint.
            on_one_line: Whether joint j + 1's points all lie on joint j's axis, one a joint;
                that of the last joint does not matter.
        """
        count = len(prismatic)
        rows = []  # joint, along, aside, first link, last link
        for j, slides in enumerate(prismatic):
            spans = [(j, j), (j + 1, j + 1)] if slides else [(j, j + 1)]
            pairs = [(j, along, 0, *span) for span in spans for along in (0, 1)]
            if j == 0:
                pairs[2:2] = [(-1, 0, 1, 0, 0), (-1, 1, 1, 0, 0)]
            rows += pairs
            if j + 1 == count or (not slides and on_one_line[j]):
                rows.append((j, 0, 1, j + 1, j + 1))
        joint, along, aside, first, last = np.array(rows).T
        return cls(joint, along, aside.astype(bool), first, last, count)

    @property
    def num_nodes(self) -> int:
        """Number N of nodes."""
        return len(self.joint)

    @cached_property
    def structure(self) -> NDArray[np.bool_]:
        """(N, N) pairs that a link keeps apart: the edges of the structure graph."""
        first = np.maximum(self.first_link[:, None], self.first_link)
        last = np.minimum(self.last_link[:, None], self.last_link)
        return (first <= last) & ~np.eye(self.num_nodes, dtype=bool)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """(N,) nodes that base and target place: those of the first and of the last link."""
        return (self.first_link == 0) | (self.last_link == self.num_joints)

    @cached_property
    def known_edges(self) -> NDArray[np.bool_]:
        """(N, N) pairs of known distance: structure, base and goal edges."""
        placed = self.known[:, None] & self.known & ~np.eye(self.num_nodes, dtype=bool)
        return self.structure | placed

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """(N,) BASE, JOINT or END."""
        classes = np.where(self.last_link == self.num_joints, END, JOINT)
        return np.where(self.first_link == 0, BASE, classes)

    def moved_by(self, joint: int) -> NDArray[np.int64]:
        """Return the nodes that joint j moves and the joint before it does not look at."""
        return np.flatnonzero(self.first_link == joint + 1)
