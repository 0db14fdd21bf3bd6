"""A drawing of an arm, or of several that share joints, in many configurations in space."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.triangles import primitive
from generative_ik_ros.plots.style import AXES
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.tree import link_transforms

if TYPE_CHECKING:
    from matplotlib.figure import SubFigure
    from mpl_toolkits.mplot3d import Axes3D


def draw_arms(
    area: "SubFigure",
    chain: KinematicChain,
    positions: NDArray[np.float64],
    targets: NDArray[np.float64],
    colors: NDArray[np.float64],
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


def _bones(chain: KinematicChain, positions: NDArray[np.float64]) -> list[NDArray[np.float64]]:
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


def _equal(axes: "Axes3D", points: NDArray[np.float64]) -> None:
    """Give all three axes the same scale, around the points (N, 3)."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = float(np.ptp(points, axis=0).max()) / 2 * 1.02 or 0.5
    limits = zip(middle - half, middle + half, strict=True)
    axes.set(**{f"{name}lim": pair for name, pair in zip("xyz", limits, strict=True)})
    axes.set_box_aspect((1, 1, 1), zoom=1.1)  # pyright: ignore[reportArgumentType]


def _frame(axes: "Axes3D", frame: NDArray[np.float64], size: float, label: str) -> None:
    """Draw a frame (4, 4) as three arrows."""
    origin = frame[:3, 3]
    for i, color in enumerate(AXES):
        x, y, z = zip(origin, origin + size * frame[:3, i], strict=True)
        axes.plot(x, y, z, color=color, linewidth=2.4, zorder=10)
    if label:
        x, y, z = origin.tolist()
        axes.text(x, y, z, f"  {label}", fontsize=8, zorder=11)
