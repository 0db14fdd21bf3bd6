"""Logs of a training: evaluations as lines of JSON, and TensorBoard."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from generative_ik_ros.errors import InvalidArgumentError, importing
from generative_ik_ros.learned.checkpoint import CheckpointError, write_atomically

_FIRST = '{"step": '
"""How a line begins."""


def log_path(output: Path) -> Path:
    """Return where the evaluations of a training are kept, beside the weights that it writes."""
    return output.with_name(f"{output.stem}.training.jsonl")


def read_log(path: Path) -> list[dict[str, float]]:
    """Read the evaluations of a training: step, samples, seconds and figures of each.

    A last line that is cut, as by a crash, is left out.

    Raises:
        InvalidArgumentError: The file cannot be read or is no such log.
    """
    try:
        *lines, last = path.read_text().split("\n")
        rows = [_row(line) for line in lines]
        if last:  # its end is missing, or that of the line alone
            with suppress(json.JSONDecodeError):
                rows.append(_row(last))
            if not last.startswith(_FIRST[: len(last)]):
                raise ValueError
    except OSError as error:
        raise InvalidArgumentError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError, AttributeError):
        raise InvalidArgumentError(f"{path} is no log of a training") from None
    if any("step" not in row or "samples" not in row for row in rows):
        raise InvalidArgumentError(f"{path} is no log of a training")
    return rows


def _row(line: str) -> dict[str, float]:
    return {str(k): float(v) for k, v in json.loads(line).items()}


class Log:
    """Writes a training's evaluations as lines of JSON, and TensorBoard's log; either or neither.

    Args:
        evaluations: File of JSON lines; None for none.
        resume: Keep what the file has up to this step; None to begin anew.
        folder: For TensorBoard's log; None for none.

    Raises:
        MissingDependencyError: A log is wanted and TensorBoard is not installed.
        CheckpointError: The file cannot be written.
    """

    def __init__(self, evaluations: Path | None, resume: int | None, folder: Path | None):
        self._writer = None
        self._file = evaluations
        if evaluations is not None:
            known = []
            if resume is not None and evaluations.is_file():
                known = [row for row in read_log(evaluations) if row["step"] <= resume]
            lines = "".join(json.dumps(row) + "\n" for row in known)
            write_atomically(evaluations, lines.encode())
        if folder is None:
            return
        with importing("a TensorBoard log needs tensorboard", "tensorboard"):
            from torch.utils.tensorboard.writer import SummaryWriter
        self._writer = SummaryWriter(str(folder))

    def scalars(self, step: int, figures: Mapping[str, float]) -> None:
        """Add figures at a step to TensorBoard's log."""
        if self._writer is not None:
            for name, value in figures.items():
                self._writer.add_scalar(name, value, step)

    def evaluation(
        self, step: int, samples: int, seconds: float, figures: Mapping[str, float]
    ) -> None:
        """Add an evaluation to both logs."""
        row = {"step": step, "samples": samples, "seconds": round(seconds, 1), **figures}
        self._add(json.dumps(row) + "\n")
        self.scalars(step, figures)

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._writer.close()

    def _add(self, line: str) -> None:
        if self._file is None:
            return
        try:
            with self._file.open("a") as stream:
                stream.write(line)
        except OSError as error:
            raise CheckpointError(f"cannot write {self._file}: {error.strerror}") from None
