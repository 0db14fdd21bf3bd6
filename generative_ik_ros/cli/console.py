"""Output of the commands: tables for people, JSON for machines, progress on stderr."""

import json
import math
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generative_ik_ros.errors import InvalidArgumentError, importing

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

FIRST_LINE_AFTER = 5.0
"""Before that nothing tells of progress where no terminal shows it [s]."""


def console(*, stderr: bool = False, least_width: int = 0) -> "Console":
    """Return a rich console on stdout, for results, or on stderr, for progress and remarks.

    A table needs at least some columns; a narrower terminal wraps its lines, which is better than
    numbers that are cut off.
    """
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    out = Console(file=stream, highlight=False, emoji=False)
    # Rich would fold a table into 80 columns when the output goes into a file or a pipe.
    out.width = max(out.width if stream.isatty() else 150, least_width)
    return out


def spinner(text: str) -> AbstractContextManager[object]:
    """Return a context that shows a spinner on stderr, if that is a terminal."""
    return console(stderr=True).status(text)


def progress() -> "Progress":
    """Return a context that shows progress on stderr: bars on a terminal, else some lines.

    There is a line after 5 s, and others ever more seldom, up to one a minute.
    """
    from rich.progress import Progress, Task, TaskID

    shown = console(stderr=True)
    if shown.is_terminal:
        return Progress(console=shown, transient=True)
    start = time.monotonic()

    class Lines(Progress):
        """Writes the progress of the task that goes on."""

        due = start + FIRST_LINE_AFTER

        def update(self, task_id: TaskID, **fields: Any) -> None:  # noqa: ANN401
            super().update(task_id, **fields)
            self._write(self._tasks[task_id])

        def advance(self, task_id: TaskID, advance: float = 1.0) -> None:
            super().advance(task_id, advance)
            self._write(self._tasks[task_id])

        def _write(self, task: Task) -> None:
            now = time.monotonic()
            if now < self.due or not task.total or task.finished:
                return
            spent = now - start
            self.due = now + min(spent, 60.0)
            line = f"{task.description}: {task.percentage:.0f} % after {spent:.0f} s"
            print(line, file=sys.stderr, flush=True)

    return Lines(disable=True)


def plain(value: object) -> object:
    """Turn a value into types that JSON has; numbers that are not finite become null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())  # pyright: ignore[reportAttributeAccessIssue]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Path):
        return str(value)
    return value


def json_text(value: object) -> str:
    """Return JSON text of a value, see `plain`."""
    return json.dumps(plain(value), indent=2, allow_nan=False)


def check_writable(path: Path, endings: Collection[str] = ()) -> None:
    """Check that a file can be written, before any work goes into it.

    Raises:
        InvalidArgumentError: The ending is none of those, if there are any, the folder does not
            exist, or the path cannot be opened to write.
    """
    if endings and path.suffix.lower() not in endings:
        raise InvalidArgumentError(
            f"cannot write to '{path}': its ending must be one of {', '.join(endings)}"
        )
    existed = path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{path}': {error.strerror}") from error
    if not existed:
        path.resolve().unlink()  # of a link, what it leads to


def check_plot_path(file: Path) -> None:
    """Check that a plot can be written to a file, before anything is computed for it."""
    with importing("pictures need matplotlib", "matplotlib"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    known = sorted(FigureCanvasAgg.get_supported_filetypes())
    if file.suffix[1:].lower() not in known:
        raise InvalidArgumentError(
            f"cannot plot to '{file}': its ending must be one of {', '.join(known)}"
        )
    check_writable(file)


def check_outputs(*, table: Path | None = None, plot: Path | None = None) -> None:
    """Check that the files that are given can be written, before any work goes into them."""
    if table is not None:
        check_writable(table, (".csv", ".npz", ".jsonl"))
    if plot is not None:
        check_plot_path(plot)
