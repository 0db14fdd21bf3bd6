"""What sources have found for the targets of a call, and the IKSolutions that this becomes."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from generative_ik_ros._core import unpack_result
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.preferences import CLEARANCE
from generative_ik_ros.solutions import IKSolutions, SolveStatus, Timings

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.search.approach import ClosestApproaches

UNDONE, DONE, LEFT, NEAREST = range(4)
"""States of a target: there was no time for it, it has been answered, it is left to another
source, which may know of solutions that this one does not, or what it has are approximations."""
_STATUSES = (
    SolveStatus.NO_SOLUTION, SolveStatus.TIMED_OUT, SolveStatus.PARTIAL, SolveStatus.SOLVED,
    SolveStatus.APPROXIMATE,
)  # fmt: skip
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
        return _work(self.notes, self.work)

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
            reference: As of `known_closest`.
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


class _Record(NamedTuple):
    """What attributes of a result are computed from when they are first read.

    Attributes:
        stages: Of the solver.
        wanted: Number of solutions.
        notes: See `Outcome`.
        errors: Likewise.
        times: Readings when the call began, when it was solved and when it was over [s].
        work: See `Outcome`.
        closest: None: all targets have solutions.
        request: What was asked for; None: it has all its answers.
        measure: Measures the clearance of the solutions, if that is left to be done.
    """

    stages: Stages
    wanted: int
    notes: Ints
    errors: Floats
    times: tuple[float, float, float]
    work: Timings | tuple[float, float]
    closest: Closest | None = None
    request: SolveRequest | None = None
    measure: Callable[[], Floats] | None = None

    def read(self, found: IKSolutions, name: str) -> Any:  # noqa: ANN401
        """Compute an attribute of a result."""
        return _READ[name](self, found)

    def approaches(self) -> "ClosestApproaches | None":
        """Return what looks for closer configurations; None if there is nothing to look for."""
        if self.closest is None or self.request is None or not self.closest.later.any():
            return None
        from generative_ik_ros.search.approach import ClosestApproaches

        positions, errors, later = self.closest
        left = self.times[0] + self.request.timeout - self.times[2]
        targets = later.nonzero()[0]
        return ClosestApproaches(self.stages, self.request, targets, positions, errors, left)


def _work(notes: Ints, work: Timings | tuple[float, float]) -> Timings:
    """Return how much work it was, see `Outcome`."""
    if isinstance(work, Timings):
        return work
    seeds, distinct = notes[:, 3:].sum(axis=0).tolist()
    # In the order of its fields, which takes half of the time.
    return Timings(0.0, work[1] - work[0], 0.0, 0.0, 0, seeds, 0, distinct, distinct, 0)


def _timings(of: _Record, _: IKSolutions) -> Timings:
    start, solved, end = of.times
    work = _work(of.notes, of.work)
    select = work.select + end - solved
    return work._replace(select=select, total=end - start)


def _status(of: _Record, _: IKSolutions) -> tuple[SolveStatus, ...]:
    if len(of.notes) == 1:
        count, state, complete = of.notes[0, :3].tolist()
        if count and state == NEAREST:
            return (SolveStatus.APPROXIMATE,)
        kind = 2 + (count >= of.wanted or complete) if count else state == UNDONE
        return (_STATUSES[kind],)
    counts, complete = of.notes[:, 0], of.notes[:, 2] != 0
    kinds = np.where(counts > 0, 2 + ((counts >= of.wanted) | complete), of.notes[:, 1] == UNDONE)
    kinds[(counts > 0) & (of.notes[:, 1] == NEAREST)] = 4
    return tuple([_STATUSES[kind] for kind in kinds.tolist()])


def _best_effort(of: _Record, found: IKSolutions) -> Floats:
    if (approaches := of.approaches()) is not None:
        approaches.complete(found)
        return found.best_effort
    return found.positions[:, 0].copy() if of.closest is None else of.closest.positions


def _best_error(of: _Record, found: IKSolutions, which: int) -> Floats:
    found.best_effort  # noqa: B018 (it may be looked for only now)
    return of.errors[:, 0, which].copy() if of.closest is None else of.closest.errors[:, which]


_READ: dict[str, Callable[[_Record, IKSolutions], Any]] = {
    "joint_names": lambda of, _: of.stages.chain.names,
    "sampler": lambda of, _: of.stages.sampler.name,
    "held": lambda of, _: (of.stages.approximate or of.stages).held,
    "mobility": lambda of, _: getattr(of.stages.chain, "mobility", 0),
    "counts": lambda of, _: of.notes[:, 0].copy(),
    "complete": lambda of, _: of.notes[:, 2] != 0,
    "status": _status,
    "position_error": lambda of, _: of.errors[..., 0],
    "orientation_error": lambda of, _: of.errors[..., 1],
    "timings": _timings,
    "best_effort": _best_effort,
    "best_effort_position_error": lambda of, found: _best_error(of, found, 0),
    "best_effort_orientation_error": lambda of, found: _best_error(of, found, 1),
    "clearance": lambda of, _: of.measure and of.measure(),
}
"""How attributes are computed, by their names."""


def answered(
    stages: Stages,
    wanted: int,
    notes: Ints,
    positions: Floats,
    errors: Floats,
    start: float,
    begin: float,
    end: float,
    scores: Floats | None,
) -> IKSolutions:
    """Return the result of a call for one pose that a closed form has answered with solutions.

    Args:
        stages: Of the solver.
        wanted: Number of solutions.
        notes: (1, 5) see `Outcome`, as the next two.
        positions: (1, N, n) see there.
        errors: (1, N, 2) see there.
        start: Reading of `time.perf_counter` when the call began [s].
        begin: The same when the closed form was asked.
        end: The same when it had answered.
        scores: (1, N) what solutions are ordered by, if anything.
    """
    # A record is made when it is needed.
    record = stages, wanted, notes, errors, (start, end, end), (begin, end)
    # Those that nearly all callers read; to compute one later takes longer than to solve.
    values: dict[str, Any] = {"positions": positions, "counts": notes[:, 0], "scores": scores}
    return IKSolutions.made(values, (_read_answer, record))


def _read_answer(record: tuple[Any, ...], found: IKSolutions, name: str) -> Any:  # noqa: ANN401
    """Compute an attribute of such a result, by the fields of its `_Record`."""
    return _Record(*record).read(found, name)


def read_packed(given: tuple[Any, ...], found: IKSolutions, name: str) -> Any:  # noqa: ANN401
    """Compute an attribute of a result that the core has made (`solve_one`, `solve_nearest`).

    Args:
        given: The solver's stages, the packed numbers, and what measures the clearance, if
            anything.
        found: The result.
        name: Of the attribute.
    """
    stages, packed, *measure = given
    (notes, _, errors, work, *_), times = outcome_in(packed, found.positions)
    record = _Record(stages, errors.shape[1], notes, errors, times, work, None, None, *measure)
    found.__dict__["_unread"] = _Record.read, record
    return record.read(found, name)


def outcome_in(packed: bytes, positions: Floats) -> tuple[Outcome, tuple[float, float, float]]:
    """Return what the packed numbers of a result say of its positions, and a record's times."""
    notes, errors, start, begin, end, *of_search = unpack_result(packed)
    work = begin, end
    if of_search[1]:
        null_space_steps, exact, iterations = of_search
        seeds, distinct = notes[:, 3:].sum(axis=0).tolist()
        work = Timings(
            0.0, end - begin, 0.0, 0.0, 0, seeds, null_space_steps, exact, distinct, iterations
        )
    return Outcome(notes, positions, errors, work), (start, end, end)


