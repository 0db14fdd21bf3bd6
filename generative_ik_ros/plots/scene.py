"""Figures of an arm among obstacles: free and colliding configurations, and a path."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.colors import (
    CLOSEST,
    FAR,
    OBSTACLE,
    REJECTED,
    STILL,
    by_clearance,
    by_order,
)
from generative_ik_ros.drawing.obstacles import SceneFrames, surface
from generative_ik_ros.drawing.triangles import primitive
from generative_ik_ros.plots.render import Picture
from generative_ik_ros.plots.style import AXES, new_figure, styled
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class FaintArms:
    """Opacity of the arms that matter less."""

    colliding: float = 0.3
    between: float = 0.45
    """Those between the first and the last of a path."""


FAINT = FaintArms()


@styled
def scene_figure(
    chain: KinematicChain,
    scene: Scene | None,
    free: Floats,
    clearance: Floats,
    colliding: Floats,
    targets: Floats,
    *,
    title: str,
) -> "Figure":
    """Draw the arm in free configurations, and faintly in those that collide.

    Args:
        chain: The chain.
        scene: The obstacles; None: there are none. Points are not drawn.
        free: (N, n) configurations, coloured by their clearance [rad or m].
        clearance: (N,) their distance from collision [m].
        colliding: (M, n) configurations that collide [rad or m].
        targets: (B, 4, 4) poses in base, drawn as frames [m].
        title: Title.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    bodies = Bodies(chain)
    arms, others = (arm_triangles(bodies, q, bodies.moving) for q in (free, colliding))
    picture = _begun((-28.0, 26.0), chain, bodies, scene, [*arms, *others])
    for triangles, color in zip(arms, by_clearance(clearance), strict=True):
        picture.add(triangles, color)
    if others:
        picture.add(np.concatenate(others), np.array(REJECTED), FAINT.colliding)
    figure, axes = _shown(picture, title)
    size = 0.1 * chain.size
    for target in targets:
        ends = picture.place(target[:3, 3] + np.r_[np.zeros((1, 3)), size * target[:3, :3].T])
        for end, color in zip(ends[1:], AXES, strict=True):
            axes.plot(*np.stack([ends[0], end]).T, color=color, linewidth=2.6)
    names = LinearSegmentedColormap.from_list("clearance", by_clearance(np.linspace(0, FAR, 64)))
    scale = ScalarMappable(Normalize(0.0, 1e3 * FAR), names)
    bar = figure.colorbar(scale, ax=axes, shrink=0.45, pad=0.01, extend="max")
    bar.set_label("clearance [mm]")
    return figure


@styled
def path_figure(
    chain: KinematicChain,
    scene: Scene | None,
    positions: Floats,
    missed: Floats,
    *,
    num_arms: int,
    title: str,
) -> "Figure":
    """Draw the arm along a path, from blue at its beginning to yellow at its end.

    Args:
        chain: The chain, or a tree of which the way of the first tip is drawn.
        scene: The obstacles; None: there are none. Points are not drawn.
        positions: (L, n) the path, L at least 1 [rad or m].
        missed: (U, 4, 4) the poses that the path does not reach [m].
        num_arms: Arms that are drawn, at even distances along the path.
        title: Title.
    """
    bodies = Bodies(chain)
    chosen = _evenly(positions / chain.joint_units, num_arms)
    arms = arm_triangles(bodies, positions[chosen], bodies.moving)
    picture = _begun((-52.0, 24.0), chain, bodies, scene, arms)
    shades = by_order(len(arms))
    ends = sorted({0, len(arms) - 1})
    for k in ends:
        picture.add(arms[k], shades[k])
    for k in range(1, len(arms) - 1):
        picture.add(arms[k], shades[k], FAINT.between)
    figure, axes = _shown(picture, title)
    tips = chain.forward(positions).reshape(len(positions), -1, 4, 4)
    way = picture.place(tips[:, 0, :3, 3])
    for k, shade in zip(range(len(way) - 1), by_order(max(len(way) - 1, 1)), strict=False):
        axes.plot(*way[k : k + 2].T, color=shade, linewidth=3.0, solid_capstyle="round")
    if len(missed):
        left = np.concatenate([way[-1:], picture.place(missed[:, :3, 3])])
        axes.plot(*left.T, color=CLOSEST, linewidth=2.0, linestyle=":")
    return figure


def _evenly(positions: Floats, count: int) -> Ints:
    """Return indices of at most `count` rows (L, n), at even distances along them."""
    along = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(positions, axis=0), axis=1))]
    return np.unique(np.searchsorted(along, np.linspace(0.0, along[-1], count)))


def _begun(
    camera: tuple[float, float],
    chain: KinematicChain,
    bodies: Bodies,
    scene: Scene | None,
    arms: list[Floats],
) -> Picture:
    """Begin a picture of obstacles and base, large enough for arms, from two angles [deg]."""
    obstacles = obstacle_triangles(chain, scene)
    base = arm_triangles(bodies, np.zeros((1, chain.num_joints)), [bodies.base])[0]
    picture = Picture(np.concatenate([obstacles, base, *arms]).reshape(-1, 3), *camera)
    picture.add(obstacles, np.array(OBSTACLE))
    picture.add(base, np.array(STILL))
    return picture


def _shown(picture: Picture, title: str) -> "tuple[Figure, Axes]":
    """Return a figure of a picture, and its axes in pixels."""
    figure = new_figure(8.4, 6.0)
    axes = figure.add_subplot()
    axes.imshow(picture.pixels(), interpolation="antialiased")
    axes.set_axis_off()
    axes.set_title(title, fontsize=12)
    return figure, axes


def obstacle_triangles(chain: KinematicChain, scene: Scene | None) -> Floats:
    """Return the triangles of obstacles in the base link, (T, 3, 3) [m]."""
    frames, found = SceneFrames(chain), [np.zeros((0, 3, 3))]
    for obstacle in scene.obstacles if scene is not None else ():
        made = surface(obstacle.shape).apply_transform(frames.obstacle_in_base(obstacle))
        found.append(np.asarray(made.triangles))
    return np.concatenate(found)


def arm_triangles(
    bodies: Bodies, positions: Floats, which: tuple[int, ...] | list[int]
) -> list[Floats]:
    """Return the triangles of some bodies in each configuration (N, n), (T, 3, 3) [m]."""
    if not len(positions):
        return []
    frames, found = bodies.frames(positions), [np.zeros((len(positions), 0, 3, 3))]
    for body in which:
        turn, place = frames[body, :, None, :3, :3], frames[body, :, None, None, :3, 3]
        for shape in bodies.shapes[body]:
            made = primitive(shape.visual).apply_transform(shape.shape_in_body)
            found.append(made.triangles @ turn.swapaxes(-1, -2) + place)
    return list(np.concatenate(found, axis=1))
