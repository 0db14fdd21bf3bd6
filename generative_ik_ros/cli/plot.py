"""Plots of configurations, written to files."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.cli.console import check_writable
from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError
from generative_ik_ros.plots.solutions import solutions_figure
from generative_ik_ros.robot.chain import KinematicChain


def check_plot_path(file: Path) -> None:
    """Check that a plot can be written to a file, before anything is computed for it.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        InvalidArgumentError: The ending is no image format, or the path cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError as error:
        raise MissingDependencyError(
            "pictures need matplotlib, which is not installed: pip install matplotlib"
        ) from error
    known = sorted(FigureCanvasAgg.get_supported_filetypes())
    if file.suffix[1:].lower() not in known:
        raise InvalidArgumentError(
            f"cannot plot to '{file}': its ending must be one of {', '.join(known)}"
        )
    check_writable(file)


def plot_solutions(
    chain: KinematicChain,
    positions: NDArray[np.float64],
    targets: NDArray[np.float64],
    file: Path,
    *,
    title: str | None = None,
) -> None:
    """Write `solutions_figure` to a file, whose suffix chooses the format.

    Its title is by default the number of configurations.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        InvalidArgumentError: The file cannot be written.
    """
    check_plot_path(file)
    if title is None:
        title = f"{len(positions)} configurations" if len(positions) > 1 else "1 configuration"
    headline = f"{chain.description.name}: {title}"
    figure = solutions_figure(chain, positions, targets, title=headline)
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{file}': {error.strerror}") from error
