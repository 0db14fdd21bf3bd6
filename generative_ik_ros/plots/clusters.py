"""How many clusters each pose's samples form in, histograms beside each other out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.plots.style import SERIES, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def cluster_histograms(
    counts: Mapping[str, ArrayLike], *, expected: int | None = None, title: str | None = None
) -> "Figure":
    """Draw a histogram of the number of clusters over the poses, as GGIK's figure 7.

    Args:
        counts: (P,) clusters of each pose, by what they were counted with ("radius 0.5 rad").
        expected: How many there can be, drawn as a line: 8 for a six-axis arm.
        title: Headline.

    Raises:
        InvalidArgumentError: There is nothing to draw.
        MissingDependencyError: matplotlib is not installed.
    """
    tables = {name: np.asarray(values, np.int64) for name, values in counts.items()}
    if not tables or not all(len(table) for table in tables.values()):
        raise InvalidArgumentError("cluster histograms need at least one count for each name")
    most = max(int(table.max()) for table in tables.values())
    most = max(most, expected or 0)
    figure = new_figure(2.9 * len(tables) + 0.5, 2.8)
    for axes, (name, table) in zip(
        figure.subplots(1, len(tables), sharex=True, sharey=True, squeeze=False)[0],
        tables.items(),
        strict=True,
    ):
        share = 100.0 * np.bincount(table, minlength=most + 1) / len(table)
        axes.bar(np.arange(most + 1), share, width=0.85, color=SERIES[0])
        median = float(np.median(table))
        axes.axvline(median, color=SERIES[1], linewidth=1.4, label=f"median {median:g}")
        if expected is not None:
            label = f"at most {expected}"
            axes.axvline(expected, color="black", linewidth=1.2, linestyle="--", label=label)
        axes.set(xlabel="clusters of a pose", title=f"{name}, {len(table)} poses")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(frameon=False)
        plain(axes)
        axes.label_outer()
    figure.axes[0].set_ylabel("poses [%]")
    if title:
        figure.suptitle(title, fontsize=11)
    return figure
