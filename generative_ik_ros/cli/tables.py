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

from generative_ik_ros.cli.console import check_writable
from generative_ik_ros.errors import InvalidArgumentError

_ENDINGS = (".csv", ".npz", ".jsonl")


class Rows(NamedTuple):
    """Configurations for poses; a pose without one has a row with NaN.

    Attributes:
        pose: (R,) index of the pose in its file, from 0.
        status: (R,) how the search for the pose ended.
        position_error: (R,) distance of the tip from the pose [m].
        orientation_error: (R,) angle between tip and pose [rad].
        positions: (R, n) joint positions [rad or m].
    """

    pose: NDArray[np.int64]
    status: NDArray[np.str_]
    position_error: NDArray[np.float64]
    orientation_error: NDArray[np.float64]
    positions: NDArray[np.float64]


class Table(Protocol):
    """What rows are written to."""

    def add(self, rows: Rows) -> None:
        """Write rows after those before."""
        ...

    def close(self) -> None:
        """Write what is left, and close the file."""
        ...


def check_table_path(file: Path) -> None:
    """Check that a table can be written to a file, before anything is computed for it.

    Raises:
        InvalidArgumentError: The ending is no known one, or the path cannot be written.
    """
    if file.suffix.lower() not in _ENDINGS:
        raise InvalidArgumentError(
            f"cannot write to '{file}': its ending must be one of {', '.join(_ENDINGS)}"
        )
    check_writable(file)


@contextmanager
def open_table(file: Path | None, names: tuple[str, ...], *, as_json: bool) -> Iterator[Table]:
    """Open a file for rows, by its ending, or standard output for CSV or JSON lines.

    However the context ends, the file is complete with the rows added until then.

    Args:
        file: A path that `check_table_path` accepts, or None for standard output.
        names: Names of the n joints.
        as_json: JSON lines rather than CSV on standard output.

    Raises:
        InvalidArgumentError: The file cannot be written (any more).
    """
    if file is None:
        yield _TextTable(sys.stdout, names, as_json=as_json)
        return
    try:
        stream = file.open("wb")
        if file.suffix.lower() == ".npz":
            table = _Archive(stream, names)
        else:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            table = _TextTable(text, names, as_json=file.suffix.lower() == ".jsonl")
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

    def __init__(self, stream: TextIO, names: tuple[str, ...], *, as_json: bool):
        self._stream, self._layout = stream, _json_layout if as_json else _csv_layout
        self._names = [json.dumps(name).replace("%", "%%") for name in names]
        if not as_json:
            head = "pose", "status", "position_error", "orientation_error", *names
            csv.writer(stream, lineterminator="\n").writerow(head)

    def add(self, rows: Rows) -> None:
        """Write rows after those before, whole ones only."""
        errors = rows.position_error, rows.orientation_error
        numbers = np.column_stack([rows.pose, *errors, rows.positions])
        present = ~np.isnan(numbers)
        kinds = list(zip(rows.status.tolist(), present[:, 1].tolist(), strict=True))
        layouts = {kind: self._layout(*kind, self._names) for kind in set(kinds)}
        text = "".join(map(layouts.__getitem__, kinds))
        self._stream.write(text % tuple(numbers[present].tolist()))
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _csv_layout(status: str, found: bool, names: Sequence[str]) -> str:  # noqa: FBT001
    values = ",%.3g,%.3g" + ",%.17g" * len(names) if found else "," * (2 + len(names))
    return f"%d,{status}{values}\n"


def _json_layout(status: str, found: bool, names: Sequence[str]) -> str:  # noqa: FBT001
    error = "%.3g" if found else "null"
    joints = "{" + ", ".join(f"{name}: %.17g" for name in names) + "}" if found else "null"
    return (
        f'{{"pose": %d, "status": "{status}", "position_error": {error}, '
        f'"orientation_error": {error}, "positions": {joints}}}\n'
    )


class _Archive:
    """Arrays named as the fields of `Rows`, and `joint_names`, all written at the end."""

    def __init__(self, stream: BinaryIO, names: tuple[str, ...]):
        self._stream, self._names = stream, names
        none = np.zeros(0)
        positions = np.zeros((0, len(names)))
        self._rows = [Rows(none.astype(int), none.astype(str), none, none, positions)]

    def add(self, rows: Rows) -> None:
        """Keep rows until the end."""
        self._rows.append(rows)

    def close(self) -> None:
        """Write all rows."""
        columns = map(np.concatenate, zip(*self._rows, strict=True))
        arrays = dict(zip(Rows._fields, columns, strict=True))
        with self._stream as stream:
            np.savez(stream, allow_pickle=False, joint_names=np.array(self._names), **arrays)
