"""A figure of an arm among obstacles: free configurations, and those that collide."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.colors import FAR, OBSTACLE, REJECTED, STILL, by_clearance
from generative_ik_ros.drawing.obstacles import SceneFrames, surface
from generative_ik_ros.drawing.triangles import primitive
from generative_ik_ros.plots.render import View
from generative_ik_ros.plots.style import AXES, new_figure, styled
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


VIEW = View(azimuth=-28.0, elevation=26.0, faint=0.3)
"""The arms that collide are faint."""


@styled
def scene_figure(
    chain: KinematicChain,
    scene: Scene | None,
    free: NDArray[np.float64],
    clearance: NDArray[np.float64],
    colliding: NDArray[np.float64],
    targets: NDArray[np.float64],
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

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    bodies = Bodies(chain)
    obstacles = obstacle_triangles(chain, scene)
    base = arm_triangles(bodies, np.zeros((1, chain.num_joints)), [bodies.base])[0]
    arms, others = (arm_triangles(bodies, q, bodies.moving) for q in (free, colliding))
    all_triangles = np.concatenate([obstacles, base, *arms, *others])
    picture = VIEW.of(all_triangles.reshape(-1, 3))
    picture.add(obstacles, np.array(OBSTACLE))
    picture.add(base, np.array(STILL))
    for triangles, color in zip(arms, by_clearance(clearance), strict=True):
        picture.add(triangles, color)
    if others:
        picture.add(np.concatenate(others), np.array(REJECTED), VIEW.faint)
    figure = new_figure(8.4, 6.0)
    axes = figure.add_subplot()
    axes.imshow(picture.pixels(), interpolation="antialiased")
    axes.set_axis_off()
    size = 0.1 * chain.size
    for target in targets:
        ends = picture.place(target[:3, 3] + np.r_[np.zeros((1, 3)), size * target[:3, :3].T])
        for end, color in zip(ends[1:], AXES, strict=True):
            axes.plot(*np.stack([ends[0], end]).T, color=color, linewidth=2.6)
    names = LinearSegmentedColormap.from_list("clearance", by_clearance(np.linspace(0, FAR, 64)))
    scale = ScalarMappable(Normalize(0.0, 1e3 * FAR), names)
    bar = figure.colorbar(scale, ax=axes, shrink=0.45, pad=0.01, extend="max")
    bar.set_label("clearance [mm]")
    axes.set_title(title, fontsize=12)
    return figure


def obstacle_triangles(chain: KinematicChain, scene: Scene | None) -> NDArray[np.float64]:
    """Return the triangles of obstacles in the base link, (T, 3, 3) [m]."""
    frames, found = SceneFrames(chain), [np.zeros((0, 3, 3))]
    for obstacle in scene.obstacles if scene is not None else ():
        made = surface(obstacle.shape).apply_transform(frames.obstacle_in_base(obstacle))
        found.append(np.asarray(made.triangles))
    return np.concatenate(found)


def arm_triangles(
    bodies: Bodies, positions: NDArray[np.float64], which: tuple[int, ...] | list[int]
) -> list[NDArray[np.float64]]:
    """Return the triangles of some bodies in each configuration (N, n), (T, 3, 3) [m]."""
    if not len(positions):
        return []
    frames = bodies.frames(positions)
    parts = [
        primitive(shape.visual).apply_transform(shape.shape_in_body).triangles
        for body in which
        for shape in bodies.shapes[body]
    ]
    places = [frames[body] for body in which for _ in bodies.shapes[body]]
    return [
        np.concatenate(
            [
                part @ place[k, :3, :3].T + place[k, :3, 3]
                for part, place in zip(parts, places, strict=True)
            ]
            or [np.zeros((0, 3, 3))]
        )
        for k in range(len(positions))
    ]
