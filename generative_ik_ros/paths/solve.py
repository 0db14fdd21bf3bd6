"""One call of `IKSolver.solve_path`: the search, and what it returns."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.arguments import joint_array
from generative_ik_ros.compiled.solving_time import solving_time
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.paths.beyond_limits import way_back_inside
from generative_ik_ros.paths.closed import ClosedSearch
from generative_ik_ros.paths.narrow import with_exact_poses
from generative_ik_ros.paths.objective import Objective, check_objective
from generative_ik_ros.paths.result import IKPath
from generative_ik_ros.paths.search import PathSearch
from generative_ik_ros.paths.solved import solved
from generative_ik_ros.paths.task import Ends, PathTask, Solutions
from generative_ik_ros.request import SolveRequest, check_max_step
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.limits import overshoot
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.solutions import IKSolutions

OnPath = Callable[[IKPath], bool | None]


class PathOptions(NamedTuple):
    """Arguments of `IKSolver.solve_path` that only paths have."""

    max_step: ArrayLike | None
    end_state: ArrayLike | None
    closed: bool
    joint_weights: ArrayLike | None
    objective: str | None
    on_path: OnPath | None


def find_path(
    stages: Stages,
    request: SolveRequest,
    options: PathOptions,
    solve: Callable[..., IKSolutions],
    start: float,
    exact: Stages,
    seed_state: NDArray[np.float64] | None,
) -> IKPath:
    """Find a path, as `IKSolver.solve_path` describes it.

    Args:
        stages: Refiner and verifier of the chain.
        request: Poses, seed state, deadline and collision check.
        options: What else is asked for.
        solve: Solves one of the poses: its index, how many solutions are wanted, a random seed,
            a time limit, and whether the pose itself is meant, not the region about it.
        start: Reading of `time.perf_counter` when the call began [s].
        exact: Refiner and verifier for the poses themselves.
        seed_state: (n,) the seed state as it was given, maybe beyond the limits.

    Raises:
        UnknownNameError: There is no such objective.
        InvalidArgumentError: Another option is unusable; the message says why.
    """
    check_objective(options.objective, request.check)
    chain = stages.chain
    task = PathTask.of(
        stages, request.targets, check_max_step(chain, options.max_step),
        _weights(chain, options.joint_weights), start + request.timeout, request.check,
    )  # fmt: skip
    ends = _ends(task, request, options.end_state, closed=options.closed)
    outside = np.empty((0, task.num_joints))
    if seed_state is not None and (seed_state != request.seed_state).any():
        outside = way_back_inside(task, seed_state, _most_outside(task, ends, options))
    if len(outside):
        ends = ends._replace(before=outside[-1])
        task = replace(task, targets=task.targets[len(outside) :], first_pose=len(outside))

    def solutions(
        pose: int, count: int, random_seed: int, *, itself: bool = False
    ) -> NDArray[np.float64]:
        left = task.deadline - time.perf_counter()
        if left <= 0.0:
            return np.empty((0, task.num_joints))
        pose += task.first_pose
        found = solve(pose, count, random_seed, None if math.isinf(left) else left, itself)
        if not (found.counts[0] or itself):
            call.note(pose, found.best_effort_message())
        return found.of(0)

    def exactly(poses: PathTask) -> NDArray[np.float64]:
        return call.searched(poses, partial(solutions, itself=True), ends, alone=True).best

    if request.regions is not None:
        task = with_exact_poses(task, request.regions, exact, exactly)
    call = _Call(task, request.targets, outside, options, start)
    return call.run(solutions, ends)


class _Call:
    """Runs the search of one call and reports on it.

    Args:
        task: Poses and bounds of the search.
        targets: All poses.
        outside: (L, n) configurations at the poses before those of the search.
        options: What is asked for.
        start: Reading of `time.perf_counter` when the call began [s].
    """

    def __init__(
        self,
        task: PathTask,
        targets: NDArray[np.float64],
        outside: NDArray[np.float64],
        options: PathOptions,
        start: float,
    ):
        """Begin with no path."""
        self._task, self._options, self._start = task, options, start
        self._targets, self._outside = targets, outside
        objective = options.objective
        self._objective = None if objective is None else Objective(objective, task)
        self._improvements: list[tuple[float, float]] = []
        self._notes: dict[int, str] = {}

    def note(self, pose: int, reason: str) -> None:
        """Note why a pose has no solution."""
        self._notes[pose] = f"pose {pose}: {reason}"

    def run(self, solutions: Solutions, ends: Ends) -> IKPath:
        """Search, and return the best path found."""
        if not len(self._task.targets):
            self._offer(np.empty((0, self._task.num_joints)))
            return self._result(np.empty((0, self._task.num_joints)), "", timed_out=False)
        search = self.searched(self._task, solutions, ends)
        lacking = len(search.best) < len(self._task.targets)
        if lacking and search.refused and not search.timed_out:
            # The way past what only closer checks see has to be searched for with these.
            closely = self.searched(self._task.closely(), solutions, ends)
            search.timed_out = closely.timed_out
            search = max(search, closely, key=lambda one: len(one.best))
        reason = search.reason
        if len(search.best) < len(self._task.targets):
            if search.timed_out:
                reason = "time was up"
            else:
                reason = self._notes.get(self._task.first_pose + len(search.best), reason)
        return self._result(search.best, reason, timed_out=search.timed_out)

    def searched(
        self, task: PathTask, solutions: Solutions, ends: Ends, *, alone: bool = False
    ) -> PathSearch | ClosedSearch:
        """Return a search that is over; if `alone`, one without an objective and unreported."""
        given = task, solutions, None if alone else self._objective
        offer = (lambda _: True) if alone else self._offer
        search = (
            ClosedSearch(*given, ends.before, offer)
            if self._options.closed
            else PathSearch(*given, ends, offer)
        )
        search.run()
        return search

    def _offer(self, path: NDArray[np.float64]) -> bool:
        """Note a better path; say whether the search is to go on."""
        objective = self._objective or Objective("length", self._task)
        spent = time.perf_counter() - self._start
        self._improvements.append((spent, objective.value(path)))
        on_path = self._options.on_path
        if on_path is None:
            return True
        return on_path(self._result(path, "", timed_out=False)) is not False

    def _result(self, positions: NDArray[np.float64], reason: str, *, timed_out: bool) -> IKPath:
        positions = np.concatenate([self._outside, positions])
        task, reached = self._task, len(positions)
        size, check = len(self._targets), task.check
        verifier = task.stages.verifier
        errors = verifier.errors(positions, self._targets, np.arange(reached))
        nearest = float("nan")
        if check is not None and reached:
            nearest = float(check.clearance(positions).min())
        nothing = np.full(size - reached, np.nan)
        return IKPath(
            joint_names=task.stages.chain.names,
            positions=np.concatenate(
                [positions, np.full((len(nothing), task.num_joints), np.nan)]
            ),
            num_reached=reached,
            position_error=np.append(errors[0], nothing),
            orientation_error=np.append(errors[1], nothing),
            timed_out=timed_out,
            total_time=solving_time(self._start, time.perf_counter()),
            reason=reason,
            length=float(task.lengths(positions).sum()),
            largest_step=Objective("largest_step", task).value(positions),
            clearance=nearest,
            improvements=tuple(self._improvements),
        )


def _most_outside(task: PathTask, ends: Ends, options: PathOptions) -> int:
    """Return at how many poses a path that begins beyond a limit may be outside.

    It ends where it begins, or at an end state, inside; regions have room for that anyway.
    """
    if options.closed or task.targets.ndim > 3:
        return 0
    return len(task.targets) - (ends.last is not None)


def _weights(chain: KinematicChain, joint_weights: ArrayLike | None) -> NDArray[np.float64]:
    """Return the weights of the joints (n,), as `IKSolver.solve_path` describes them.

    Raises:
        InvalidArgumentError: It is not one positive number for each joint.
    """
    if joint_weights is None:
        return np.ones(chain.num_joints)
    weights = joint_array("joint_weights", joint_weights, chain.names)
    if not (weights > 0.0).all() or not np.isfinite(weights).all():
        raise InvalidArgumentError("joint_weights must be above 0 and finite for every joint")
    return weights


def _ends(
    task: PathTask,
    request: SolveRequest,
    end_state: ArrayLike | None,
    *,
    closed: bool,
) -> Ends:
    """Return where a path begins and ends, as `IKSolver.solve_path` describes it.

    Raises:
        InvalidArgumentError: `end_state` is no solution of the last pose, collides, or
            contradicts `closed`; or the last pose of a closed path is not its first.
    """
    seed_state, chain = request.seed_state, task.stages.chain
    if closed:
        if end_state is not None:
            raise InvalidArgumentError("a closed path ends where it begins: leave out end_state")
        if not np.allclose(task.targets[0], task.targets[-1], rtol=0.0, atol=1e-9):
            raise InvalidArgumentError("closed: the last pose must be the same as the first")
        if request.regions is not None and request.regions[0][0].key != request.regions[-1][0].key:
            raise InvalidArgumentError("closed: the last region must be the same as the first")
        return Ends(before=seed_state)
    if end_state is None:
        return Ends(before=seed_state)
    given = joint_array("end_state", end_state, chain.names)
    end = np.clip(given, *task.bounds[:2])
    if (np.abs(end - given) > overshoot(chain.prismatic)).any():
        raise InvalidArgumentError("end_state is outside the joint limits")
    last = np.array([len(task.targets) - 1])
    if not solved(task.stages, end[None], task.targets, last)[0]:
        position, angle = task.stages.verifier.errors(end[None], task.targets, last)
        where = "" if (end == given).all() else " at the joint limits"
        raise InvalidArgumentError(
            f"end_state is no solution of the last pose: its tip{where} is "
            f"{1e3 * position[0]:.3g} mm and {angle[0]:.3g} rad off"
        )
    if task.check is not None and (pair := task.check.colliding_pair(end)) is not None:
        raise InvalidArgumentError(f"end_state collides: {pair[0]} with {pair[1]}")
    return Ends(before=seed_state, last=end)
