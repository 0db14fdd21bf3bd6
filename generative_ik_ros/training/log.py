"""Figures by step in, a TensorBoard log out, if one is wanted."""

from collections.abc import Mapping
from pathlib import Path

from generative_ik_ros.errors import MissingDependencyError


class Log:
    """TensorBoard's log, or nothing.

    Args:
        folder: Where to write; None for no log.

    Raises:
        MissingDependencyError: A log is wanted and TensorBoard is not installed.
    """

    def __init__(self, folder: Path | None):
        """Open the log."""
        self._writer = None
        if folder is None:
            return
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError as error:
            raise MissingDependencyError(
                "a TensorBoard log needs tensorboard, which is not installed: "
                "pip install tensorboard"
            ) from error
        self._writer = SummaryWriter(str(folder))

    def scalars(self, step: int, figures: Mapping[str, float]) -> None:
        """Add figures at a step."""
        if self._writer is not None:
            for name, value in figures.items():
                self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._writer.close()
