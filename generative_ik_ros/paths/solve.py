"""One call of `IKSolver.solve_path`: its arguments, the core's search, and what it returns."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.arguments import joint_array, motion_weights, true_or_false
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, shown, warn_caller
from generative_ik_ros.paths.reason import reason
from generative_ik_ros.paths.result import IKPath
from generative_ik_ros.paths.task import OBJECTIVES, PathTask, check_objective
from generative_ik_ros.request import SolveRequest, check_max_step
from generative_ik_ros.robot.limits import beyond_limit, overshoot
from generative_ik_ros.search.goal_stages import RegionsOfGoals
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
    poses: Stages | None,
    seed_state: Floats | None,
) -> IKPath:
    """Find a path, as `IKSolver.solve_path` describes it.

    Args:
        stages: Verifier of the chain or tree, and of the regions.
        request: Poses, seed state, deadline and collision check.
        options: What else is asked for.
        solve: Solves one of the poses: its index, how many solutions are wanted, a random seed,
            a time limit, and whether the pose itself is meant, not the region about it.
        start: Reading of `time.perf_counter` when the call began [s].
        poses: What is for the poses of a chain themselves; None: it is a tree.
        seed_state: (n,) the seed state as it was given, maybe beyond the limits.

    Raises:
        UnknownNameError: There is no such objective.
        InvalidArgumentError: Another option is unusable; the message says why.
    """
    check_objective(options.objective, collisions=request.check is not None)
    true_or_false("closed", options.closed)
    if not (options.on_path is None or callable(options.on_path)):
        raise InvalidArgumentError(f"on_path must be a function, not {shown(options.on_path)}")
    chain, units = stages.chain, stages.chain.joint_units
    bounds = np.stack([
        chain.lower, chain.upper, check_max_step(chain, options.max_step), units,
        motion_weights(options.joint_weights, chain.names) / units,
    ])  # fmt: skip
    targets, problem, regions, around = request.targets, None, None, False
    if poses is not None:
        problem = (poses.approximate or poses).problem
    if request.regions is not None:
        regions = stages.problem
        around = problem is not None and _around(stages, request.regions)
        targets = targets if problem is None else targets[:, 0]
    task = PathTask(
        stages, problem, regions, around, np.ascontiguousarray(targets), bounds,
        start + request.timeout, request.check,
    )  # fmt: skip
    end = _end(task, request, options.end_state, closed=options.closed)
    outside = None
    if seed_state is not None and request.seed_state is not None:
        beyond = np.abs(seed_state - request.seed_state)
        if beyond.any() and (beyond <= overshoot(chain.prismatic)).all():
            outside = np.ascontiguousarray(seed_state)
    return _Call(task, options, solve, start).run(request.seed_state, outside, end)


class _Call:
    """Runs the search of one call and reports on it; arguments are those of `find_path`."""

    def __init__(
        self, task: PathTask, options: PathOptions, solve: Callable[..., IKSolutions], start: float
    ):
        """Begin with no path."""
        self._task, self._options, self._solve, self._start = task, options, solve, start
        self._improvements: list[tuple[float, float]] = []
        self._notes: dict[int, str] = {}

    def run(self, before: Floats | None, outside: Floats | None, last: Floats | None) -> IKPath:
        """Search, and return the best path found, from where the arm is to an end state.

        Args:
            before: (n,) where the arm is, inside the limits [rad or m].
            outside: (n,) the same as an encoder reads it, if that is a little beyond a limit.
            last: (n,) the end state.
        """
        task, objective = self._task, self._options.objective
        if not len(task.targets):
            nothing = np.empty((0, task.num_joints))
            self._offer(nothing, 0.0)
            return self._result(nothing, "", timed_out=False)
        world, collides = None, None
        if task.check is not None:
            world, collides = task.check.world, task.check.collides
        best, ending, before_end, after_end, timed_out = _core.find_path(
            task.problem, task.regions, task.around, task.freedom, task.targets, task.bounds,
            before, outside, last, bool(self._options.closed),
            None if objective is None else OBJECTIVES.index(objective), world, self._solutions,
            collides, self._offer, task.deadline - time.perf_counter(),
        )  # fmt: skip
        if outside is not None:
            _warn_of_limits(task, outside, best)
        why = ""
        if len(best) < len(task.targets):
            why = "time was up"
            if not timed_out:
                noted = self._notes.get(len(best))
                why = noted or reason(task, len(best), ending, before_end, after_end)
        return self._result(best, why, timed_out=timed_out)

    def _solutions(self, pose: int, count: int, random_seed: int, exactly: bool) -> Floats:
        """Return solutions (K, n) of a pose that are free of collisions."""
        left = self._task.deadline - time.perf_counter()
        if left <= 0.0:
            return np.empty((0, self._task.num_joints))
        timeout = None if math.isinf(left) else left
        found = self._solve(pose, count, random_seed, timeout, exactly)
        if not (found.counts[0] or exactly):
            self._notes[pose] = f"pose {pose}: {found.best_effort_message()}"
        return np.ascontiguousarray(found.of(0))

    def _offer(self, path: Floats, value: float) -> bool:
        """Note a better path and its objective's value; say whether the search is to go on."""
        self._improvements.append((time.perf_counter() - self._start, value))
        on_path = self._options.on_path
        if on_path is None:
            return True
        return on_path(self._result(path, "", timed_out=False)) is not False

    def _result(self, positions: Floats, why: str, *, timed_out: bool) -> IKPath:
        task, reached, size = self._task, len(positions), len(self._task.targets)
        errors, motions = task.errors(positions, np.arange(reached)).T, task.motions(positions)
        nearest = float("nan")
        if task.check is not None and reached:
            nearest = float(task.check.clearance(positions).min())
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
            total_time=time.perf_counter() - self._start,
            reason=why,
            length=float(np.linalg.norm(motions, axis=1).sum()),
            largest_step=float(np.abs(motions).max(initial=0.0)),
            clearance=nearest,
            improvements=tuple(self._improvements),
        )


