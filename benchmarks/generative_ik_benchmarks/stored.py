"""Reader of the JSON files that protocols write."""

import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from generative_ik_benchmarks.protocols.registry import PROTOCOLS, load_protocol
from generative_ik_ros.errors import InvalidArgumentError


@dataclass
class Stored:
    """One protocol's tables, of any number of files.

    Attributes:
        protocol: Its name, one of `PROTOCOLS`.
        tables: A table a chain, in the order of the files.
        refused: Why chains were refused.
        machines: The kinds of machines and dates, each once.
        other_work: What share of the cores others had while each file was measured.
        false_results: Everything untrue in our own results.
    """

    protocol: str
    tables: list[Any]
    refused: dict[str, str]
    machines: list[dict[str, object]]
    other_work: list[float]
    false_results: int


def read_reports(files: Sequence[Path]) -> list[Stored]:
    """Read reports that `generative-ik evaluate PROTOCOL --json FILE` wrote.

    Those of one protocol are joined.

    Returns:
        What each protocol measured, in the order in which they come up.

    Raises:
        InvalidArgumentError: A file cannot be read or is no such report.
    """
    joined: dict[str, Stored] = {}
    for file in files:
        try:
            report = json.loads(file.read_text())
            protocol = report["protocol"]
            found = [_value(load_protocol(protocol).table, table) for table in report["tables"]]
            stored = joined.setdefault(protocol, Stored(protocol, [], {}, [], [], 0))
            stored.tables += found
            stored.refused |= report["refused"]
            stored.other_work.append(_value(float, report["other_work"]))
            stored.false_results += report["false_results"]
            if report["machine"] not in stored.machines:
                stored.machines.append(report["machine"])
        except OSError as error:
            raise InvalidArgumentError(f"cannot read '{file}': {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            protocols = ", ".join(PROTOCOLS)
            why = f"there is no {error}" if isinstance(error, KeyError) else error
            raise InvalidArgumentError(
                f"'{file}' is no report of this version's protocols ({protocols}): {why}; what "
                "another version wrote has to be measured again"
            ) from error
    return list(joined.values())


def _value(hint: Any, value: Any) -> Any:  # noqa: ANN401 (whatever the field holds)
    """Return a value that JSON knows as what a type hint says; null as NaN where that is float."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        kinds = [kind for kind in inner if kind is not types.NoneType]
        return None if value is None else _value(kinds[0], value)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return hint(**{f.name: _value(hints[f.name], value[f.name]) for f in fields(hint)})  # type: ignore[operator]
    if origin is tuple:
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_value(kind, one) for kind, one in zip(kinds, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _value(inner[1], one) for key, one in value.items()}
    if origin is np.ndarray:
        return np.array(value, np.float64)
    if hint is float:
        return math.nan if value is None else float(value)
    return value