def with_check(found: IKSolutions, check: "SceneCheck") -> IKSolutions:
    """Return such a result of a call whose solutions are free of collisions."""
    values = found.__dict__
    read, given = values["_unread"]
    measure = partial(measured, check.measure, found.positions.copy())
    values["blocked_by"] = (None,) * len(found.counts)
    values["_unread"] = read, (*given, measure)
    return found


def solutions_of(
    stages: Stages, request: SolveRequest, start: float, outcome: Outcome
) -> IKSolutions:
    """Return the result of a call that began at `start` [s]: what was found for its targets."""
    notes, work, check = outcome.notes, outcome.work, request.check
    if check is None and len(notes) == 1 and notes.item(0) and not isinstance(work, Timings):
        # Of one pose, by a closed form.
        found = notes, outcome.positions, outcome.errors
        return answered(stages, request.num_solutions, *found, start, *work, outcome.scores)
    begin = time.perf_counter()
    values = {"positions": outcome.positions, "scores": outcome.scores, "counts": notes[:, 0]}
    closest = measure = None
    reached = np.count_nonzero(notes[:, 0]) == len(notes)
    if not reached:
        closest = outcome.known_closest(request.space.reference)
    if request.alternatives:
        values["target_of"] = _target_of(stages, request, outcome)
    if check is not None:
        if outcome.scores is not None and request.preferences.order == CLEARANCE:
            values["clearance"] = outcome.scores.copy()
        else:
            # It takes as long as half of the search, and many times as long as one on a GPU. A
            # copy, for the caller may change the other.
            measure = partial(measured, check.measure, outcome.positions.copy())
        values["blocked_by"] = _blocked_by(request, start, outcome, closest)
    end = time.perf_counter()
    # In the order of its fields, which takes half of the time.
    record = _Record(
        stages, request.num_solutions, notes, outcome.errors, (start, begin, end), work,
        closest, request, measure,
    )  # fmt: skip
    return IKSolutions.made(values, (_Record.read, record))


def _target_of(stages: Stages, request: SolveRequest, outcome: Outcome) -> Ints:
    """Return which pose of a goal set each solution (1, N) reaches, -1 where there is none."""
    found, count = np.full(outcome.positions.shape[:2], -1), outcome.notes.item(0)
    found[0, :count] = stages.nearest_of(request.targets)(outcome.positions[0, :count])[1]
    return found


def measured(measure: Callable[[Floats, Floats], None], solutions: Floats) -> Floats:
    """Return the clearance (T, N) of solutions (T, N, n)."""
    clearance = np.empty(solutions.shape[:2])
    measure(solutions, clearance)
    return clearance


def _blocked_by(
    request: SolveRequest, start: float, outcome: Outcome, closest: Closest | None
) -> tuple[tuple[str, str] | None, ...]:
    """Return what collides where all solutions do, as far as there is time for it."""
    check, deadline = request.check, start + request.timeout
    blocked_by: list[tuple[str, str] | None] = [None] * len(outcome.notes)
    for t in outcome.colliding.tolist():
        if closest is None or check is None or time.perf_counter() >= deadline:
            break
        blocked_by[t] = check.colliding_pair(closest.positions[t])
    return tuple(blocked_by)
