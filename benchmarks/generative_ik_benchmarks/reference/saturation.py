"""The effort of an exhaustive search, and the set it found with evidence of completeness."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError


@dataclass(frozen=True)
class ExhaustiveSettings:
    """The effort with which all solutions of a target are looked for.

    Attributes:
        thin_distance: Spacing of the thinned set, Euclidean over the joints [rad].
        dense_distance: Spacing of the dense set, likewise.
        growth: A doubling of the effort that adds less than this share to the thinned set is
            the last.
        first_seeds: Effort of the first round, all samplers together; at least one doubling
            follows.
        max_seeds: Greatest effort; a set that still grows then is not saturated.
        max_dense: Most configurations in a dense set.
        max_thinned: Most configurations in a thinned set; one that reaches this is given up as
            not saturated. Solution sets of many dimensions have no end at this spacing.
        samplers: Share the seeds evenly.
        position_tolerance: Of the solutions, verified [m].
        orientation_tolerance: Likewise [rad].
        random_seed: Of the samplers.
    """

    thin_distance: float = 0.3
    dense_distance: float = 0.05
    growth: float = 0.01
    first_seeds: int = 2**14
    max_seeds: int = 2**20
    max_dense: int = 20_000
    max_thinned: int = 5_000
    samplers: tuple[str, ...] = ("quasi_random", "uniform")
    position_tolerance: float = 1e-6
    orientation_tolerance: float = 1e-6
    random_seed: int = 0


@dataclass(frozen=True)
class ExhaustiveSet:
    """The solutions of one target as multi-start found them.

    Attributes:
        dense: (m, n) solutions, `dense_distance` apart, in the order found [rad or m].
        thinned: (k, n) solutions, `thin_distance` apart, likewise.
        efforts: (r,) seeds tried by the end of each round, about twice those of the one before.
        counts: (r,) size of the thinned set then.
        solutions: (r,) exact solutions found by then, repeats included.
        settings: The effort.
    """

    dense: Floats
    thinned: Floats
    efforts: Ints
    counts: Ints
    solutions: Ints
    settings: ExhaustiveSettings

    @property
    def growth(self) -> float:
        """Share that the last doubling of the effort added to the thinned set."""
        return last_growth(self.counts.tolist())

    @property
    def saturated(self) -> bool:
        """Whether the last doubling added less than the limit, and nothing was left out."""
        complete = len(self.thinned) < self.settings.max_thinned
        return complete and self.growth < self.settings.growth

    def draw(self, count: int, random_seed: int) -> Floats:
        """Draw solutions (count, n) from the dense set, with replacement if it is small.

        The dense set is spaced evenly, so this is about uniform by length or area over the
        solution set: what papers compare samples with when they do not sample by rejection.

        Raises:
            InvalidArgumentError: The target has no solution.
        """
        if not len(self.dense):
            raise InvalidArgumentError("there is no solution to draw from")
        rng = np.random.default_rng(random_seed)
        few = len(self.dense) < count
        return self.dense[rng.choice(len(self.dense), count, replace=few)]


def pooled_growth(sets: Sequence[ExhaustiveSet]) -> float:
    """Return what share the last doublings added to the thinned sets of all targets together."""
    before = sum(int(one.counts[-2]) for one in sets if len(one.counts) > 1)
    after = sum(int(one.counts[-1]) for one in sets if len(one.counts) > 1)
    return last_growth([before, after])


def pooled_unseen(sets: Sequence[ExhaustiveSet]) -> float:
    """Return how likely the next solution is further than the spacing from all that are known.

    Estimated by the share of the solutions of the last doublings that were (after I. J. Good, The
    population frequencies of species and the estimation of population parameters, Biometrika
    1953). Solution sets of many dimensions keep growing at their edges long after nearly all that
    a search finds is known: growth asks about the edges, this about the bulk.

    Returns:
        From 0 to 1; NaN where there was no doubling or no solution.
    """
    grown = [one for one in sets if len(one.counts) > 1]
    new = sum(int(one.counts[-1] - one.counts[-2]) for one in grown)
    found = sum(int(one.solutions[-1] - one.solutions[-2]) for one in grown)
    return new / found if found else math.nan


def last_growth(counts: Sequence[int]) -> float:
    """Return by what share the last of some counts exceeds the one before; inf if that is none."""
    if len(counts) < 2:
        return math.inf
    before, after = counts[-2:]
    if before == 0:
        return math.inf if after else 0.0
    return (after - before) / before
