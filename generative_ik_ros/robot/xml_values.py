"""Numbers and names in the XML of robot descriptions, with every one checked."""

import math
import re
from xml.etree.ElementTree import Element

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.description_source import LIMITS, quoted

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def numbers(
    text: str, count: int, where: str, bound: float = LIMITS.max_magnitude
) -> tuple[float, ...]:
    """Return `count` finite numbers.

    Args:
        text: The numbers, with white space between them.
        count: How many there must be.
        where: What holds them, as the error's first words.
        bound: The largest magnitude.

    Raises:
        RobotDescriptionError: There are more or fewer, or one is no number or too large.
    """
    words = text.split()
    if any("${" in word or "$(" in word for word in words):
        raise RobotDescriptionError(
            f"{where} is {quoted(text)}: unexpanded xacro; run xacro on the file first"
        )
    if len(words) != count:
        wanted = "1 number" if count == 1 else f"{count} numbers"
        raise RobotDescriptionError(f"{where} needs {wanted}, got {quoted(text)}")
    for word in words:
        if word.lstrip("+-").lower() in ("nan", "inf", "infinity"):
            raise RobotDescriptionError(f"{where} is not finite: {quoted(text)}")
        if not _NUMBER.fullmatch(word):
            raise RobotDescriptionError(f"{where} holds {quoted(word)}, which is no number")
    values = tuple(float(word) for word in words)
    if not all(math.isfinite(value) and abs(value) <= bound for value in values):
        raise RobotDescriptionError(f"{where} is too large: {quoted(text)}")
    return values


def attribute(
    element: Element | None, key: str, default: str, count: int, where: str
) -> tuple[float, ...]:
    """Return the `numbers` of an attribute; those of the default where there is none."""
    return numbers(default if element is None else element.get(key, default), count, where)


def bound(text: str, where: str) -> float:
    """Return a limit, which may be infinite [rad or m]."""
    word = text.strip().lower()
    if word.lstrip("+-") in ("inf", "infinity"):
        return float(word)
    return numbers(text, 1, where, bound=math.inf)[0]


def name_of(element: Element, kind: str) -> str:
    """Return the name of a link, joint or the like; `kind` says which, in errors.

    Raises:
        RobotDescriptionError: It has none, or one that is too long or unexpanded xacro.
    """
    name = element.get("name", "")
    if not name.strip():
        raise RobotDescriptionError(f"a {kind} has no name")
    if len(name) > LIMITS.max_name:
        raise RobotDescriptionError(
            f"the {kind} name {quoted(name)} is over {LIMITS.max_name} long"
        )
    if "${" in name or "$(" in name:
        raise RobotDescriptionError(
            f"the {kind} name {quoted(name)} is unexpanded xacro; run xacro on the file first"
        )
    return name


def unit_axis(xyz: tuple[float, ...], where: str) -> Floats:
    """Return a joint's axis (3,) with length one.

    Raises:
        RobotDescriptionError: It has none.
    """
    if math.hypot(*xyz) < 1e-6:
        raise RobotDescriptionError(f"{where} has a zero axis")
    axis = np.array(xyz)
    return frozen(axis / np.linalg.norm(axis))


def rpy_frame(xyz: tuple[float, ...], rpy: tuple[float, ...]) -> Floats:
    """Return the (4, 4) frame at a place [m], turned about fixed axes x, y and z [rad]."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    frame = np.eye(4)
    frame[:3, :3] = (
        (cp * cy, sp * (sr * cy) - cr * sy, sp * (cr * cy) + sr * sy),
        (cp * sy, sp * (sr * sy) + cr * cy, sp * (cr * sy) - sr * cy),
        (-sp, cp * sr, cp * cr),
    )
    frame[:3, 3] = xyz
    return frozen(frame + 0.0)  # no negative zeros


def frozen(array: Floats) -> Floats:
    """Make an array read-only."""
    array.flags.writeable = False
    return array
