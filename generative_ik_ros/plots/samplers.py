"""A figure of what samplers propose for a pose, beside the exact solutions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.plots.arms import draw_arms
from generative_ik_ros.plots.style import MAP, new_figure, styled
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class SamplesLook:
    """How samples are drawn."""

    most_arms: int = 40
    """Arms of a panel at most."""
    inches: float = 4.2
    """Width of a panel."""


LOOK = SamplesLook()


Panels = tuple[str, NDArray[np.float64], str, NDArray[np.float64]]
"""Headline and configurations (K, n) of raw samples [rad or m], and those of the solutions."""


@styled
def samplers_figure(
    chain: KinematicChain,
    rows: Sequence[Panels],
    target: NDArray[np.float64],
    *,
    title: str,
) -> "Figure":
    """Draw raw samples beside solutions, a row for each sampler.

    Args:
        chain: The chain.
        rows: A row for each sampler; where there are no configurations its place stays empty.
        target: (4, 4) the pose [m].
        title: Title.

    Raises:
        MissingDependencyError: matplotlib is not installed.
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
