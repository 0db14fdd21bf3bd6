"""The reference sets of a chain's targets, and how far they can be trusted.

A set stands for all solutions if nothing is left to find: twice the effort adds under 1 % to it.
Whether that can be had depends on the spacing, because the number of configurations that fit into
a solution set grows with its dimension. So each chain gets the finest of some spacings at which
its sets are saturated; arms of six and seven joints are at 0.3 rad.

With twelve joints and more no spacing is both saturated and of use. There the reference is a
sample: solutions as independent seeds find them, not thinned to an even spacing, so that each
counts by how often its neighbourhood is found. Measured like that nothing is missing that
matters: what twice the effort adds is the share of the further solutions that have none of the
known ones within `SAMPLE.thin_distance`, and that is under 1 % as well.

Coverage counts a configuration of the reference as reached within 5/3 of the spacing, 0.5 rad for
0.3, so its figures compare samplers on one chain, not chains.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.reference.exhaustive import exhaustive_sets
from generative_ik_benchmarks.reference.saturation import (
    ExhaustiveSet,
    ExhaustiveSettings,
    pooled_growth,
    pooled_unseen,
)
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain

QUICK = ExhaustiveSettings(first_seeds=2**10, max_seeds=2**12, max_thinned=200, max_dense=500)
"""For a first look: seldom saturated."""
STANDARD = ExhaustiveSettings(max_seeds=2**18, max_thinned=1000, max_dense=5000)
"""For tables, at the finest spacing."""
SPACINGS = (0.3, 0.45, 0.7)
"""Spacings to try, finest first [rad]."""
SAMPLE = replace(STANDARD, thin_distance=1.2, max_seeds=2**16, max_thinned=2000)
"""For chains whose sets are saturated at none of them."""
_SAMPLED = 2000
"""Solutions a target in a sample."""
_PILOT = 4
"""Targets on which the spacing of a chain is chosen."""
_REACH = 5.0 / 3.0
"""How near a solution has to be to a configuration of the reference, in spacings."""


@dataclass(frozen=True)
class Reference:
    """How good the reference sets of a chain's targets are."""

    size: float = figure("Configurations a target, on average.")
    saturated: float = figure(
        "Share of the targets to whose sets the last doubling added under the limit."
    )
    growth: float = figure(
        "What the last doublings added to all sets together; to a sample, the share of what "
        "they found that is further than the spacing from all known before."
    )
    sampled: bool = figure("Whether the sets are samples.")
    distance: float = figure("Spacing of the sets [rad].")
    near: float = figure("How near a solution counts as one of them [rad].")


def reference_of(
    chain: KinematicChain,
    targets: Floats,
    settings: ExhaustiveSettings | None = None,
    on_target: Callable[[], None] = lambda: None,
) -> tuple[tuple[ExhaustiveSet, ...], Reference]:
    """Return the reference sets of targets (T, 4, 4), from the cache or computed.

    Without settings they are `settings_for` the chain.
    """
    settings = settings or settings_for(chain, targets[:_PILOT])
    sets = exhaustive_sets(chain, targets, settings, on_target)
    sampled = settings.thin_distance > SPACINGS[-1]
    saturated = [
        pooled_unseen([one]) < settings.growth if sampled else one.saturated for one in sets
    ]
    growth = pooled_unseen(sets) if sampled else pooled_growth(sets)
    if sampled:
        sets = tuple(replace(one, thinned=one.dense[:_SAMPLED]) for one in sets)
    quality = Reference(
        float(np.mean([len(one.thinned) for one in sets])),
        float(np.mean(saturated)),
        growth,
        sampled,
        settings.thin_distance,
        _REACH * settings.thin_distance,
    )
    return sets, quality


def settings_for(chain: KinematicChain, targets: Floats) -> ExhaustiveSettings:
    """Return the finest spacing that is saturated on some targets (T, 4, 4), else a sample's."""
    for spacing in SPACINGS:
        settings = replace(STANDARD, thin_distance=spacing)
        sets = exhaustive_sets(chain, targets, settings)
        whole = all(len(one.thinned) < settings.max_thinned for one in sets)
        if whole and pooled_growth(sets) < settings.growth:
            return settings
    return SAMPLE
