"""Loops and couplings given beside a URDF, which has no words for them, checked."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import (
    InvalidArgumentError,
    UnknownNameError,
    check_names,
    short,
    shown,
)
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Coupling, Loop
from generative_ik_ros.robot.loop_types import LOOP_TYPES, loop_of
from generative_ik_ros.robot.xml_values import rpy_frame

Loops = Mapping[str, Any] | str | PathLike[str]
"""Loops and couplings as docs/loops.md describes them, or the YAML file that they are in."""
_ALONG = "revolute", "continuous", "prismatic"
"""Types that have an axis."""
_LARGEST = 1e6
"""Numbers of a file may be no larger [m or rad]."""


def with_loops(description: RobotDescription, loops: Loops | None) -> RobotDescription:
    """Return a robot with further loops and couplings.

    A loop takes the place of one of the same name in the description.

    Args:
        description: The robot.
        loops: What is added.

    Raises:
        InvalidArgumentError: The file cannot be read, or an entry is malformed.
        UnknownNameError: The robot has no such link or joint, or there is no such key or type.
    """
    if loops is None:
        return description
    if not isinstance(loops, Mapping | str | PathLike):
        raise InvalidArgumentError(
            f"loops must be a mapping or a path, not {type(loops).__name__}"
        )
    content = loops if isinstance(loops, Mapping) else _read(Path(fspath(loops)))
    entries = _entry(content, "loops=", (), ("loops", "couplings"))
    given = tuple(_loops(description, _named(entries, "loops")))
    sums = tuple(_couplings(description, _named(entries, "couplings")))
    names = {loop.name for loop in given}
    kept = tuple(loop for loop in description.loops if loop.name not in names)
    return replace(description, loops=(*kept, *given), couplings=(*description.couplings, *sums))


def _read(path: Path) -> Any:  # noqa: ANN401 (whatever the file holds)
    # Imported here: a robot without such a file needs no YAML.
    from generative_ik_ros.robot.yaml_files import read_yaml

    return read_yaml(path)


def _loops(description: RobotDescription, entries: Mapping[str, Any]) -> Iterator[Loop]:
    for name, value in entries.items():
        where = f"loop '{short(name)}'"
        entry = _entry(value, where, ("type", "parent", "child"), ("axis", "limits"))
        kind = entry["type"]
        if kind not in LOOP_TYPES:
            raise UnknownNameError("type of a loop", kind, LOOP_TYPES)
        axis, limits = None, (-math.inf, math.inf)
        if kind in _ALONG:
            axis = _axis(entry.get("axis"), where)
        elif "axis" in entry:
            raise InvalidArgumentError(f"{where} is {kind}, which has no axis")
        if "limits" in entry:
            if kind not in ("revolute", "prismatic"):
                raise InvalidArgumentError(f"{where} is {kind}, which has no limits")
            limits = _bounds(entry["limits"], where)
        parent, in_parent = _end(description, entry["parent"], f"{where}: parent")
        child, in_child = _end(description, entry["child"], f"{where}: child")
        if parent == child:
            raise InvalidArgumentError(f"{where} joins link '{child}' to itself")
        yield loop_of(kind, name, (parent, child), (in_parent, in_child), axis, limits)


def _couplings(description: RobotDescription, entries: Mapping[str, Any]) -> Iterator[Coupling]:
    for name, value in entries.items():
        where = f"coupling '{short(name)}'"
        entry = _entry(value, where, ("joints",), ("equals", "limits"))
        if ("equals" in entry) == ("limits" in entry):
            raise InvalidArgumentError(f"{where} needs either equals or limits")
        factors = _entry(entry["joints"], f"{where}: joints", (), None)
        if not factors:
            raise InvalidArgumentError(f"{where} names no joints")
        check_names("joint", factors, description.joint_named)
        numbers = [_numbers(factor, 1, f"{where}: {joint}") for joint, factor in factors.items()]
        if "equals" in entry:
            bounds = _numbers(entry["equals"], 1, f"{where}: equals") * 2
        else:
            bounds = _bounds(entry["limits"], where)
        pairs = zip(factors, (number for (number,) in numbers), strict=True)
        yield Coupling(name, tuple(pairs), *bounds)


def _named(entries: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the entries under a key by name; none where the key is left out."""
    return _entry(entries.get(key) or {}, f"loops=: {key}", (), None)


def _entry(
    value: object, where: str, needed: Sequence[str], others: Sequence[str] | None
) -> Mapping[str, Any]:
    """Return a mapping with the keys that it needs, and no others than these; None: any."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidArgumentError(f"{where} must be a mapping by name, not {shown(value)}")
    for key in needed:
        if key not in value:
            raise InvalidArgumentError(f"{where} needs {', '.join(needed)}; it has no {key}")
    if others is not None:
        check_names(f"key of {where}", value, (*needed, *others))
    return value


def _end(description: RobotDescription, value: object, where: str) -> tuple[str, Floats]:
    """Return a link, and the joint's frame (4, 4) in it [m]."""
    entry = _entry(value, where, ("link",), ("xyz", "rpy"))
    link = entry["link"]
    description.check_links(link)
    places = (_numbers(entry.get(key, (0, 0, 0)), 3, f"{where}: {key}") for key in ("xyz", "rpy"))
    return link, rpy_frame(*places)


def _axis(value: object, where: str) -> Floats:
    if value is None:
        raise InvalidArgumentError(f"{where} has no axis")
    axis = np.array(_numbers(value, 3, f"{where}: axis"))
    if (length := np.linalg.norm(axis)) < 1e-6:
        raise InvalidArgumentError(f"{where} has a zero axis")
    return axis / length


def _bounds(value: object, where: str) -> tuple[float, float]:
    lower, upper = _numbers(value, 2, f"{where}: limits")
    if lower > upper:
        raise InvalidArgumentError(f"{where}: lower limit {lower:g} is above upper {upper:g}")
    return lower, upper


def _numbers(value: object, count: int, where: str) -> tuple[float, ...]:
    """Return `count` finite numbers of no absurd size."""
    numbers: list[Any] = [value] if count == 1 else []
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        numbers = list(value)
    sound = len(numbers) == count and all(
        isinstance(number, int | float | np.number)
        and not isinstance(number, bool)
        and abs(float(number)) <= _LARGEST
        for number in numbers
    )
    if not sound:
        wanted = "a number" if count == 1 else f"{count} numbers"
        raise InvalidArgumentError(f"{where} must be {wanted}, not {shown(value)}")
    return tuple(map(float, numbers))
