"""Figures of configurations: the arm in space, its joints against each other, and raw samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.triangles import primitive
from generative_ik_ros.plots.style import AXES, MAP, new_figure, styled
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.rigid import wrapped
from generative_ik_ros.robot.tree import link_transforms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, SubFigure
    from mpl_toolkits.mplot3d import Axes3D


@styled
def solutions_figure(
    chain: KinematicChain, positions: Floats, targets: Floats, *, title: str
) -> "Figure":
    """Draw the arm in all its configurations, and neighbouring joints against each other.

    Args:
        chain: The chain, or a tree with several tips.
        positions: (N, n) configurations, the first drawn with the shapes of its links [rad or m].
        targets: (B, 4, 4) poses in base, drawn as frames [m].
        title: Title.
    """
    import matplotlib as mpl

    # A lone joint is paired with itself.
    pairs = [(i, i + 1) for i in range(chain.num_joints - 1)] or [(0, 0)]
    columns = math.ceil(math.sqrt(len(pairs))) if len(pairs) > 4 else min(2, len(pairs))
    rows = math.ceil(len(pairs) / columns)
    panel = 2.05  # inches
    widths = (6.4, columns * panel + 0.5)
    size = (sum(widths), max(6.2, rows * panel + 1.0))
    figure = new_figure(*size)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=widths)[0]
    colors = mpl.colormaps[MAP]
    shades = _shades(chain, positions)
    draw_arms(left, chain, positions, targets, colors(shades))
    _draw_joints(right, chain, positions, pairs, (rows, columns), shades, colors)
    figure.suptitle(title, fontsize=13)
    return figure


def _shown(chain: KinematicChain, positions: Floats) -> Floats:
    """Bring continuous joints to the turn that their axis spans."""
    return np.where(chain.continuous, wrapped(positions), positions)


def _shades(chain: KinematicChain, positions: Floats) -> Floats:
    """Return a shade from 0 to 1 for each configuration, by its first joint, for all panels."""
    first = _shown(chain, positions)[:, 0]
    span = np.ptp(first)
    return (first - first.min()) / span if span > 0 else np.full(len(first), 0.5)


def _draw_joints(
    area: "SubFigure",
    chain: KinematicChain,
    positions: Floats,
    pairs: list[tuple[int, int]],
    shape: tuple[int, int],
    shades: Floats,
    colors: "Colormap",
) -> None:
    """Draw one panel for each pair of joints, inside the limits or over one turn."""
    grid = area.subplots(*shape, squeeze=False)
    shown = _shown(chain, positions)
    for axes, (i, j) in zip(grid.flat, pairs, strict=False):
        x, y = shown[:, i], shown[:, j] if i != j else np.zeros(len(shown))
        axes.scatter(x, y, c=shades, cmap=colors, vmin=0, vmax=1, s=16, alpha=0.85, linewidths=0)
        axes.scatter(x[:1], y[:1], s=60, facecolors="none", edgecolors="black", linewidths=1.2)
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
    """Set a joint's axis to its limits, with a line at each, or to one turn; and label it."""
    lower, upper, margin = -math.pi, math.pi, 0.0
    if not chain.continuous[joint]:
        lower = max(float(chain.lower[joint]), -1e3)
        upper = min(float(chain.upper[joint]), 1e3)
        margin = 0.04 * (upper - lower)
    label = f"{chain.names[joint]} [{'m' if chain.prismatic[joint] else 'rad'}]"
    axes.set(**{f"{side}lim": (lower - margin, upper + margin), f"{side}label": label})
    (axes.xaxis if side == "x" else axes.yaxis).label.set_fontsize(8)
    axes.tick_params(labelsize=7, length=2)
    if margin:
        line = axes.axvline if side == "x" else axes.axhline
        for limit in (lower, upper):
            line(limit, color="#999999", linewidth=0.8, linestyle=":")