def _warn_of_limits(task: PathTask, start: Floats, path: Floats) -> None:
    """Warn of a configuration (n,) beyond the limits, and say if a path (L, n) begins there."""
    chain, (lower, upper) = task.stages.chain, task.bounds[:2]
    joints = "; ".join(
        beyond_limit(chain.names[i], start[i], lower[i], upper[i])
        for i in np.flatnonzero((start < lower) | (start > upper))
    )
    there = len(path) and ((path[0] < lower) | (path[0] > upper)).any()
    warn_caller(f"seed_state: {joints}; the path begins {'there' if there else 'inside'}")


def _around(stages: Stages, regions: RegionsOfGoals) -> bool:
    """Say whether poses are within the regions about them."""
    tolerances = stages.refiner.tolerances
    different = {each[0].key: each[0] for each in regions}
    return all(region.is_around(*tolerances) for region in different.values())


def _end(
    task: PathTask, request: SolveRequest, end_state: ArrayLike | None, *, closed: bool
) -> Floats | None:
    """Return the solution (n,) of the last pose at which a path ends; None: any.

    Raises:
        InvalidArgumentError: `end_state` is no solution of the last pose, collides, or
            contradicts `closed`; or the last pose of a closed path is not its first.
    """
    chain = task.stages.chain
    if not len(task.targets):
        return None
    if closed:
        if end_state is not None:
            raise InvalidArgumentError("a closed path ends where it begins: leave out end_state")
        if not np.allclose(task.targets[0], task.targets[-1], rtol=0.0, atol=1e-9):
            raise InvalidArgumentError("closed: the last pose must be the same as the first")
        if request.regions is not None and request.regions[0][0].key != request.regions[-1][0].key:
            raise InvalidArgumentError("closed: the last region must be the same as the first")
    if end_state is None:
        return None
    given = joint_array("end_state", end_state, chain.names)
    end = np.clip(given, *task.bounds[:2])
    if (np.abs(end - given) > overshoot(chain.prismatic)).any():
        raise InvalidArgumentError("end_state is outside the joint limits")
    last = len(task.targets) - 1
    if not task.is_solution(end, last):
        ((position, angle),) = task.errors(end[None], np.array([last]))
        where = "" if (end == given).all() else " at the joint limits"
        raise InvalidArgumentError(
            f"end_state is no solution of the last pose: its tip{where} is "
            f"{1e3 * position:.3g} mm and {angle:.3g} rad off"
        )
    if task.check is not None and (pair := task.check.colliding_pair(end)) is not None:
        raise InvalidArgumentError(f"end_state collides: {pair[0]} with {pair[1]}")
    return end
