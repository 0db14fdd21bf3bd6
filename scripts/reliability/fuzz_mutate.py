"""Random mutations of text and bytes."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

NASTY = (
    "", " ", "\n", "\t", "\0", "\ufeff", "\u202e", "é", "😀", "\ud7ff", "'", '"', "&", "&amp;",
    "&lt;",
    "<", ">", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?x?>", "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "&b;", "${x}", "$(find x)", "xmlns='urn:x'", "../..", "file:///etc/passwd", "package://a/b",
    "nan", "NaN", "inf", "-inf", ".inf", "1e400", "-1e308", "1e-320", "0", "-0", "1", "-1", "0x10",
    "1_0", "1,5", "3.141592653589793", "1e6", "1000001", "999999999999999999999",
    "0 0 0", "0 0", "1 0 0 0", "nan 0 0", "1e-9 0 0", "true", "null", "~", "[]", "{}", "[[[[[[[[",
    "revolute", "continuous", "prismatic", "fixed", "floating", "planar", "screw",
    "<mimic joint='", "<limit lower='1' upper='-1'/>", "<axis xyz='0 0 0'/>", "\\", "%s", "{0}",
    "a" * 5000, "(" * 2000, "<a>" * 200,
)  # fmt: skip
"""Strings that often break parsers."""

_VALUE = re.compile(r"(?<==)(\"[^\"]*\"|'[^']*')")
_ELEMENT = re.compile(r"<(\w+)\b[^<>]*/>|<(\w+)\b[^<>]*>[^<]*</\2>")


def pick(rng: np.random.Generator, choices: Sequence) -> Any:  # noqa: ANN401 (one of them)
    """Return one of the choices; unlike `rng.choice`, without converting it."""
    return choices[int(rng.integers(len(choices)))]


def mutated(rng: np.random.Generator, corpus: Sequence[str]) -> str:
    """Return one of the texts with one or more mutations."""
    text = pick(rng, corpus)
    for _ in range(min(int(rng.geometric(0.6)), 8)):
        text = pick(rng, _CHANGES)(rng, text, corpus)
        if len(text) > 1 << 20:
            text = text[: 1 << 20]
    return text


def _cut(rng: np.random.Generator, text: str, _: Sequence[str]) -> str:
    at, length = _place(rng, text), int(rng.geometric(0.02))
    return text[:at] + text[at + length :]


def _end(rng: np.random.Generator, text: str, _: Sequence[str]) -> str:
    return text[: _place(rng, text)]


def _insert(rng: np.random.Generator, text: str, _: Sequence[str]) -> str:
    at = _place(rng, text)
    return text[:at] + pick(rng, NASTY) + text[at:]


def _character(rng: np.random.Generator, text: str, _: Sequence[str]) -> str:
    at = _place(rng, text)
    # Not a surrogate: no text that ROS delivers has one.
    return text[:at] + chr(pick(rng, [int(rng.integers(128)), 0xFFFD, 0x10FFFF])) + text[at + 1 :]


def _value(rng: np.random.Generator, text: str, _: Sequence[str]) -> str:
    values = list(_VALUE.finditer(text))
    if not values:
        return text
    one = pick(rng, values)
    if rng.random() < 0.5:
        new = '"' + pick(rng, NASTY).replace('"', "") + '"'
    else:
        new = pick(rng, values).group()
    return text[: one.start()] + new + text[one.end() :]


def _number(rng: np.random.Generator, text: str, _: Sequence[str]) -> str:
    numbers = list(re.finditer(r"-?\d+\.?\d*", text))
    if not numbers:
        return text
    one = pick(rng, numbers)
    scale = 10.0 ** rng.uniform(-12, 12)
    large = str(rng.integers(-(2**62), 2**62))
    new = pick(rng, (repr(float(rng.normal() * scale)), "0", "1e6", "-1e6", large))
    return text[: one.start()] + new + text[one.end() :]


def _element(rng: np.random.Generator, text: str, corpus: Sequence[str]) -> str:
    """Remove, repeat or move an element, or take one from another text."""
    elements = list(_ELEMENT.finditer(text))
    if not elements:
        return text
    one = pick(rng, elements)
    way = int(rng.integers(4))
    if way == 0:
        return text[: one.start()] + text[one.end() :]
    if way == 1:
        return text[: one.end()] + one.group() * int(rng.choice([1, 2, 50])) + text[one.end() :]
    if way == 2:
        rest = text[: one.start()] + text[one.end() :]
        at = pick(rng, elements).start()
        return rest[:at] + one.group() + rest[at:]
    other = pick(rng, corpus)
    strangers = list(_ELEMENT.finditer(other))
    stranger = pick(rng, strangers).group() if strangers else ""
    return text[: one.start()] + stranger + text[one.end() :]


def _splice(rng: np.random.Generator, text: str, corpus: Sequence[str]) -> str:
    other = pick(rng, corpus)
    return text[: _place(rng, text)] + other[_place(rng, other) :]


def _rename(rng: np.random.Generator, text: str, _: Sequence[str]) -> str:
    """Replace one name by another, everywhere or from some position on."""
    names = re.findall(r"(?:name|link|joint)=\"([^\"]+)\"", text)
    if not names:
        return text
    old, new = pick(rng, names), pick(rng, names)
    at = _place(rng, text) if rng.random() < 0.5 else 0
    return text[:at] + text[at:].replace(f'"{old}"', f'"{new}"')


def _place(rng: np.random.Generator, text: str) -> int:
    return int(rng.integers(len(text) + 1))


_CHANGES: tuple[Callable[[np.random.Generator, str, Sequence[str]], str], ...] = (
    _cut, _end, _insert, _character, _value, _value, _value, _number, _number, _element, _element,
    _element, _splice, _rename, _rename,
)  # fmt: skip


def mutated_bytes(rng: np.random.Generator, data: bytes, header: int) -> bytes:
    """Return bytes with bits flipped and ranges removed, cleared or inserted.

    Args:
        rng: Random generator.
        data: The bytes.
        header: Number of leading bytes that are changed more often than the rest.
    """
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        end = min(header, len(changed)) if rng.random() < 0.6 else len(changed)
        if not end:
            break
        at, length = int(rng.integers(end)), int(rng.geometric(0.05))
        way = int(rng.integers(5))
        if way == 0:
            changed[at] ^= 1 << int(rng.integers(8))
        elif way == 1:
            del changed[at:]
        elif way == 2:
            del changed[at : at + length]
        elif way == 3:
            changed[at : at + length] = bytes(len(changed[at : at + length]))
        else:
            changed[at:at] = rng.bytes(length)
    return bytes(changed)
