"""What sources have found for the targets of a call."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.solutions import Timings

if TYPE_CHECKING:
    pass

UNDONE, DONE, LEFT, NEAREST = range(4)
"""States of a target: there was no time for it, it has been answered, it is left to another
source, which may know of solutions that this one does not, or what it has are approximations."""
_FIRST, _NO_ONE = np.zeros(1, np.int64), np.zeros(0, np.int64)


class Closest(NamedTuple):
    """How close a call has come to each of its targets.

    Attributes:
        positions: (T, n) closest configuration; of targets with solutions the first [rad or m].
        errors: (T, 2) its distance [m] and angle [rad]; inf where they were not measured.
        later: (T,) targets for which closer ones are looked for when the best effort is read.
    """

    positions: Floats
    errors: Floats
    later: Bools


class Outcome(NamedTuple):
    """What one source or several have found for T targets.

    Attributes:
        notes: (T, 5) number of solutions, state (see `UNDONE`), whether these are all;
            and of what a closed form answered the numbers of branches and of distinct ones.
        positions: (T, N, n) solutions in order, NaN where there is none [rad or m].
        errors: (T, N, 2) their distances [m] and angles [rad], NaN as above.
        work: How much work it was, without `total`; of a closed form when it was asked and when it
            had answered [s].
        scores: (T, N) what solutions are ordered by; None without a score.
        closest: None: nothing was looked for but solutions.
        colliding: (A,) targets that are reached in collision only, by their closest configuration.
    """

    notes: Ints
    positions: Floats
    errors: Floats
    work: "Timings | tuple[float, float]"
    scores: Floats | None = None
    closest: Closest | None = None
    colliding: Ints = _NO_ONE

    @property
    def left(self) -> Ints:
        """Targets that are left to the next source (L,)."""
        states = self.notes[:, 1]
        if len(states) == 1:
            return _FIRST if states.item() in (UNDONE, LEFT) else _NO_ONE
        return ((states == UNDONE) | (states == LEFT)).nonzero()[0]

    @property
    def timings(self) -> Timings:
        """How much work it was, without `total`."""
        return work_of(self.notes, self.work)

    def known_closest(self, reference: Floats) -> Closest:
        """Return how close the call has come; by `reference` (n,) where nothing is known."""
        if self.closest is not None:
            return self.closest
        none = self.notes[:, 0] == 0
        positions, errors = self.positions[:, 0].copy(), self.errors[:, 0].copy()
        positions[none], errors[none] = reference, np.inf
        return Closest(positions, errors, none)

    def completed(self, rows: Ints, other: "Outcome", reference: Floats) -> "Outcome":
        """Return the same with what another source has found for some of the targets.

        Args:
            rows: (A,) these targets.
            other: What was found for them.
            reference: As in `known_closest`.
        """
        closest, colliding = self.closest, rows[other.colliding]
        work = self.timings.plus(other.timings)
        if closest is not None or not other.notes[:, 0].all():
            closest, others = (one.known_closest(reference) for one in (self, other))
            for mine, theirs in zip(closest, others, strict=True):
                mine[rows] = theirs
        self.notes[rows], self.positions[rows] = other.notes, other.positions
        self.errors[rows] = other.errors
        if self.scores is not None and other.scores is not None:
            self.scores[rows] = other.scores
        return self._replace(work=work, closest=closest, colliding=colliding)


def work_of(notes: Ints, work: Timings | tuple[float, float]) -> Timings:
    """Return how much work it was, see `Outcome`."""
    if isinstance(work, Timings):
        return work
    seeds, distinct = notes[:, 3:].sum(axis=0).tolist()
    # In the order of its fields, which takes half of the time.
    return Timings(0.0, work[1] - work[0], 0.0, 0.0, 0, seeds, 0, distinct, distinct, 0)
