"""YAML of unknown origin, read into plain lists and mappings: bounded, and without surprises."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from generative_ik_ros.errors import InvalidArgumentError, short


@dataclass(frozen=True)
class FileLimits:
    """What a file may hold at most."""

    max_bytes: int = 64 * 2**20
    """Size of a file."""
    max_depth: int = 64
    """Lists and mappings inside each other."""
    max_values: int = 10_000_000
    """Values in all, where each use of an alias counts as much as what it stands for."""


LIMITS = FileLimits()

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "on", "On"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "off", "Off"), False),
    **dict.fromkeys((".inf", ".Inf", "+.inf"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NUMERIC = frozenset("0123456789+-.")


def read_yaml(path: Path) -> Any:  # noqa: ANN401 (whatever the file holds)
    """Return what the only document of a file holds; keys of mappings are strings.

    Numbers like 1e-3 are numbers, as in YAML 1.2. Tags of Python objects are refused.

    Raises:
        InvalidArgumentError: It cannot be read, is no YAML, too large, nested too deeply, has
            more than one document, a key twice, or an alias that contains itself.
    """
    try:
        if path.stat().st_size > LIMITS.max_bytes:
            raise InvalidArgumentError(f"{path} is larger than {LIMITS.max_bytes // 2**20} MiB")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise InvalidArgumentError(f"{path} cannot be read: {reason}") from None
    except ValueError as error:  # no UTF-8, or a path with a zero byte
        raise InvalidArgumentError(f"{str(path)!r} cannot be read: {error}") from None
    try:
        return _Document().read(text)
    except yaml.YAMLError as error:
        reason = short(" ".join(str(error).split()), 200)
        raise InvalidArgumentError(f"{path} is not YAML: {reason}") from None
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{path}: {error}") from None


@dataclass
class _Open:
    """A list or a mapping whose end was not read yet."""

    value: Any
    anchor: str | None
    size: int = 1
    key: str | None = None
    merged: list[dict[str, Any]] = field(default_factory=list)


class _Document:
    """Puts values together that the parser reports one by one, without recursion."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.result: Any = None

    def read(self, text: str) -> Any:  # noqa: ANN401
        """Return what the text holds."""
        documents = 0
        for event in yaml.parse(text, Loader=_LOADER):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._add(_scalar(event), 1, event.anchor, event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._start([] if kind is yaml.SequenceStartEvent else {}, event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._end(event)
            elif kind is yaml.AliasEvent:
                if event.anchor not in self.anchors:
                    raise _at(event, f"alias *{short(event.anchor)} stands for nothing before it")
                self._add(*self.anchors[event.anchor], None, event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise _at(event, "there is more than one document")
        return self.result

    def _start(self, value: list[Any] | dict[str, Any], event: yaml.CollectionStartEvent) -> None:
        _check_tag(event)
        if self.open and isinstance(self.open[-1].value, dict) and self.open[-1].key is None:
            raise _at(event, "a key must be a text")
        if len(self.open) >= LIMITS.max_depth:
            raise _at(event, f"lists and mappings are nested more than {LIMITS.max_depth} deep")
        self.open.append(_Open(value, event.anchor))

    def _end(self, event: yaml.Event) -> None:
        ended = self.open.pop()
        for other in ended.merged:
            ended.value = {**other, **ended.value}
        self._add(ended.value, ended.size, ended.anchor, event)

    def _add(self, value: Any, size: int, anchor: str | None, event: yaml.Event) -> None:  # noqa: ANN401
        """Put a value that is complete where it belongs."""
        if anchor is not None:
            self.anchors[anchor] = (value, size)
        if not self.open:
            self.result = value
            return
        around = self.open[-1]
        around.size += size
        if around.size > LIMITS.max_values:
            raise _at(event, f"there are more than {LIMITS.max_values} values")
        if isinstance(around.value, list):
            around.value.append(value)
        elif around.key is None:
            around.key = _key(value, event)
            if around.key in around.value:
                raise _at(event, f"'{short(around.key)}' is there twice")
        elif around.key == "<<":
            others = value if isinstance(value, list) else [value]
            if not all(isinstance(other, dict) for other in others):
                raise _at(event, "what << names must be mappings")
            around.merged, around.key = others, None
        else:
            around.value[around.key], around.key = value, None


def _scalar(event: yaml.ScalarEvent) -> str | float | bool | None:
    """Return the value of a scalar by YAML's core schema."""
    text = event.value
    tag = _check_tag(event)
    if tag == "str" or (not event.implicit[0] and tag is None):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMERIC:
        try:
            return int(text) if text.isdecimal() and len(text) < 20 else float(text)
        except ValueError:
            pass
    return text


def _key(value: object, event: yaml.Event) -> str:
    if isinstance(event, yaml.ScalarEvent):
        return event.value
    if not isinstance(value, str):
        raise _at(event, "a key must be a text")
    return value


def _check_tag(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> str | None:
    """Return the end of an explicit tag, which must be one of YAML's own; None without one."""
    tag = event.tag
    if tag is None or tag == "!":
        return None
    name = tag[len(_CORE) :] if tag.startswith(_CORE) else ""
    if name not in ("str", "int", "float", "bool", "null", "map", "seq"):
        raise _at(event, f"the tag {short(tag)} has no meaning here")
    return name


def _at(event: yaml.Event, message: str) -> InvalidArgumentError:
    """Return an error that says where."""
    return InvalidArgumentError(f"{message} (line {event.start_mark.line + 1})")
