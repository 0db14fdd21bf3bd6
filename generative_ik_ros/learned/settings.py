"""Dataclasses with a description and bounds for every field, and YAML files of their values."""

import math
import operator
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

import yaml

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError, check_names

_BOUNDS = {
    "least": ("from", operator.ge),
    "above": ("above", operator.gt),
    "most": ("to", operator.le),
    "below": ("below", operator.lt),
}
"""What a setting may be bounded by: in words, and how a value compares with it."""
_TYPES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list",
    Path: "a path",
}


def setting(default: object, text: str, **bounds: Any) -> Any:  # noqa: ANN401
    """Return a dataclass field with a description.

    Args:
        default: Its default.
        text: What it means, with its unit.
        **bounds: `least`, `most`, `above` or `below` for a number; `choices`, the words that it
            may be, for a text.
    """
    return field(default=default, metadata={"text": text, **bounds})


def with_default(settings: type["Settings"], name: str, default: object) -> Any:  # noqa: ANN401
    """Return a setting of a base class with another default."""
    (inherited,) = (one for one in fields(settings) if one.name == name)
    return field(default=default, metadata=inherited.metadata)


@dataclass(frozen=True)
class Settings:
    """Base of frozen dataclasses with checked fields.

    Values are converted to the type of their field where nothing is lost: whole numbers to
    numbers, lists to tuples, and texts such as 1e-3, which YAML takes for a text, to numbers.

    Raises:
        InvalidArgumentError: A value has the wrong type or is out of its bounds.
        UnknownNameError: A value is none of the setting's choices.
    """

    def __post_init__(self) -> None:
        """Convert and check every field."""
        for one in fields(self):
            object.__setattr__(self, one.name, _checked(one, getattr(self, one.name)))

    def as_json(self) -> dict[str, object]:
        """Return all fields by name."""
        return asdict(self)

    @classmethod
    def from_json(cls: type["AnySettings"], content: Mapping[str, object]) -> "AnySettings":
        """Make the settings from all fields by name.

        Raises:
            InvalidArgumentError: Fields are missing or unknown, or a value is not valid.
            UnknownNameError: A value is none of the setting's choices.
        """
        odd = sorted({one.name for one in fields(cls)}.symmetric_difference(content))
        if odd:
            raise InvalidArgumentError(f"missing or unknown settings: {', '.join(odd)}")
        return cls(**content)


AnySettings = TypeVar("AnySettings", bound=Settings)


@dataclass(frozen=True, kw_only=True)
class ChainConfig(Settings):
    """What a network has to know of its chain."""

    joints: int = setting(MISSING, "Number n of the chain's joints.", least=1, most=256)
    position_scale: float = setting(
        1.0, "Length that positions are divided by [m].", least=1e-6, most=1e6
    )


def _checked(one: Field, value: Any) -> object:  # noqa: ANN401
    optional = NoneType in get_args(one.type)
    if optional and value is None:
        return None
    kind = get_args(one.type)[0] if optional else one.type
    try:
        value = _converted(kind, value)
    except (TypeError, ValueError, OverflowError):
        wanted = _TYPES[get_origin(kind) or kind]
        raise InvalidArgumentError(f"{one.name} must be {wanted}, not {value!r}") from None
    choices = one.metadata.get("choices")
    if choices and value not in choices:
        raise UnknownNameError(one.name, value, choices)
    if kind in (int, float):
        bounds = one.metadata.keys() & _BOUNDS.keys()
        inside = all(_BOUNDS[name][1](value, one.metadata[name]) for name in bounds)
        if not math.isfinite(value) or not inside:
            limits = _limits(one) or "that is finite"
            raise InvalidArgumentError(f"{one.name} must be {_TYPES[kind]} {limits}, not {value}")
    return value


def _converted(kind: Any, value: Any) -> object:  # noqa: ANN401
    """Convert a value to a type.

    Raises:
        TypeError: Or ValueError or OverflowError: it is of another type.
    """
    if get_origin(kind) is tuple:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise TypeError
        parts = [part.strip() if isinstance(part, str) else part for part in parts]
        return tuple(_converted(get_args(kind)[0], part) for part in parts if part != "")
    if isinstance(value, bool) is not (kind is bool):
        raise TypeError
    if kind in (float, Path):
        return kind(value)
    if not isinstance(value, kind):
        raise TypeError
    return value


def _limits(one: Field) -> str:
    """Return the choices or the bounds of a setting in words, "" where there are none."""
    given = one.metadata
    bounds = [f"{word} {given[name]:.15g}" for name, (word, _) in _BOUNDS.items() if name in given]
    return ", ".join(given.get("choices", ())) or " ".join(bounds)


def read_settings(
    kind: type[AnySettings],
    file: Path | None = None,
    changes: Sequence[str] = (),
    /,
    **given: object,
) -> AnySettings:
    """Read settings; what is not given keeps its default.

    Args:
        kind: Their class.
        file: YAML file of names and values, None for none.
        changes: NAME=VALUE, which replace those of the file.
        **given: Values that replace all others; None where there is none.

    Raises:
        InvalidArgumentError: The file cannot be read, or a value is not valid.
        UnknownNameError: There is no such setting, or a value is none of its choices.
    """
    values = {} if file is None else _read_yaml(file)
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise InvalidArgumentError(f"a setting is changed by NAME=VALUE, not by '{change}'")
        values[name.strip()] = _parsed(text, f"the value of '{name}'")
    values |= {name: value for name, value in given.items() if value is not None}
    names = sorted(one.name for one in fields(kind))
    check_names("setting", values, names)
    return kind(**values)


def _read_yaml(file: Path) -> dict[str, object]:
    try:
        content = _parsed(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InvalidArgumentError(f"cannot read {file}: {reason}") from None
    if not isinstance(content, dict | None):
        raise InvalidArgumentError(f"{file} must hold lines of NAME: VALUE")
    return {str(name): value for name, value in (content or {}).items()}


def _parsed(text: str, what: str) -> object:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = " ".join(str(getattr(error, "problem", None) or error).split())
        raise InvalidArgumentError(f"{what} is no YAML: {reason}") from None


def show_settings(settings: Settings) -> str:
    """Return settings as a YAML file that `read_settings` reads, every field described."""
    parts, shown = [], set()
    for group in filter(is_dataclass, reversed(type(settings).__mro__)):
        rows = [one for one in fields(group) if one.name not in shown]
        shown |= {one.name for one in rows}
        lines = [f"# --- {str(group.__doc__).splitlines()[0]}", ""]
        for one in rows:
            limits = _limits(one)
            text = one.metadata["text"] + (f" ({limits})" if limits else "")
            lines += textwrap.wrap(text, 95, initial_indent="# ", subsequent_indent="# ")
            value = getattr(settings, one.name)
            value = str(value) if isinstance(value, Path) else value
            written = yaml.safe_dump(value, default_flow_style=True, width=10_000)
            lines += [f"{one.name}: {written.splitlines()[0]}", ""]  # a scalar has an end mark
        if rows:
            parts.append("\n".join(lines))
    # What is special to the class first, what it shares with others last.
    return "\n".join(reversed(parts))
