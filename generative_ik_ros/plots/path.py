"""A figure of a path among obstacles: the way of the tip, and the arm at some of its poses."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.colors import CLOSEST, OBSTACLE, STILL, by_order
from generative_ik_ros.plots.render import View
from generative_ik_ros.plots.scene import arm_triangles, obstacle_triangles
from generative_ik_ros.plots.style import new_figure, styled
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


VIEW = View(azimuth=-52.0, elevation=24.0, faint=0.45)
"""The arms between the first and the last are faint."""


@styled
def path_figure(
    chain: KinematicChain,
    scene: Scene | None,
    positions: NDArray[np.float64],
    missed: NDArray[np.float64],
    *,
    num_arms: int,
    title: str,
) -> "Figure":
    """Draw the arm along a path, from blue at its beginning to yellow at its end.

    Args:
        chain: The chain.
        scene: The obstacles; None: there are none. Points are not drawn.
        positions: (L, n) the path, L at least 1 [rad or m].
        missed: (U, 4, 4) the poses that the path does not reach [m].
        num_arms: Arms that are drawn, at even distances along the path.
        title: Title.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    bodies = Bodies(chain)
    chosen = _evenly(positions / chain.joint_units, num_arms)
    obstacles = obstacle_triangles(chain, scene)
    base = arm_triangles(bodies, np.zeros((1, chain.num_joints)), [bodies.base])[0]
    arms = arm_triangles(bodies, positions[chosen], bodies.moving)
    picture = VIEW.of(np.concatenate([obstacles, base, *arms]).reshape(-1, 3))
    picture.add(obstacles, np.array(OBSTACLE))
    picture.add(base, np.array(STILL))
    shades = by_order(len(arms))
    ends = sorted({0, len(arms) - 1})
    for k in ends:
        picture.add(arms[k], shades[k])
    for k in range(1, len(arms) - 1):
        picture.add(arms[k], shades[k], VIEW.faint)
    figure = new_figure(8.4, 6.0)
    axes = figure.add_subplot()
    axes.imshow(picture.pixels(), interpolation="antialiased")
    axes.set_axis_off()
    way = picture.place(chain.forward(positions)[:, :3, 3])
    for k, shade in zip(range(len(way) - 1), by_order(max(len(way) - 1, 1)), strict=False):
        axes.plot(*way[k : k + 2].T, color=shade, linewidth=3.0, solid_capstyle="round")
    if len(missed):
        left = np.concatenate([way[-1:], picture.place(missed[:, :3, 3])])
        axes.plot(*left.T, color=CLOSEST, linewidth=2.0, linestyle=":")
    axes.set_title(title, fontsize=12)
    return figure


def _evenly(positions: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return indices of at most `count` rows (L, n), at even distances along them."""
    along = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(positions, axis=0), axis=1))]
    return np.unique(np.searchsorted(along, np.linspace(0.0, along[-1], count)))
