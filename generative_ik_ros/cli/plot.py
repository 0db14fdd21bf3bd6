"""Configurations of a chain come in, one picture of the arm and its joint space goes out."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.cli.console import check_writable
from generative_ik_ros.cli.shapes import faces
from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.tree import link_transforms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, SubFigure
    from mpl_toolkits.mplot3d import Axes3D

# Okabe and Ito's colours, told apart with any colour vision: x, y, z of a frame.
_AXIS_COLORS = ("#D55E00", "#009E73", "#0072B2")
_TARGET = "#000000"
_MAP = "viridis"
_STYLE: Any = {
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    **{f"axes3d.{axis}axis.panecolor": "#F7F7F7" for axis in "xyz"},
}
_PANEL_INCHES = 2.05


def check_plot_path(file: Path) -> None:
    """Refuse a file that could not be written, before anything is computed for it.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        InvalidArgumentError: The ending is no picture format, or the path cannot be written.
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
            f"cannot draw into '{file}': its ending must be one of {', '.join(known)}"
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
    """Draw the arm in all its configurations, and neighbouring joints against each other.

    Args:
        chain: The chain.
        positions: (N, n) configurations, the first is drawn with its link shapes [rad or m].
        targets: (B, 4, 4) poses of the tip in base, drawn as frames.
        file: Where to write; the ending chooses the format.
        title: Headline; without it, how many configurations there are.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        InvalidArgumentError: The file cannot be written.
    """
    check_plot_path(file)
    import matplotlib as mpl

    if title is None:
        title = f"{len(positions)} configurations" if len(positions) > 1 else "1 configuration"
    # Older releases do not know all of it.
    style = {key: value for key, value in _STYLE.items() if key in mpl.rcParams}
    with mpl.rc_context(style):
        figure = _figure(chain, positions, targets)
        figure.suptitle(f"{chain.description.name}: {title}", fontsize=13)
        try:
            figure.savefig(file, dpi=150)
        except OSError as error:
            raise InvalidArgumentError(f"cannot write '{file}': {error.strerror}") from error


def _figure(
    chain: KinematicChain, positions: NDArray[np.float64], targets: NDArray[np.float64]
) -> "Figure":
    """Lay out the arm on the left, the joint pairs on the right."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    pairs = _neighbours(chain)
    columns = math.ceil(math.sqrt(len(pairs))) if len(pairs) > 4 else min(2, len(pairs))
    rows = math.ceil(len(pairs) / columns)
    widths = (6.4, columns * _PANEL_INCHES + 0.5)
    size = (sum(widths), max(6.2, rows * _PANEL_INCHES + 1.0))
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=widths)[0]
    colors = mpl.colormaps[_MAP]
    shades = _shades(chain, positions)
    _draw_arm(left, chain, positions, targets, colors(shades))
    _draw_joints(right, chain, positions, pairs, (rows, columns), shades, colors)
    return figure


def _neighbours(chain: KinematicChain) -> list[tuple[int, int]]:
    """Pair each joint with the next; a lone joint with itself."""
    return [(i, i + 1) for i in range(chain.num_joints - 1)] or [(0, 0)]


def _range(chain: KinematicChain, joint: int) -> tuple[float, float]:
    """Return what an axis for a joint spans: its limits, or one turn [rad or m]."""
    if chain.continuous[joint]:
        return -math.pi, math.pi
    lower, upper = float(chain.lower[joint]), float(chain.upper[joint])
    return max(lower, -1e3), min(upper, 1e3)


def _shown(chain: KinematicChain, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring continuous joints into one turn, where the axes are."""
    turned = (positions + np.pi) % (2 * np.pi) - np.pi
    return np.where(chain.continuous, turned, positions)


