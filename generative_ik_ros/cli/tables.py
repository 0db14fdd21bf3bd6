"""Files of configurations, a row each: comma-separated text, JSON lines, or NumPy's .npz."""

import csv
import io
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, TextIO

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError


class Rows(NamedTuple):
    """Configurations for poses; a pose without one has a row with NaN.

    Attributes:
        pose: (R,) index of the pose in its file, from 0.
        status: (R,) how the search for the pose ended.
        position_error: (R,) distance of the tip from the pose [m].
        orientation_error: (R,) angle between tip and pose [rad].
        positions: (R, n) joint positions [rad or m].
        clearance: (R,) distance from collision, at least [m]; None if collisions were not checked.
        blocked_by: (R,) what collides where a pose is reached in collision only, otherwise "";
            None as above.
    """

    pose: Ints
    status: NDArray[np.str_]
    position_error: Floats
    orientation_error: Floats
    positions: Floats
    clearance: Floats | None = None
    blocked_by: NDArray[np.str_] | None = None


class Table(Protocol):
    """What rows are written to."""

    def add(self, rows: Rows) -> None:
        """Write rows after those before."""
        ...

    def close(self) -> None:
        """Write the remaining rows, and close the file."""
        ...


@contextmanager
def open_table(
    file: Path | None, names: tuple[str, ...], *, as_json: bool, collisions: bool = False
) -> Iterator[Table]:
    """Open a file for rows, by its ending, or standard output for CSV or JSON lines.

    However the context ends, the file is complete with the rows added until then.

    Args:
        file: A path that `check_outputs` accepts, or None for standard output.
        names: Names of the n joints.
        as_json: JSON lines rather than CSV on standard output.
        collisions: Whether rows have `clearance` and `blocked_by`.
    """
    if file is None:
        yield _TextTable(sys.stdout, names, as_json=as_json, collisions=collisions)
        return
    try:
        stream = file.open("wb")
        if file.suffix.lower() == ".npz":
            table = _Archive(stream, names, collisions=collisions)
        else:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            as_json = file.suffix.lower() == ".jsonl"
            table = _TextTable(text, names, as_json=as_json, collisions=collisions)
        try:
            yield table
        finally:
            with interrupts_held():
                table.close()
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{file}': {error.strerror}") from error


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Have Ctrl-C wait until the context ends, so that no row is written in half."""
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


class _TextTable:
    """CSV or JSON lines. All numbers of many rows are formatted by one call."""

    def __init__(self, stream: TextIO, names: tuple[str, ...], *, as_json: bool, collisions: bool):
        self._stream, self._as_json = stream, as_json
        self._layout = _json_layout if as_json else _csv_layout
        self._names = [json.dumps(name).replace("%", "%%") for name in names]
        if not as_json:
            also = ("clearance", "blocked_by") if collisions else ()
            head = "pose", "status", "position_error", "orientation_error", *also, *names
            csv.writer(stream, lineterminator="\n").writerow(head)

    def add(self, rows: Rows) -> None:
        """Write rows after those before, whole ones only."""
        columns = [rows.pose, rows.position_error, rows.orientation_error, rows.positions]
        found = ~np.isnan(rows.position_error)
        others: list[list[object]] = []
        if rows.clearance is not None and rows.blocked_by is not None:
            clearance = rows.clearance
            if self._as_json:  # which has no infinity, as where nothing is checked
                clearance = np.where(np.isinf(clearance), np.nan, clearance)
            columns.insert(3, clearance)
            others = [(~np.isnan(clearance)).tolist(), rows.blocked_by.tolist()]
        kinds = list(zip(rows.status.tolist(), found.tolist(), *others, strict=True))
        layouts = {kind: self._layout(self._names, *kind) for kind in set(kinds)}
        text = "".join(map(layouts.__getitem__, kinds))
        numbers = np.column_stack(columns)
        self._stream.write(text % tuple(numbers[~np.isnan(numbers)].tolist()))
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _csv_layout(
    names: Sequence[str], status: str, found: bool, near: bool | None = None, blocked: str = ""
) -> str:
    """Return the format of a row; `near` and `blocked` if it has `clearance` and `blocked_by`."""
    if near is None:
        also = ""
    else:
        quoted = blocked.replace('"', '""').replace("%", "%%")
        cell = f'"{quoted}"' if quoted else ""
        also = f",{'%.4g' if near else ''},{cell}"
    values = "%.3g,%.3g" if found else ","
    joints = ",%.17g" * len(names) if found else "," * len(names)
    return f"%d,{status},{values}{also}{joints}\n"


def _json_layout(
    names: Sequence[str], status: str, found: bool, near: bool | None = None, blocked: str = ""
) -> str:
    """Return the format of a row; as `_csv_layout`."""
    error = "%.3g" if found else "null"
    also = ""
    if near is not None:
        quoted = json.dumps(blocked).replace("%", "%%") if blocked else "null"
        number = "%.4g" if near else "null"
        also = f'"clearance": {number}, "blocked_by": {quoted}, '
    joints = "{" + ", ".join(f"{name}: %.17g" for name in names) + "}" if found else "null"
    return (
        f'{{"pose": %d, "status": "{status}", "position_error": {error}, '
        f'"orientation_error": {error}, {also}"positions": {joints}}}\n'
    )


class _Archive:
    """Arrays named as the fields of `Rows`, and `joint_names`, all written at the end."""

    def __init__(self, stream: BinaryIO, names: tuple[str, ...], *, collisions: bool):
        self._stream, self._names = stream, names
        none = np.zeros(0)
        also = (none, none.astype(str)) if collisions else (None, None)
        positions = np.zeros((0, len(names)))
        self._rows = [Rows(none.astype(int), none.astype(str), none, none, positions, *also)]

    def add(self, rows: Rows) -> None:
        """Keep rows until the end."""
        self._rows.append(rows)

    def close(self) -> None:
        """Write all rows."""
        columns = zip(Rows._fields, zip(*self._rows, strict=True), strict=True)
        arrays = {name: np.concatenate(one) for name, one in columns if one[0] is not None}
        with self._stream as stream:
            np.savez(stream, allow_pickle=False, joint_names=np.array(self._names), **arrays)
