"""What seeds have yielded so far in, how many to try next and when to stop out.

Nothing here looks at the time, so that the same call takes the same course on any machine.
"""

import numpy as np
from numpy.typing import NDArray

_GIVE_UP = 2048
"""Seeds after which a target without a solution is taken to be unreachable."""
_SEEDS_PER_SOLUTION = 3.5
"""First guess of how many seeds it takes to find one more distinct solution."""
_SCOUTS_PER_SOLUTION = 2.0
"""The same for a chain with joints to spare, whose solution sets are then walked along."""
_LEAST, _MOST = 16, 1024
"""Bounds of the number of seeds for one target in one round."""
_SAMPLE = 64
"""Solutions that it takes to judge what share of them is new."""
_ALL_KNOWN = 0.02
"""When no more than this share of independent finds is new, the search is over."""
_POOR_WALK = 0.05
"""A walk that finds fewer new solutions a seed than this is not continued."""


class Effort:
    """Decides on the size of rounds for T targets.

    Independent seeds are drawn without a look at what was found: the share of their finds that is
    new tells how much of the solution set is still unseen. Walking seeds start beside solutions
    found before and fill continuous solution sets cheaply, but tell nothing about others.

    Args:
        num_targets: T.
        num_solutions: Solutions wanted for each target.
        joints_to_spare: Whether solutions form continuous sets that can be walked along.
        seeds_per_solution: What the sampler says of its seeds, None if it says nothing.

    Attributes:
        tried: (T,) independent seeds so far.
    """

    def __init__(
        self,
        num_targets: int,
        num_solutions: int,
        *,
        joints_to_spare: bool,
        seeds_per_solution: float | None = None,
    ):
        """Begin with nothing tried."""
        guess = _SCOUTS_PER_SOLUTION if joints_to_spare else _SEEDS_PER_SOLUTION
        self._a_solution = guess if seeds_per_solution is None else seeds_per_solution
        self.tried = np.zeros(num_targets, np.int64)
        self._wanted, self._joints_to_spare = num_solutions, joints_to_spare
        self._converged = np.zeros(num_targets, np.int64)
        self._sampled, self._new = np.zeros(num_targets, np.int64), np.zeros(num_targets, np.int64)
        self._share_new = np.ones(num_targets)
        self._walks = np.full(num_targets, joints_to_spare)

    def record_round(
        self,
        targets: NDArray[np.int64],
        count: int,
        found: NDArray[np.int64],
        new: NDArray[np.int64],
    ) -> None:
        """Take note of a round of independent seeds.

        Args:
            targets: (A,) indices of the targets.
            count: Seeds for each of them.
            found: (A,) seeds that converged.
            new: (A,) solutions among them that were not known.
        """
        self.tried[targets] += count
        self._converged[targets] += found
        self._sampled[targets] += found
        self._new[targets] += new
        enough = targets[self._sampled[targets] >= _SAMPLE]
        self._share_new[enough] = self._new[enough] / self._sampled[enough]
        self._sampled[enough] = self._new[enough] = 0
        # Something unknown may be a set of its own that has not been walked along.
        self._walks[targets] |= self._joints_to_spare & (new > 0)

    def record_walk(self, targets: NDArray[np.int64], count: int, new: NDArray[np.int64]) -> None:
        """Take note of `count` walking seeds for each target and the (A,) new solutions."""
        self._walks[targets] = new >= _POOR_WALK * count

    def first_round(self) -> int:
        """Say how many seeds a target gets of which nothing is known."""
        return _bounded(self._a_solution * self._wanted)

    def next_round(self, targets: NDArray[np.int64], counts: NDArray[np.int64]) -> int:
        """Say how many independent seeds each of the targets gets next.

        Args:
            targets: (A,) indices of unfinished targets.
            counts: (A,) solutions found for them.
        """
        tried = self.tried[targets]
        if not tried.any():
            return self.first_round()
        a_find = np.maximum(tried, 1) / np.maximum(self._converged[targets], 1)
        missing = self._wanted - counts
        # While the walk goes well these only look for sets that it cannot get to. Where little is
        # new, just enough to judge whether to stop.
        share_new = self._share_new[targets]
        finds = np.where(share_new < 0.1, _SAMPLE, 1.2 * missing / np.maximum(share_new, 0.1))
        finds = np.where(self._walks[targets], 0.5 * _SAMPLE, finds)
        return _bounded(np.max(a_find * finds))

    def walkers(self, targets: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of the targets whose solutions are worth walking along."""
        return targets[self._walks[targets] & (counts > 0)]

    def next_walk(self, counts: NDArray[np.int64]) -> int:
        """Say how many walking seeds each target gets next, given the solutions found."""
        return _bounded(1.5 * np.max(self._wanted - counts) + _LEAST)

    def finished(self, targets: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for which of the targets the search is over: solved, hopeless, or all is known."""
        hopeless = (counts == 0) & (self.tried[targets] >= _GIVE_UP)
        known = (counts > 0) & (self._share_new[targets] <= _ALL_KNOWN) & ~self._walks[targets]
        return (counts >= self._wanted) | hopeless | known


def _bounded(count: float) -> int:
    return int(min(max(count, _LEAST), _MOST))
