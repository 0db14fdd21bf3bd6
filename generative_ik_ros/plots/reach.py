"""Figures of reachability maps and of base placements: voxels cut open, slices, and a top view."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.colors import STILL, by_index
from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.plots.render import Picture
from generative_ik_ros.plots.scene import arm_triangles
from generative_ik_ros.plots.style import MAP, SERIES, new_figure, plain, styled
from generative_ik_ros.reach.placement import BasePlacements
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.reach.voxel_grid import VoxelGrid
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class MapLook:
    """How a map is drawn."""

    pixels: int = 1000
    """Width of the picture of the voxels."""
    edge: float = 0.8
    """Brightness of a voxel's edges, beside its faces."""
    edge_width: float = 0.04
    """Of a voxel's edge on each face, beside the voxel's."""
    arrows: int = 16
    """Most arrows along an edge of a slice."""
    tick: float = 0.5
    """Distance of the ticks along the edges of the box [m]."""


LOOK = MapLook()

_AZIMUTH_OF_ARM = np.radians(-40.0)
_ARM = np.array((0.93, 0.93, 0.95))


@styled
def reach_figure(
    chain: KinematicChain,
    reach: ReachabilityMap,
    *,
    height: float | None = None,
    directions: bool = False,
    title: str,
) -> "Figure":
    """Draw the half of a map's voxels behind the first joint, and slices that show all of it.

    Voxels are coloured by their reachability index; those with no reachable pose are left out.
    The vertical slice is the one at which the half begins, x to the right.

    Args:
        chain: The chain.
        reach: Its map.
        height: Of the horizontal slice [m]; None: where the sum of the indices is greatest.
        directions: Draw arrows for the mean direction of `reach.approach` over the reached poses
            of each voxel, in the slices. They are the shorter the more directions there are.
        title: Title.

    Raises:
        InvalidArgumentError: The map is one of given points, or reaches nothing.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    grid = VoxelGrid(reach)
    names = LinearSegmentedColormap.from_list("index", list(by_index(np.linspace(0, 1, 64))))
    top = float(grid.index.max())
    cut = grid.half(chain)
    if height is None:
        level = int(np.argmax(grid.index.sum(axis=(0, 1))))
    else:
        level = grid.layer(2, height)
    figure = new_figure(9.2, 5.2)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=[1.7, 1.0])[0]
    upper, lower = right.subplots(2, 1, height_ratios=[grid.row.shape[2], grid.row.shape[1]])
    _draw_space(left.add_subplot(), chain, grid, cut, _towards_camera(chain), names, top)
    _draw_slice(upper, reach, grid, (0, 2), cut, names, top, directions=directions)
    _draw_slice(lower, reach, grid, (0, 1), level, names, top, directions=directions)
    upper.axhline(grid.centres(2)[level], color="#666666", linewidth=0.8, linestyle="--")
    lower.axhline(grid.centres(1)[cut], color="#666666", linewidth=0.8, linestyle="--")
    scale = ScalarMappable(Normalize(0.0, top), names)
    bar = right.colorbar(scale, ax=[upper, lower], aspect=32, pad=0.03)
    bar.set_label("reachability index")
    figure.suptitle(title, fontsize=12)
    return figure


def _towards_camera(chain: KinematicChain) -> Floats:
    """Return a bent configuration (n,) whose first joint brings the tip before the voxels."""
    lower, upper = finite_limits(chain)
    positions = np.repeat(bent_configuration(chain)[None], 48, axis=0)
    positions[:, 0] = np.linspace(lower[0], upper[0], len(positions))
    tips = chain.forward(positions)[:, :3, 3]
    return positions[np.argmax(tips @ (np.cos(_AZIMUTH_OF_ARM), np.sin(_AZIMUTH_OF_ARM), 0.0))]


def _draw_space(
    axes: "Axes",
    chain: KinematicChain,
    grid: VoxelGrid,
    cut: int,
    position: Floats,
    colors: "Colormap",
    top: float,
) -> None:
    """Draw the voxels from the layer `cut` on, the arm before them, and a box with ticks."""
    shown = grid.index > 0.0
    shown[:, :cut] = False
    bodies = Bodies(chain)
    base = arm_triangles(bodies, position[None], [bodies.base])[0]
    arm = arm_triangles(bodies, position[None], bodies.moving)[0]
    low, high = grid.lower.copy(), grid.upper
    low[1] += cut * grid.resolution
    corners = np.stack(np.meshgrid(*zip(low, high, strict=True)), axis=-1).reshape(-1, 3)
    inside = np.concatenate([corners, base.reshape(-1, 3), arm.reshape(-1, 3)])
    picture = Picture(inside, -62.0, 22.0, LOOK.pixels, None)
    # What the camera sees of a box.
    for axis, side in ((1, -1), (0, 1), (2, 1)):
        faces, cells = grid.faces(shown, axis, side)
        shades = np.asarray(colors(grid.index[tuple(cells.T)] / top))[:, :3]
        # The face of the cut has the colours of the bar.
        lit = axis != 1
        middle = faces.mean(axis=1, keepdims=True)
        for part, bright in ((1.0 - 2.0 * LOOK.edge_width, 1.0), (1.0, LOOK.edge)):
            picture.add(
                _triangles(middle + part * (faces - middle)),
                np.repeat(bright * shades, 2, axis=0),
                lit=lit,
            )
    picture.add(base, np.array(STILL))
    picture.add(arm, _ARM)
    axes.imshow(picture.pixels(), interpolation="antialiased")
    axes.set_axis_off()
    axes.autoscale(enable=False)
    _draw_edges(axes, picture, low, high)


def _draw_edges(axes: "Axes", picture: Picture, low: Floats, high: Floats) -> None:
    """Draw three edges of a box with ticks in metres, along its outline as the camera sees it."""
    corners = np.array([low, (high[0], low[1], low[2]), low])
    outwards = np.array([(-0.25, 1.0), (1.0, 0.45), (-1.0, 0.0)])
    line: dict[str, Any] = {"color": "#666666", "linewidth": 0.8}
    text: dict[str, Any] = {"ha": "center", "va": "center"}
    for axis, (corner, out) in enumerate(zip(corners, outwards, strict=True)):
        ends = np.stack([corner, corner])
        ends[:, axis] = low[axis], high[axis]
        axes.plot(*picture.place(ends).T, **line)
        numbers = np.arange(np.ceil(low[axis] / LOOK.tick), np.floor(high[axis] / LOOK.tick) + 1)
        ticks = np.repeat(corner[None], len(numbers), axis=0)
        ticks[:, axis] = LOOK.tick * numbers
        for number, place in zip(ticks[:, axis], picture.place(ticks), strict=True):
            axes.plot(*np.stack([place, place + 10.0 * out]).T, **line)
            axes.annotate(f"{number + 0.0:g}", place + 36.0 * out, fontsize=8, **text)
        middle = picture.place(ends).mean(axis=0)
        axes.annotate(f"{'xyz'[axis]} [m]", middle + 90.0 * out, fontsize=9, **text)


def _triangles(faces: Floats) -> Floats:
    """Return the two triangles of each face: (F, 4, 3) to (2 F, 3, 3)."""
    return faces[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 3)


def _draw_slice(
    axes: "Axes",
    reach: ReachabilityMap,
    grid: VoxelGrid,
    plane: tuple[int, int],
    layer: int,
    colors: "Colormap",
    top: float,
    *,
    directions: bool,
) -> None:
    """Draw a layer of voxels in the plane of two axes, the first to the right."""
    (across,) = {0, 1, 2} - set(plane)
    index = grid.index.take(layer, axis=across)
    right, up = plane
    if directions:
        _draw_directions(axes, reach, grid, plane, layer)
    extent = (grid.lower[right], grid.upper[right], grid.lower[up], grid.upper[up])
    seen = np.ma.masked_equal(index.T, 0.0)
    axes.imshow(seen, origin="lower", extent=extent, cmap=colors, vmin=0.0, vmax=top)
    axes.set(xlabel=f"{'xyz'[right]} [m]", ylabel=f"{'xyz'[up]} [m]")
    where = grid.centres(across)[layer]
    axes.set_title(f"{'xyz'[across]} = {where:.3f} m")
    axes.spines[["top", "right"]].set_visible(False)


def _draw_directions(
    axes: "Axes", reach: ReachabilityMap, grid: VoxelGrid, plane: tuple[int, int], layer: int
) -> None:
    """Draw the mean direction of approach of each voxel in a layer as an arrow."""
    (across,) = {0, 1, 2} - set(plane)
    every = -(-max(grid.row.shape) // LOOK.arrows)
    rows = np.asarray(grid.row.take(layer, axis=across))
    rows = rows[every // 2 :: every, every // 2 :: every].ravel()
    rows = rows[rows >= 0]
    counts = reach.reachable[rows].sum(axis=2)
    mean = counts @ reach.directions / counts.sum(axis=1, keepdims=True)
    arrows = every * grid.resolution * mean[:, plane]
    axes.quiver(
        *reach.positions[rows][:, plane].T, *arrows.T,
        angles="xy", scale_units="xy", scale=1.0, pivot="mid", width=0.006, color="#FFFFFF",
    )  # fmt: skip


@styled
def placement_figure(found: BasePlacements, tasks: Floats, *, title: str) -> "Figure":
    """Draw the share of tasks that bases reach, seen from above, and the best bases by number.

    Args:
        found: The bases.
        tasks: (T, 4, 4) the tasks in the world [m].
        title: Title.
    """
    # Of several heights, the best.
    places, column = np.unique(np.round(found.cells[:, :2], 9), axis=0, return_inverse=True)
    shares = np.zeros(len(places))
    np.maximum.at(shares, column.ravel(), found.cell_shares)
    figure = new_figure(6.6, 5.6)
    axes = figure.subplots()
    plain(axes)
    span = max(float(np.ptp(places, axis=0).max()), 1e-6)
    gap = np.linalg.norm(places - places[0], axis=1)
    step = gap[gap > 0.0].min(initial=span)
    # A square for each position, as wide as the grid is fine.
    size = (figure.get_size_inches()[1] * 55.0 * step / (span + step)) ** 2
    drawn = axes.scatter(
        *places.T, c=shares, s=size, marker="s", cmap=MAP, vmin=0.0, vmax=1.0, linewidths=0
    )
    figure.colorbar(drawn, ax=axes, label="share of the tasks, estimated")
    axes.plot(*tasks[:, :2, 3].T, "x", color=SERIES[1], markersize=7, label="tasks")
    length = 0.6 * step
    for number, base in enumerate(found.bases, start=1):
        x, y = base[:2, 3]
        axes.annotate(
            "", (x + length * base[0, 0], y + length * base[1, 0]), (x, y),
            arrowprops={"arrowstyle": "->", "color": "black"},
        )  # fmt: skip
        axes.annotate(str(number), (x, y), (4, 4), textcoords="offset points", fontsize=9)
    axes.plot(*found.bases[:, :2, 3].T, "o", color="black", markersize=4, label="best bases")
    axes.set(xlabel="x [m]", ylabel="y [m]", title=title)
    axes.set_aspect("equal")
    axes.legend(loc="upper right")
    return figure
