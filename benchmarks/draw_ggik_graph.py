"""Draws docs/images/ggik-graph.svg: two joint axes, their link, and the points of GGIK's graph."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.plots.style import AXES, SERIES, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FILE = Path(__file__).resolve().parent.parent / "docs" / "images" / "ggik-graph.svg"
_AZIMUTH, _ELEVATION = np.deg2rad(-62.0), np.deg2rad(20.0)
_SPACING = 0.75
_GREY = "#888888"
Vector = NDArray[np.float64]


def _seen(point: Vector) -> tuple[float, float]:
    """Return where a point is in the picture, by parallel projection."""
    right = np.array([-np.sin(_AZIMUTH), np.cos(_AZIMUTH), 0.0])
    away = np.cos(_ELEVATION) * np.array([np.cos(_AZIMUTH), np.sin(_AZIMUTH), 0.0])
    up = np.cross(away + np.array([0.0, 0.0, np.sin(_ELEVATION)]), right)
    return float(point @ right), float(point @ up)


def _line(axes: "Axes", start: Vector, end: Vector, **look: Any) -> None:  # noqa: ANN401 (matplotlib's)
    axes.plot(*zip(_seen(start), _seen(end), strict=True), **look)


def _arrow(axes: "Axes", start: Vector, way: Vector, colour: str, name: str) -> None:
    look = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", _seen(start + way), _seen(start), arrowprops=look)
    axes.annotate(name, _seen(start + 1.12 * way), color=colour, fontsize=9, ha="center")


def _text(axes: "Axes", at: Vector, text: str, shift: tuple[float, float], **look: Any) -> None:  # noqa: ANN401 (matplotlib's)
    axes.annotate(text, _seen(at), shift, textcoords="offset points", fontsize=10, **look)


@styled
def graph_figure() -> "Figure":
    """Draw it."""
    figure = new_figure(7.0, 4.2)
    axes = figure.subplots()
    axes.set_aspect("equal")
    axes.set_axis_off()
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    length, offset = 1.6, 0.5
    first, second = np.zeros(3), length * x + offset * z
    direction = np.array([-offset, 2.0, length])  # perpendicular to the way from first to second
    direction /= np.linalg.norm(direction)
    for point, way, name in ((first, z, "axis of joint j"), (second, direction, "joint j + 1")):
        _line(axes, point - 0.4 * way, point + 1.3 * way, color=SERIES[0], lw=1.4)
        _text(axes, point + 1.3 * way, name, (0, 5), color=SERIES[0], ha="center")
        for node in (point, point + _SPACING * way):
            axes.plot(*_seen(node), "o", color=SERIES[1], ms=7, zorder=5)
    _text(axes, first, "$p_j$", (-18, -4))
    _text(axes, second, "$p_{j+1}$", (-4, -20))
    _text(axes, first + _SPACING * z, "a spacing from $p_j$", (-8, -3), ha="right", color=_GREY)
    # The link: offset along the axis of joint j, then length across it.
    corner = offset * z
    _line(axes, first, corner, color=SERIES[2], lw=3.2)
    _line(axes, corner, second, color=SERIES[2], lw=2.2)
    _text(axes, 0.5 * corner, "link offset", (-8, -3), ha="right", color=SERIES[2])
    _text(axes, 0.5 * (corner + second), "link length", (0, 8), ha="center", color=SERIES[2])
    _line(axes, first, second, color=SERIES[1], lw=1.0, ls="--")
    _text(
        axes,
        0.55 * second,
        "perpendicular to axis j + 1",
        (-10, -24),
        ha="center",
        color=SERIES[1],
    )
    # What Denavit and Hartenberg take.
    normal = np.cross(z, direction)
    normal /= np.linalg.norm(normal)
    ways = np.stack([z, -direction, normal], axis=1)
    along, other, _ = np.linalg.solve(ways, second)
    one, two = along * z, second + other * direction
    _line(axes, one, two, color=_GREY, lw=1.0, ls=":")
    _text(axes, 0.5 * (one + two), "common normal", (0, -13), ha="center", color=_GREY)
    y = np.cross(z, x)
    for way, colour, name in zip((x, y, z), AXES, ("x", "y", "z"), strict=True):
        _arrow(axes, second, 0.34 * way, colour, f"${name}_{{j+1}}$")
    axes.set(xlim=(-0.9, 2.3), ylim=(-0.5, 1.6))
    return figure


def main() -> None:
    """Write the picture, with the same bytes each time."""
    with mpl.rc_context({"svg.hashsalt": "ggik", "svg.fonttype": "path"}):
        graph_figure().savefig(_FILE, metadata={"Date": None})


if __name__ == "__main__":
    main()
