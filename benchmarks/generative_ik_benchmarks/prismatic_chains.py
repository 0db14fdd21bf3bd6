"""Arms with prismatic joints, of common measures: on a rail or a lift, a gantry, and others."""

from collections.abc import Sequence
from typing import NamedTuple

_TURN = "lower='-2.9' upper='2.9'"
_HALF_TURNS = "lower='-3.1' upper='3.1'"
_TWO_TURNS = "lower='-6.283' upper='6.283'"


class Joint(NamedTuple):
    """Kind, place in the joint before, axis, and limits, none of a fixed one."""

    kind: str
    place: str
    axis: str = "0 0 1"
    limits: str = ""


def _revolute(place: str, axis: str, limits: str = _HALF_TURNS) -> Joint:
    return Joint("revolute", place, axis, limits)


def _prismatic(place: str, axis: str, lower: float, upper: float) -> Joint:
    return Joint("prismatic", place, axis, f"lower='{lower}' upper='{upper}'")


_ARM = (
    _revolute("0 0 0.4", "0 0 1", _TURN),
    _revolute("0.15 0 0.2", "0 1 0", "lower='-1.9' upper='2.4'"),
    _revolute("0 0 0.6", "0 1 0", "lower='-3.6' upper='1.2'"),
    _revolute("0 0 0.12", "1 0 0"),
    _revolute("0.6 0 0", "0 1 0", "lower='-2.1' upper='2.1'"),
    _revolute("0 0 0", "1 0 0", _TWO_TURNS),
    Joint("fixed", "0.1 0 0"),
)
"""An industrial arm with a spherical wrist."""
_UR = (
    _revolute("0 0 0.181", "0 0 1", _TWO_TURNS),
    _revolute("0 0.174 0", "0 1 0", _TWO_TURNS),
    _revolute("0 0 0.613", "0 1 0"),
    _revolute("0 0 0.572", "0 1 0", _TWO_TURNS),
    _revolute("0 0 0", "0 0 1", _TWO_TURNS),
    _revolute("0 0 0.12", "0 1 0", _TWO_TURNS),
    Joint("fixed", "0 0.117 0"),
)
"""An arm of the size and the build of Universal Robots' UR10e."""
_WRIST = (
    _revolute("0 0 0.1", "0 0 1"),
    _revolute("0 0 0", "0 1 0", "lower='-2.0' upper='2.0'"),
    _revolute("0 0 0", "0 0 1"),
    Joint("fixed", "0 0 0.15"),
)
_LEVEL_WRIST = (
    _revolute("0.3 0 0", "1 0 0"),
    _revolute("0 0 0", "0 1 0", "lower='-2.0' upper='2.0'"),
    _revolute("0 0 0", "1 0 0"),
    Joint("fixed", "0.15 0 0"),
)

PRISMATIC = {
    "rail_and_arm": (_prismatic("0 0 0", "1 0 0", 0.0, 4.0), *_ARM),
    "rail_and_ur": (_prismatic("0 0 0", "1 0 0", 0.0, 4.0), *_UR),
    "lift_and_ur": (_prismatic("0 0 0.5", "0 0 1", 0.0, 0.9), *_UR),
    "gantry": (
        _prismatic("0 0 2", "1 0 0", 0.0, 3.0),
        _prismatic("0 0 0", "0 1 0", 0.0, 2.0),
        _prismatic("0 0 0", "0 0 -1", 0.0, 1.0),
        *_WRIST,
    ),
    "stanford": (
        _revolute("0 0 0.4", "0 0 1"),
        _revolute("0 0.15 0", "0 1 0"),
        _prismatic("0 0 0", "0 0 1", 0.2, 1.0),
        *_WRIST,
    ),
    "cylindrical": (
        _revolute("0 0 0.2", "0 0 1"),
        _prismatic("0 0 0", "0 0 1", 0.0, 0.8),
        _prismatic("0.1 0 0", "1 0 0", 0.0, 0.9),
        *_LEVEL_WRIST,
    ),
    "lift_and_scara": (
        _prismatic("0 0 0", "0 0 1", 0.0, 0.8),
        _revolute("0.1 0 0.2", "0 0 1"),
        _revolute("0.4 0 0", "0 0 1"),
        *_LEVEL_WRIST,
    ),
    "rail_and_elbow": (
        _prismatic("0 0 0", "1 0 0", 0.0, 3.0),
        _revolute("0 0 0.5", "0 1 0"),
        _revolute("0 0.05 0.6", "1 0 0"),
        *_WRIST,
    ),
}
"""The joints of each, by name."""


def serial_urdf(name: str, joints: Sequence[Joint]) -> tuple[str, str]:
    """Return the description of an arm of some joints in a row, and its tip; its base is "l0"."""
    parts = [f"<robot name='{name}'><link name='l0'/>"]
    for i, joint in enumerate(joints):
        limit = f"<limit {joint.limits} effort='1' velocity='1'/>" if joint.limits else ""
        parts.append(
            f"<link name='l{i + 1}'/><joint name='j{i + 1}' type='{joint.kind}'>"
            f"<parent link='l{i}'/><child link='l{i + 1}'/><origin xyz='{joint.place}'/>"
            f"<axis xyz='{joint.axis}'/>{limit}</joint>"
        )
    return "".join([*parts, "</robot>"]), f"l{len(joints)}"
