"""Targets of a chain come in, their reference sets go out, with how far they can be trusted."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.evaluation.reference.exhaustive import exhaustive_sets
from generative_ik_ros.evaluation.reference.saturation import (
    ExhaustiveSet,
    ExhaustiveSettings,
    pooled_growth,
)
from generative_ik_ros.robot.chain import KinematicChain

QUICK = ExhaustiveSettings(first_seeds=2**10, max_seeds=2**12, max_thinned=200, max_dense=500)
"""For a first look: seldom saturated."""
STANDARD = ExhaustiveSettings(max_seeds=2**17, max_thinned=1000, max_dense=5000)
"""For tables: saturated for up to seven joints. The sets of longer chains have no end at this
spacing; theirs are samples of the solution set, and coverage is a figure to compare by."""


@dataclass(frozen=True)
class Reference:
    """How good the reference sets of a chain's targets are.

    Attributes:
        size: Configurations a target, on average.
        saturated: Share of the targets whose last doubling of effort added under the limit.
        growth: What the last doublings added to all sets together.
        distance: Spacing of the sets [rad].
    """

    size: float
    saturated: float
    growth: float
    distance: float


def reference_of(
    chain: KinematicChain,
    targets: NDArray[np.float64],
    settings: ExhaustiveSettings | None = None,
    on_target: Callable[[], None] = lambda: None,
) -> tuple[tuple[ExhaustiveSet, ...], Reference]:
    """Return the reference sets of targets (T, 4, 4), from the cache or computed.

    Args:
        chain: The chain.
        targets: The targets, tip in base [m].
        settings: How hard to look; `STANDARD` if None.
        on_target: Called after each target, for a progress bar.
    """
    settings = settings or STANDARD
    sets = exhaustive_sets(chain, targets, settings, on_target=on_target)
    quality = Reference(
        float(np.mean([len(one.thinned) for one in sets])),
        float(np.mean([one.saturated for one in sets])),
        pooled_growth(sets),
        settings.thin_distance,
    )
    return sets, quality
