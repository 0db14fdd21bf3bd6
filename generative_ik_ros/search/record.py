"""The IKSolutions that an outcome becomes: what few callers read is computed when it is read."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from generative_ik_ros._core import unpack_result
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.request import SolveRequest, check_request
from generative_ik_ros.robot.targets import check_targets
from generative_ik_ros.search.outcome import NEAREST, UNDONE, Closest, Outcome, work_of
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.preferences import CLEARANCE
from generative_ik_ros.solutions import IKSolutions, SolveStatus, Timings

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.search.approach import ClosestApproaches

_STATUSES = (
    SolveStatus.NO_SOLUTION, SolveStatus.TIMED_OUT, SolveStatus.PARTIAL, SolveStatus.SOLVED,
    SolveStatus.APPROXIMATE,
)  # fmt: skip


class Asked(NamedTuple):
    """What a call says that is answered before all of it is checked.

    Attributes:
        targets: (4, 4), or as of a `SolveRequest`; a copy, for the caller may change the other.
        timeout: [s], inf for none.
        random_seed: Not negative.
        seed_state: (n,) if the nearest to it are wanted, of poses [rad or m].
        consistency_limits: (n,) about it, if any.
        joint_weights: (n,) for distances from it, if any.
    """

    targets: Floats
    timeout: float
    random_seed: int
    seed_state: Floats | None = None
    consistency_limits: Floats | None = None
    joint_weights: Floats | None = None

    def request(self, stages: Stages, wanted: int) -> SolveRequest:
        """Return the request that this is, for so many solutions."""
        if self.seed_state is not None:
            return check_request(
                stages.chain, stages.whole, stages.distinct_distance, self.targets, wanted,
                self.seed_state, self.consistency_limits, self.timeout, self.random_seed,
                joint_weights=self.joint_weights,
            )  # fmt: skip
        tips = len(stages.chain.tip_links)
        poses = check_targets(self.targets.reshape(-1, 4, 4), None)
        if stages.goals:
            poses = poses.reshape(-1, tips, 4, 4)
        return SolveRequest(poses, wanted, None, stages.whole, self.timeout, self.random_seed)


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


def _timings(of: _Record, _: IKSolutions) -> Timings:
    start, solved, end = of.times
    work = work_of(of.notes, of.work)
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
        given: The solver's stages, the packed numbers, what measures the clearance, if anything,
            and what was asked, if there are targets without a solution.
        found: The result.
        name: Of the attribute.
    """
    stages, packed, *more = given
    measure, asked = (*more, None, None)[:2]
    outcome, times = outcome_in(packed, found.positions)
    request = None if asked is None else asked.request(stages, outcome.positions.shape[1])
    return read_outcome(stages, outcome, request, times, measure, found, name)


def read_outcome(
    stages: Stages,
    outcome: Outcome,
    request: SolveRequest | None,
    times: tuple[float, float, float],
    measure: Callable[[], Floats] | None,
    found: IKSolutions,
    name: str,
) -> Any:  # noqa: ANN401
    """Compute an attribute of a result that was made before its record.

    Args:
        stages: Of the solver.
        outcome: What was found.
        request: What was asked for, if there are targets without a solution.
        times: See `_Record`, as the next.
        measure: See there.
        found: The result.
        name: Of the attribute.
    """
    closest = None if request is None else outcome.known_closest(request.space.reference)
    wanted, work = outcome.positions.shape[1], outcome.work
    record = _Record(
        stages, wanted, outcome.notes, outcome.errors, times, work, closest, request, measure
    )
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


def with_asked(found: IKSolutions, asked: Asked) -> IKSolutions:
    """Return such a result in which some targets have no solution, and are known to have none."""
    values = found.__dict__
    read, given = values["_unread"]
    values["_unread"] = read, (*given, None, asked)
    return found


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
