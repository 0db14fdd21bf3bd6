"""The times in a protocol's report, by names, to compare two reports figure by figure.

Which fields are times is read from what `figure` says of them, which gives the unit: [s], [ms] or
[us]; of rates, [1/s], the time of one counts. A report of another version is read as far as it has
the same fields.
"""

import math
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from generative_ik_benchmarks.protocols.registry import load_protocol
from generative_ik_benchmarks.text import Quartiles

_UNIT = re.compile(r"\[(s|ms|us|1/s)\]")
_LEFT_OUT = re.compile("timeout|deadline|budget|p99|worst|slowest")
"""Settings, and what says more about other work on the machine than about a version."""


@dataclass(frozen=True)
class Comparison:
    """One time figure of two versions.

    Attributes:
        name: The chain, the row's names and the field.
        ratio: This version's time over the other's, round by round.
        fastest: This version's least time of all rounds over the other's.
    """

    name: tuple[str, ...]
    ratio: Quartiles
    fastest: float


def time_figures(report: Mapping[str, Any]) -> dict[tuple[str, ...], float]:
    """Return the times of a report that `evaluate --json` wrote, by chain, row and field."""
    table = load_protocol(report["protocol"]).table
    found: dict[tuple[str, ...], float] = {}
    for one in report["tables"]:
        found.update(_times(table, one, ()))
    return found


def compare(
    ours: Sequence[Mapping[tuple[str, ...], float]],
    others: Sequence[Mapping[tuple[str, ...], float]],
) -> list[Comparison]:
    """Compare the figures that all rounds of both versions have, in the order of the first.

    Figures that never change were not measured: they are published ones.
    """
    every = (*ours, *others)
    names = [
        name
        for name in (ours[0] if ours else ())
        if all(figures.get(name, 0.0) > 0.0 for figures in every)
        and len({figures[name] for figures in every}) > 1
    ]
    return [
        Comparison(
            name,
            Quartiles.of(np.array([a[name] / b[name] for a, b in zip(ours, others, strict=True)])),
            min(a[name] for a in ours) / min(b[name] for b in others),
        )
        for name in names
    ]


def time_fields(kind: type) -> dict[str, str]:
    """Return the fields of figures that are times by what is said of them, and their units."""
    return {
        field.name: unit[1]
        for field in fields(kind)
        if (unit := _UNIT.search(field.metadata.get("meaning", "")))
        and not _LEFT_OUT.search(field.name)
    }


def _times(
    hint: Any,  # noqa: ANN401 (whatever a field holds)
    value: Any,  # noqa: ANN401
    where: tuple[str, ...],
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield names and times of a value of JSON: as a type hint says, or of another version."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (hint,) = (kind for kind in inner if kind is not types.NoneType)
        yield from _times(hint, value, where)
    elif is_dataclass(hint) and isinstance(value, dict):
        hints, units = get_type_hints(hint), time_fields(hint)  # type: ignore[arg-type]
        where += tuple(text for text in _texts(value) if text not in where)
        for field in fields(hint):
            inside = value.get(field.name)
            if field.name in units:
                rate = units[field.name] == "1/s"
                for name, number in _numbers(inside, (*where, field.name)):
                    yield name, 1.0 / (number or math.nan) if rate else number
            else:
                yield from _times(hints[field.name], inside, where)
    elif origin is tuple and isinstance(value, list):
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        for kind, one, label in zip(kinds, value, _labels(value), strict=False):
            yield from _times(kind, one, where + label)
    elif isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, dict):
        for key, one in value.items():
            yield from _times(inner[1], one, (*where, key))


def _labels(rows: Sequence[Any]) -> list[tuple[str, ...]]:
    """Return what tells rows apart that have the same texts: integers, or else their number."""
    texts = [_texts(row) for row in rows]
    if len(set(texts)) == len(rows):
        return [()] * len(rows)
    whole = [_integers(row) for row in rows]
    telling = {
        name for row in whole for name, number in row.items() if whole[0].get(name) != number
    }
    labels = [
        tuple(f"{name} {number}" for name, number in row.items() if name in telling)
        for row in whole
    ]
    if len(set(zip(texts, labels, strict=True))) < len(rows):
        return [(f"row {i + 1}",) for i in range(len(rows))]
    return labels


def _texts(row: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the texts of a row, or those of what is in it if it has none of its own."""
    values = row.values() if isinstance(row, dict) else ()
    own = tuple(value for value in values if isinstance(value, str))
    return own or tuple(text for value in values for text in _texts(value))


def _integers(row: Any) -> dict[str, int]:  # noqa: ANN401
    """Return the integers of a row by name."""
    items = row.items() if isinstance(row, dict) else ()
    return {name: value for name, value in items if type(value) is int}


def _numbers(value: Any, name: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:  # noqa: ANN401
    """Yield a time, the median of quartiles, or each of several times."""
    if isinstance(value, dict):
        value = value.get("median")
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from _numbers(one, (*name[:-1], f"{name[-1]} {i + 1}"))
    elif isinstance(value, (int, float)):
        yield name, float(value)