def _shades(chain: KinematicChain, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place each configuration between 0 and 1 by its first joint, the same in all panels."""
    first = _shown(chain, positions)[:, 0]
    span = np.ptp(first)
    return (first - first.min()) / span if span > 0 else np.full(len(first), 0.5)


def _draw_arm(
    area: "SubFigure",
    chain: KinematicChain,
    positions: NDArray[np.float64],
    targets: NDArray[np.float64],
    colors: NDArray[np.float64],
) -> None:
    """Draw every configuration as a line through the joints, the first one with its links."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    axes: Axes3D = area.add_subplot(projection="3d")  # pyright: ignore[reportAssignmentType]
    values = dict(zip(chain.joint_names, positions.T, strict=True))
    frames = link_transforms(chain.description, values, chain.base_link)
    route = [chain.base_link]
    for joint, down in path(chain.description, chain.base_link, chain.tip_link):
        route.append(joint.child if down else joint.parent)
    bones = np.stack([frames[link][:, :3, 3] for link in route], axis=1)
    fade = float(np.clip(20 / len(bones), 0.35, 0.9))
    axes.add_collection3d(Line3DCollection(list(bones), colors=colors, linewidths=1.6, alpha=fade))
    # The few most different ones carry the picture, the rest is the cloud around them.
    for line, color in list(zip(bones, colors, strict=True))[1:6]:
        axes.plot(
            line[:, 0],
            line[:, 1],
            line[:, 2],
            color=color,
            linewidth=2.6,
            alpha=0.9,
            solid_capstyle="round",
        )
    polygons, corners = [], [bones.reshape(-1, 3)]
    for link, frame in frames.items():
        for visual in chain.description.visuals.get(link, ()):
            polygons += [f @ frame[0, :3, :3].T + frame[0, :3, 3] for f in faces(visual)]
    if polygons:
        solid = Poly3DCollection(
            polygons, facecolors="#B8BEC8", linewidths=0, alpha=0.35, shade=True
        )
        axes.add_collection3d(solid)
        corners += polygons
    x, y, z = bones[0].T
    axes.plot(x, y, z, color=colors[0], linewidth=3.4, marker="o", markersize=4.5, zorder=5)
    _equal(axes, np.concatenate([*corners, targets[:, :3, 3]]))
    size = 0.12 * float(np.ptp(axes.get_xlim()))
    _frame(axes, np.eye(4), size, chain.base_link)
    for i, target in enumerate(targets):
        _frame(axes, target, size, "target" if i == 0 else "")
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.tick_params(labelsize=8)
    axes.view_init(elev=20, azim=-55)
    axes.set_title("frames: x orange, y green, z blue", fontsize=9)


def _equal(axes: "Axes3D", points: NDArray[np.float64]) -> None:
    """Give all three axes the same scale around the points (N, 3)."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = float(np.ptp(points, axis=0).max()) / 2 * 1.02 or 0.5
    axes.set(
        **{
            f"{name}lim": (center - half, center + half)
            for name, center in zip("xyz", middle, strict=True)
        }
    )
    axes.set_box_aspect((1, 1, 1), zoom=1.1)  # pyright: ignore[reportArgumentType]


def _frame(axes: "Axes3D", frame: NDArray[np.float64], size: float, label: str) -> None:
    """Draw a frame (4, 4) as three arrows."""
    origin = frame[:3, 3]
    for i, color in enumerate(_AXIS_COLORS):
        x, y, z = zip(origin, origin + size * frame[:3, i], strict=True)
        axes.plot(x, y, z, color=color, linewidth=2.4, zorder=10)
    if label:
        x, y, z = origin.tolist()
        axes.text(x, y, z, f"  {label}", fontsize=8, zorder=11)


def _draw_joints(
    area: "SubFigure",
    chain: KinematicChain,
    positions: NDArray[np.float64],
    pairs: list[tuple[int, int]],
    shape: tuple[int, int],
    shades: NDArray[np.float64],
    colors: "Colormap",
) -> None:
    """Draw one panel for each pair of joints, in the limits or over one turn."""
    grid = area.subplots(*shape, squeeze=False)
    shown = _shown(chain, positions)
    for axes, (i, j) in zip(grid.flat, pairs, strict=False):
        x, y = shown[:, i], shown[:, j] if i != j else np.zeros(len(shown))
        axes.scatter(x, y, c=shades, cmap=colors, vmin=0, vmax=1, s=16, alpha=0.85, linewidths=0)
        axes.scatter(x[:1], y[:1], s=60, facecolors="none", edgecolors=_TARGET, linewidths=1.2)
        axes.set_box_aspect(1)
        _joint_axis(axes, chain, i, "x")
        if i != j:
            _joint_axis(axes, chain, j, "y")
        else:
            axes.set_yticks([])
    for axes in grid.flat[len(pairs) :]:
        axes.set_visible(False)
    area.suptitle("neighbouring joints (colour: first joint; ring: first solution)", fontsize=9)


def _joint_axis(axes: "Axes", chain: KinematicChain, joint: int, side: str) -> None:
    """Span an axis over a joint's range and name it with its unit."""
    lower, upper = _range(chain, joint)
    margin = 0.0 if chain.continuous[joint] else 0.04 * (upper - lower)
    unit = "m" if chain.prismatic[joint] else "rad"
    label = f"{chain.joint_names[joint]} [{unit}]"
    axes.set(**{f"{side}lim": (lower - margin, upper + margin)})
    axes.set(**{f"{side}label": label})
    (axes.xaxis if side == "x" else axes.yaxis).label.set_fontsize(8)
    axes.tick_params(labelsize=7, length=2)
    if margin:
        line = axes.axvline if side == "x" else axes.axhline
        for limit in (lower, upper):
            line(limit, color="#999999", linewidth=0.8, linestyle=":")