def draw_arms(
    area: "SubFigure", chain: KinematicChain, positions: Floats, targets: Floats, colors: Floats
) -> None:
    """Draw each configuration as lines through its joints, the first with its links' shapes.

    Positions, targets and the area of a figure are those of `solutions_figure`; the lines have
    `colors` (N, 3 or 4).
    """
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    axes: Axes3D = area.add_subplot(projection="3d")  # pyright: ignore[reportAssignmentType]
    fade = float(np.clip(20 / len(positions), 0.35, 0.9))
    polygons, corners = [], []
    limbs = _bones(chain, positions)
    for bones in limbs:
        lines = Line3DCollection(list(bones), colors=colors, linewidths=1.6, alpha=fade)
        axes.add_collection3d(lines)
        # The first ones, which are the most diverse, stand out from the others.
        for line, color in list(zip(bones, colors, strict=True))[1:6]:
            axes.plot(*line.T, color=color, linewidth=2.6, alpha=0.9, solid_capstyle="round")
        corners.append(bones.reshape(-1, 3))
    bodies = Bodies(chain)
    for body, frame in enumerate(bodies.frames(positions[:1])[:, 0]):
        for shape in bodies.shapes[body]:
            surface = primitive(shape.visual).apply_transform(frame @ shape.shape_in_body)
            polygons += list(surface.triangles)
    if polygons:
        solid = Poly3DCollection(
            polygons, facecolors="#B8BEC8", linewidths=0, alpha=0.35, shade=True
        )
        axes.add_collection3d(solid)
        corners += polygons
    for bones in limbs:
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


def _bones(chain: KinematicChain, positions: Floats) -> list[Floats]:
    """Return the origins of the links from base to each tip, (N, links, 3) [m]."""
    frames = link_transforms(chain.description, chain.joint_values(positions), chain.base_link)
    limbs = []
    for tip in chain.tip_links:
        route = [chain.base_link]
        for joint, down in path(chain.description, chain.base_link, tip):
            route.append(joint.child if down else joint.parent)
        at = [np.broadcast_to(frames[link][:, :3, 3], (len(positions), 3)) for link in route]
        limbs.append(np.stack(at, axis=1))
    return limbs


def _equal(axes: "Axes3D", points: Floats) -> None:
    """Give all three axes the same scale, around the points (N, 3)."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = float(np.ptp(points, axis=0).max()) / 2 * 1.02 or 0.5
    limits = zip(middle - half, middle + half, strict=True)
    axes.set(**{f"{name}lim": pair for name, pair in zip("xyz", limits, strict=True)})
    axes.set_box_aspect((1, 1, 1), zoom=1.1)  # pyright: ignore[reportArgumentType]


def _frame(axes: "Axes3D", frame: Floats, size: float, label: str) -> None:
    """Draw a frame (4, 4) as three arrows."""
    origin = frame[:3, 3]
    for i, color in enumerate(AXES):
        x, y, z = zip(origin, origin + size * frame[:3, i], strict=True)
        axes.plot(x, y, z, color=color, linewidth=2.4, zorder=10)
    if label:
        x, y, z = origin.tolist()
        axes.text(x, y, z, f"  {label}", fontsize=8, zorder=11)


@dataclass(frozen=True)
class SamplesLook:
    """How samples are drawn."""

    most_arms: int = 40
    """Arms of a panel at most."""
    inches: float = 4.2
    """Width of a panel."""


LOOK = SamplesLook()


Panels = tuple[str, Floats, str, Floats]
"""Headline and configurations (K, n) of raw samples [rad or m], and those of the solutions."""


@styled
def samplers_figure(
    chain: KinematicChain, rows: Sequence[Panels], target: Floats, *, title: str
) -> "Figure":
    """Draw raw samples beside solutions, a row for each sampler.

    Args:
        chain: The chain.
        rows: A row for each sampler; where there are no configurations its place stays empty.
        target: (4, 4) the pose [m].
        title: Title.
    """
    import matplotlib as mpl

    figure = new_figure(2.0 * LOOK.inches, LOOK.inches * len(rows) + 0.4)
    areas = figure.subfigures(len(rows), 2, squeeze=False)
    colors = mpl.colormaps[MAP]
    for (left, right), row in zip(areas, rows, strict=True):
        for area, headline, positions in ((left, *row[:2]), (right, *row[2:])):
            some = positions[: LOOK.most_arms]
            area.suptitle(headline, fontsize=10)
            if len(some):
                shades = wrapped(some[:, 0]) / (2.0 * np.pi) + 0.5
                draw_arms(area, chain, some, target[None], colors(shades))
    figure.suptitle(title, fontsize=13)
    return figure
