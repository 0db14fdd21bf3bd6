"""What protocols wrote as JSON comes in, their tables go out as if they had just been measured."""

import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from generative_ik_ros.errors import InvalidArgumentError

_HERE = "generative_ik_benchmarks.protocols"
TABLES = {
    "trac-ik": f"{_HERE}.trac_ik:TableRow",
    "batches": f"{_HERE}.batches:BatchTable",
    "generative": f"{_HERE}.generative:GenerativeTable",
    "seed-value": f"{_HERE}.seed_value:SeedValue",
    "seeds": f"{_HERE}.seeds:SeedTable",
    "leave-one-out": f"{_HERE}.leave_one_out:ZeroShotTable",
    "unreachable": f"{_HERE}.unreachable:UnreachableTable",
    "peers": f"{_HERE}.peers:PeerTable",
    "convergence": f"{_HERE}.convergence:ConvergenceTable",
    "gpu": f"{_HERE}.gpu:GpuTable",
    "scale": f"{_HERE}.scale:ScaleTable",
}
"""The class of one chain's table, for each protocol that measures chain after chain."""


@dataclass
class Stored:
    """One protocol's tables, of any number of files.

    Attributes:
        protocol: Its name, one of `TABLES`.
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

    Args:
        files: The reports; those of one protocol are joined.

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
            found = [_value(_table_class(protocol), table) for table in report["tables"]]
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
            protocols = ", ".join(TABLES)
            raise InvalidArgumentError(
                f"'{file}' is no report of this version's protocols ({protocols}): {error!r}"
            ) from error
    return list(joined.values())


def _table_class(protocol: str) -> type:
    module, _, name = TABLES[protocol].partition(":")
    return getattr(import_module(module), name)


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
