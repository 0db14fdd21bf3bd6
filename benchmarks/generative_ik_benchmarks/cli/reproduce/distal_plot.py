"""What was measured comes in, figures 2 and 3 of the paper go out as pictures."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.reproduce.distal import Amounts, DistalReport
from generative_ik_benchmarks.reproduce.distal_accuracy import AccuracyRow
from generative_ik_benchmarks.reproduce.distal_contestants import TEACHING
from generative_ik_benchmarks.reproduce.distal_lessons import Teach
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.reproduce.distal_paths import (
    JOINT,
    JUMP,
    OUR_NEAREST,
    TRAC_IK,
    followers,
    joint_paths,
)
from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = ("#d1495b", "#3b6fb6", "#2e933c")


def check_folder(folder: Path) -> None:
    """Refuse a folder that pictures cannot go into, before anything is measured.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        InvalidArgumentError: It cannot be made.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "pictures need matplotlib, which is not installed: pip install matplotlib"
        ) from error
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgumentError(f"cannot make '{folder}': {error.strerror}") from None


def draw_all(
    report: DistalReport,
    mechanisms: Sequence[Mechanism],
    teach: Teach,
    amounts: Amounts,
    seed: int,
    folder: Path,
) -> list[Path]:
    """Draw what the report has: errors over training poses, and one path of each mechanism.

    Args:
        report: What was measured.
        mechanisms: On which mechanisms.
        teach: Returns nets.
        amounts: How much was measured.
        seed: Of the paths.
        folder: Where the pictures go.

    Returns:
        The files.
    """
    files = []
    if report.accuracy:
        files.append(folder / "distal-errors.png")
        _errors(report.accuracy, files[-1])
    if report.paths:
        files.append(folder / "distal-path.png")
        _paths(report, mechanisms, teach, amounts, seed, files[-1])
    return files


def _errors(rows: Sequence[AccuracyRow], path: Path) -> None:
    """Draw figure 2: mean errors of distal teaching over the number of training poses."""
    plt = _pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), constrained_layout=True)
    names = dict.fromkeys(row.mechanism for row in rows)
    for name, colour in zip(names, _COLOURS, strict=False):
        nets = [row for row in rows if row.mechanism == name and row.samples is not None]
        sizes = [row.samples for row in nets]
        left.plot(sizes, [1e3 * row.position.mean for row in nets], "o-", color=colour, label=name)
        angles = [np.rad2deg(row.orientation.mean) for row in nets]
        right.plot(sizes, angles, "o-", color=colour, label=name)
    for axes, label in ((left, "mean distance [mm]"), (right, "mean angle [deg]")):
        axes.set(xscale="log", yscale="log", xlabel="training poses", ylabel=label)
        _clean(axes)
    left.legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _paths(
    report: DistalReport,
    mechanisms: Sequence[Mechanism],
    teach: Teach,
    amounts: Amounts,
    seed: int,
    path: Path,
) -> None:
    """Draw figure 3: joint positions along one path, a row a mechanism, a column a contestant.

    The path is the first one on which TRAC-IK jumps, or else the nearest solution, or the first.
    """
    plt = _pyplot()
    rows = []
    for mechanism in mechanisms:
        first = {
            row.contestant: row.first
            for row in report.paths
            if row.mechanism == mechanism.name and row.kind == JOINT
        }
        jumped = [first.get(name) for name in (TRAC_IK, OUR_NEAREST)]
        number = next((one for one in jumped if one is not None), 0)
        chosen = joint_paths(mechanism, number + 1, amounts.path_poses, seed)[number]
        follow = followers(mechanism, teach, seed)
        traces = {name: run(chosen.targets, chosen.start) for name, run in follow.items()}
        for name, positions in traces.items():
            if name.startswith(TEACHING):  # Its answers know no limits: whole turns are no jumps.
                traces[name] = np.unwrap(positions, axis=0)
        rows.append((mechanism, number, traces))
    columns = max(len(traces) for _, _, traces in rows)
    figure, grid = plt.subplots(
        len(rows), columns, squeeze=False, constrained_layout=True,
        figsize=(3.3 * columns, 2.5 * len(rows)),
    )  # fmt: skip
    for line, (mechanism, number, traces) in zip(grid, rows, strict=True):
        line[0].set_ylabel(f"{mechanism.name}, path {number}\njoint positions [rad]")
        for axes, (name, positions) in zip(line, traces.items(), strict=False):
            _trace(axes, positions)
            axes.set_title(name, fontsize=8)
    for axes in grid[-1]:
        axes.set_xlabel("pose")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _trace(axes: "Axes", positions: NDArray[np.float64]) -> None:
    """Draw joint positions (W, n) over the poses, jumps marked."""
    axes.plot(positions, linewidth=1.0)
    jumps = np.flatnonzero((np.abs(np.diff(positions, axis=0)) > JUMP).any(axis=1))
    for jump in jumps:
        axes.axvline(jump + 0.5, color="0.3", linewidth=0.6, linestyle=":")
    _clean(axes)


def _clean(axes: "Axes") -> None:
    axes.grid(True, which="major", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)


def _pyplot():  # noqa: ANN202 (a module)
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt
