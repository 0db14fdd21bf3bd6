"""The common style of all figures: no window, and colours for any colour vision."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from generative_ik_ros.errors import importing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, distinct for any colour vision, for lines and bars."""
DASHES = ("-", "--", "-.", ":")
"""Line styles that distinguish series in black and white too."""
AXES = ("#D55E00", "#009E73", "#0072B2")
"""Colours of the x, y and z axis of a frame."""
MAP = "viridis"
_STYLE: Any = {
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    **{f"axes3d.{axis}axis.panecolor": "#F7F7F7" for axis in "xyz"},
}
_Arguments = ParamSpec("_Arguments")


def styled(draw: "Callable[_Arguments, Figure]") -> "Callable[_Arguments, Figure]":
    """Decorate a function that returns a figure, so that it draws in the common style.

    The function then also raises MissingDependencyError where matplotlib is not installed.
    """

    @wraps(draw)
    def drawn(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> "Figure":
        with importing("pictures need matplotlib", "matplotlib"):
            import matplotlib as mpl
        # Older releases lack some of the parameters.
        known = {key: value for key, value in _STYLE.items() if key in mpl.rcParams}
        with mpl.rc_context(known):
            return draw(*args, **kwargs)

    return drawn


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of a size in inches that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def plain(axes: "Axes") -> None:
    """Hide the upper and right spines, and draw a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True)
    axes.set_axisbelow(True)
