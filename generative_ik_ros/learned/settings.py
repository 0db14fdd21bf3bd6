"""Dataclasses whose fields carry a description and bounds, and the YAML files they are read from."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass, field, fields
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

import yaml

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_WIDTH = 95
"""Columns of the comments in a configuration file."""


@dataclass(frozen=True)
class Described:
    """What is known of one setting.

    Attributes:
        text: What it means, with its unit.
        least: Smallest value.
        most: Largest value.
        above: Values are above this.
        below: Values are below this.
        choices: Words it may be; empty for any.
    """

    text: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()

    def range(self) -> str:
        """Return the bounds in words, "" where there are none."""
        bounds = (
            ("from", self.least),
            ("above", self.above),
            ("to", self.most),
            ("below", self.below),
        )
        return " ".join(f"{word} {value:.15g}" for word, value in bounds if value is not None)

    def holds(self, number: float) -> bool:
        """Say whether a number is finite and within the bounds."""
        return (
            math.isfinite(number)
            and (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )


def setting(default: object, text: str, **bounds: Any) -> Any:  # noqa: ANN401
    """Return a dataclass field with a description.

    Args:
        default: Its default.
        text: What it means.
        **bounds: `least`, `most`, `above`, `below` or `choices`, see `Described`.
    """
    return field(default=default, metadata={"described": Described(text, **bounds)})


def with_default(settings: type["Settings"], name: str, default: object) -> Any:  # noqa: ANN401
    """Return a setting of a base class with another default."""
    (inherited,) = (one for one in fields(settings) if one.name == name)
    return field(default=default, metadata=inherited.metadata)


@dataclass(frozen=True)
class Settings:
    """Base of frozen dataclasses with checked fields.

    Values are converted to the type of their field, as far as nothing is lost: whole numbers to
    numbers, lists to tuples, and texts such as 1e-3, which YAML takes for a text, to numbers.

    Raises:
        InvalidArgumentError: A value has the wrong type or is out of its bounds.
        UnknownNameError: A value is none of the setting's choices.
    """

    def __post_init__(self) -> None:
        """Convert and check every field."""
        for one in fields(self):
            object.__setattr__(self, one.name, _converted(one, getattr(self, one.name)))

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


def _converted(one: Field, value: object) -> object:
    described = one.metadata.get("described", Described(""))
    kinds = get_args(one.type) if get_origin(one.type) is not tuple else ()
    if NoneType in kinds and value is None:
        return None
    kind = next((k for k in kinds if k is not NoneType), one.type)
    try:
        value = _as(kind, value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgumentError(f"{one.name} must be {_wanted(kind)}, not {value!r}") from None
    if described.choices and value not in described.choices:
        raise UnknownNameError(one.name, value, described.choices)
    if kind in (int, float) and not described.holds(value):  # pyright: ignore
        bounds = described.range() or "finite"
        raise InvalidArgumentError(f"{one.name} must be {_NAMES[kind]} {bounds}, not {value!r}")
    return value


def _as(kind: Any, value: Any) -> object:  # noqa: ANN401
    """Convert a value to a type.

    Raises:
        TypeError: Or ValueError or OverflowError: it is of another type.
    """
    if get_origin(kind) is tuple:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        if not isinstance(value, list | tuple):
            raise TypeError
        return tuple(_as(get_args(kind)[0], part) for part in value)
    if kind is Path and isinstance(value, str | Path):
        return Path(value)
    if kind is float and isinstance(value, int | float | str) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise TypeError


def _wanted(kind: Any) -> str:  # noqa: ANN401
    if get_origin(kind) is tuple:
        return "a list"
    return _NAMES.get(kind, "a path")


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
    names = [one.name for one in fields(kind)]
    for name in values:
        if name not in names:
            raise UnknownNameError("setting", name, sorted(names))
    return kind(**values)


def _read_yaml(file: Path) -> dict[str, object]:
    try:
        content = _parsed(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InvalidArgumentError(f"cannot read {file}: {reason}") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InvalidArgumentError(f"{file} must hold lines of NAME: VALUE")
    return {str(name): value for name, value in content.items()}


def _parsed(text: str, what: str) -> object:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = " ".join(str(getattr(error, "problem", None) or error).split())
        raise InvalidArgumentError(f"{what} is no YAML: {reason}") from None


def show_settings(settings: Settings) -> str:
    """Return settings as a YAML file that `read_settings` reads, every field described."""
    parts, shown = [], set()
    for group in reversed(type(settings).__mro__):
        if not issubclass(group, Settings):
            continue
        rows = [one for one in fields(group) if one.name not in shown]
        shown |= {one.name for one in rows}
        lines = [f"# --- {str(group.__doc__).splitlines()[0]}", ""]
        for one in rows:
            lines += [*_comment(one), _line(one.name, getattr(settings, one.name)), ""]
        if rows:
            parts.append("\n".join(lines))
    # What is special to the class first, what it shares with others last.
    return "\n".join(reversed(parts))


def _comment(one: Field) -> list[str]:
    described: Described = one.metadata["described"]
    limits = ", ".join(described.choices) or described.range()
    text = described.text + (f" ({limits})" if limits else "")
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _line(name: str, value: object) -> str:
    value = list(value) if isinstance(value, tuple) else value
    value = str(value) if isinstance(value, Path) else value
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000)
    return f"{name}: {text.splitlines()[0]}"  # behind a scalar comes an end mark
