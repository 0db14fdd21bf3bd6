"""The types of joints that close loops of links, and what holds at each."""

import math

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.elements import Loop
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.rigid import TURN, rotation_to
from generative_ik_ros.robot.xml_values import frozen

LOOP_TYPES = "ball", "revolute", "continuous", "prismatic", "fixed"
_Z = 2, 5
"""The coordinates of a region that slide along z and turn about z."""


def loop_of(
    kind: str,
    name: str,
    links: tuple[str, str],
    frames: tuple[Floats, Floats],
    axis: Floats | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Loop:
    """Return the loop that a joint closes.

    Args:
        kind: One of `LOOP_TYPES`.
        name: The joint's name.
        links: The two links that it joins.
        frames: (4, 4) the joint's frame in each of them [m]; they coincide at position zero.
        axis: (3,) unit axis in these frames; None: z.
        limits: Least and greatest position [rad or m].
    """
    if axis is not None and axis[2] < 1.0:
        turned = np.eye(4)
        turned[:3, :3] = rotation_to(axis)
        frames = frames[0] @ turned, frames[1] @ turned
    lower, upper = np.zeros(6), np.zeros(6)
    if kind == "ball":
        upper[3:] = math.pi
        lower = 0.0 - upper
    elif kind == "prismatic":
        lower[_Z[0]], upper[_Z[0]] = limits
    elif kind != "fixed":
        # A region knows angles but for full turns.
        free = not limits[1] - limits[0] < TURN
        lower[_Z[1]], upper[_Z[1]] = (-math.pi, math.pi) if free else _in_a_turn(*limits)
    return Loop(name, links, (frozen(frames[0]), frozen(frames[1])), TaskSpaceRegion(lower, upper))


def _in_a_turn(lower: float, upper: float) -> tuple[float, float]:
    """Return bounds of an angle, shifted by full turns so that they are near zero [rad]."""
    turns = TURN * np.rint((lower + upper) / 2.0 / TURN)
    return lower - turns, upper - turns


class Spanning:
    """A tree that grows joint by joint, and so tells which joints close loops."""

    def __init__(self) -> None:
        """Begin with no joints."""
        self._above: dict[str, str] = {}
        self._same: dict[str, str] = {}

    def takes(self, parent: str, child: str) -> bool:
        """Add a joint, unless its links are joined already or its child has another parent."""
        roots = self._part_of(parent), self._part_of(child)
        if child in self._above or roots[0] == roots[1]:
            return False
        self._above[child], self._same[roots[1]] = parent, roots[0]
        return True

    def _part_of(self, link: str) -> str:
        while link in self._same:
            link = self._same[link]
        return link
