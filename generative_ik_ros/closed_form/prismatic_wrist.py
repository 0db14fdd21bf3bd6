"""Arms with prismatic joints among the three before a spherical wrist (mirrored: behind it).

How the core solves each order of joints is said in `core/src/closed_form/prismatic_wrist.hpp`.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.closed_form.axes import AxesAtZero
from generative_ik_ros.closed_form.spherical_wrist import arc_of
from generative_ik_ros.robot.rigid import turn as rigid_turn

ANGLE_FIRST, SLIDE_BY_HEIGHT, SLIDE_BY_DISTANCE, BOTH = range(4)
"""What follows first of a slide and a turn beside joint 2: the angle from the height, the line
being at right angles to the axis; the slide from the height, the circle being parallel to it; the
slide from the distance, as the axes of both turns intersect; or both from a quartic."""
_PRR, _RPR, _PPR, _RRP, _PRP, _RPP, _PPP = range(1, 8)
"""Orders of joints: 1, 2 and 4 are added for joints 1, 2 and 3 where these are prismatic."""
_OF_SECOND, _OF_FIRST = 0, 1
"""Of the order RPR: the row that has one angle only, and which; else `BOTH`."""
_SINGULAR = 1e-6
"""Volume of the directions in which three joints move the wrist that is none [shares]."""


def prismatic_form(lines: AxesAtZero):  # noqa: ANN201 (what `six_joints` takes apart)
    """Recognise a spherical wrist after three joints, some of them prismatic, that can place it.

    Returns:
        Name, the family, the lines as they are moved, and own vectors; None if it is another arm.
    """
    sliding = lines.prismatic
    if sliding[3:].any() or lines.parallel(3, 4) or lines.parallel(4, 5):
        return None
    if not lines.meet(3, 4, 5) or not _can_place(lines):
        return None
    order, which = int(sliding[:3] @ (1, 2, 4)), BOTH
    lines = lines.met(3, 4, 5)
    if order in (_PRR, _RRP):
        lines, which = _around_joint_2(lines, *((0, 2) if order == _PRR else (2, 0)))
    elif order == _RPR and lines.perpendicular(1, 0):
        lines, which = lines.squared(1, 0), _OF_SECOND
    elif order == _RPR and lines.perpendicular(1, 2):
        lines, which = lines.squared(1, 2), _OF_FIRST
    points, rows = lines.points / lines.length, _rows(lines.axes, order, which)
    layout = [order, which, np.abs(rows).sum(axis=1).max()]
    bend = arc_of(*lines.axes[3:])
    own = np.array([layout, *points[:3], points[5], bend, *rows])
    places = ["{" + str(joint) + "}" for joint in np.flatnonzero(sliding)]
    some = "s" if len(places) > 1 else ""
    name = "spherical wrist of joints {3}, {4} and {5}, joint"
    name += f"{some} {' and '.join(places[:2])} prismatic"
    if len(places) == 3:
        name = name.replace(" and {1}", ", {1} and {2}")
    return name, "prismatic_wrist", lines, own


def _around_joint_2(lines: AxesAtZero, slide: int, circle: int) -> tuple[AxesAtZero, int]:
    """Return what follows first and the lines moved for it."""
    if lines.perpendicular(slide, 1):
        return lines.squared(slide, 1), ANGLE_FIRST
    if lines.parallel(circle, 1):
        return lines.aligned(circle, 1), SLIDE_BY_HEIGHT
    if lines.meet(circle, 1):
        return lines.met(circle, 1), SLIDE_BY_DISTANCE
    return lines, BOTH


def _rows(axes: NDArray[np.float64], order: int, which: int) -> NDArray[np.float64]:
    """Return what scalar products tell of a point (3, 3).

    Slides of two or three prismatic joints and the distance from their plane; of joints in the
    order RPR the places across the slide, the row with one angle first, and the slide.
    """
    if order in (_PPR, _RPP, _PPP):
        some = {_PPR: (0, 1), _RPP: (1, 2), _PPP: (0, 1, 2)}[order]
        columns = [axes[joint] for joint in some]
        if len(columns) == 2:
            normal = np.cross(columns[0], columns[1])
            columns.append(normal / np.linalg.norm(normal))
        return np.linalg.inv(np.column_stack(columns)).astype(np.float64)
    if order == _RPR:
        aside = np.cross(axes[1], np.eye(3)[np.abs(axes[1]).argmin()])
        if which != BOTH:
            aside = axes[0 if which == _OF_SECOND else 2]
        aside = aside / np.linalg.norm(aside)
        return np.array([aside, np.cross(axes[1], aside), axes[1]])
    return np.zeros((3, 3))


def _can_place(lines: AxesAtZero) -> bool:
    """Return whether joints 1 to 3 move the wrist in all directions, in some configuration."""
    wrist, _ = lines.meeting(3, 4, 5)
    for q in np.random.default_rng(0).uniform(-1.0, 1.0, (8, 3)):
        place, ways = wrist / lines.length, np.empty((3, 0))
        for joint in (2, 1, 0):
            axis, point = lines.axes[joint], lines.points[joint] / lines.length
            if lines.prismatic[joint]:
                place, way = place + q[joint] * axis, axis
            else:
                rotation = rigid_turn(axis, np.pi * q[joint])[:3, :3]
                place, ways = point + rotation @ (place - point), rotation @ ways
                way = np.cross(axis, place - point)
            ways = np.column_stack([way, ways])
        if abs(np.linalg.det(ways)) > _SINGULAR:
            return True
    return False
