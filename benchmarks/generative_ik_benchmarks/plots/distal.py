"""Figures 2 and 3 of the paper on distal teaching."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_benchmarks.reproduce.distal import DistalReport, Options
from generative_ik_benchmarks.reproduce.distal_accuracy import AccuracyRow
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism, chosen_mechanisms
from generative_ik_benchmarks.reproduce.distal_paths import (
    JOINT,
    JUMP,
    OUR_NEAREST,
    PathRow,
    followers,
    joint_paths,
)
from generative_ik_benchmarks.reproduce.distal_solvers import DISTAL, TRAC_IK
from generative_ik_benchmarks.reproduce.distal_training import NetFolder
from generative_ik_ros.array_types import Floats
from generative_ik_ros.plots.style import SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Traces = dict[str, Floats]
"""Joint positions (W, n) along one path, by solver."""


def draw_distal(
    report: DistalReport, options: Options, nets: NetFolder, folder: Path
) -> Iterator[Path]:
    """Draw what the report has: errors over training poses, and one path of each mechanism.

    Args:
        report: What was measured.
        options: How much was measured.
        nets: The trained nets.
        folder: Where the pictures go.

    Yields:
        The files.
    """
    if report.accuracy:
        yield _saved(errors_figure(report.accuracy), folder / "distal-errors.png")
    if report.paths:
        traces = [
            (mechanism.name, *_traces(mechanism, report.paths, options, nets))
            for mechanism in chosen_mechanisms(options.mechanisms)
        ]
        yield _saved(paths_figure(traces), folder / "distal-path.png")


def _saved(figure: "Figure", path: Path) -> Path:
    figure.savefig(path, dpi=120)
    return path


@styled
def errors_figure(rows: Sequence[AccuracyRow]) -> "Figure":
    """Draw figure 2: mean errors of distal teaching over the number of training poses."""
    figure = new_figure(8.4, 3.6)
    left, right = figure.subplots(1, 2)
    for name, color in zip(dict.fromkeys(row.mechanism for row in rows), SERIES, strict=False):
        nets = [row for row in rows if row.mechanism == name and row.samples is not None]
        sizes = [row.samples for row in nets]
        left.plot(sizes, [1e3 * row.position.mean for row in nets], "o-", color=color, label=name)
        angles = [np.rad2deg(row.orientation.mean) for row in nets]
        right.plot(sizes, angles, "o-", color=color, label=name)
    for axes, label in ((left, "mean distance [mm]"), (right, "mean angle [deg]")):
        axes.set(xscale="log", yscale="log", xlabel="training poses", ylabel=label)
        plain(axes)
    left.legend(frameon=False)
    return figure


def _traces(
    mechanism: Mechanism, rows: Sequence[PathRow], options: Options, nets: NetFolder
) -> tuple[int, Traces]:
    """Follow the first path on which TRAC-IK jumps, or else the nearest solution, or the first.

    Returns:
        The path's number, and joint positions by solver.
    """
    first = {
        row.solver: row.first
        for row in rows
        if (row.mechanism, row.kind) == (mechanism.name, JOINT)
    }
    jumped = [first.get(name) for name in (TRAC_IK, OUR_NEAREST)]
    number = next((one for one in jumped if one is not None), 0)
    seed = options.random_seed
    path = joint_paths(mechanism, number + 1, options.path_poses, seed)[number]
    traces = {}
    for name, follow in followers(mechanism, nets, seed).items():
        positions = follow(path.targets, path.start)
        # The nets' answers ignore limits: a full turn is no jump.
        traces[name] = np.unwrap(positions, axis=0) if name.startswith(DISTAL) else positions
    return number, traces


@styled
def paths_figure(rows: Sequence[tuple[str, int, Traces]]) -> "Figure":
    """Draw figure 3: joint positions along one path, a row a mechanism, a column a solver.

    Args:
        rows: The mechanism, the number of the path, and joint positions by solver.
    """
    columns = max(len(traces) for _, _, traces in rows)
    figure = new_figure(3.3 * columns, 2.5 * len(rows))
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for line, (mechanism, number, traces) in zip(grid, rows, strict=True):
        line[0].set_ylabel(f"{mechanism}, path {number}\njoint positions [rad]")
        for axes, (name, positions) in zip(line, traces.items(), strict=False):
            _draw_trace(axes, positions)
            axes.set_title(name)
    for axes in grid[-1]:
        axes.set_xlabel("pose")
    return figure


def _draw_trace(axes: "Axes", positions: Floats) -> None:
    """Draw joint positions (W, n) over the poses, jumps marked."""
    axes.plot(positions, linewidth=1.0)
    for jump in np.flatnonzero((np.abs(np.diff(positions, axis=0)) > JUMP).any(axis=1)):
        axes.axvline(jump + 0.5, color="0.3", linewidth=0.6, linestyle=":")
    plain(axes)
