"""Targets in, many exact and diverse joint configurations out: the whole way in one class."""

import math
import sys
import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.parallel import for_each
from generative_ik_ros.path import IKPath, PathSearch
from generative_ik_ros.refine.base import characteristic_length
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.request import SolveRequest, check_max_step, check_request
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.registry import AUTO, sampler_class
from generative_ik_ros.search.search import Search
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.order import COMPARE, WORK, most_diverse_first, nearest_first
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.turns import other_turns
from generative_ik_ros.solutions import IKSolutions, SolveStatus, Timings

NUM_STARTS = 64
"""Solutions of the first pose among which the beginning of a path is chosen."""
DEVICES = (AUTO, "cpu", "cuda")
_ROWS = 2048
"""Closest approaches that a thread measures at a time."""
_SOLVED, _PARTIAL, _NO_SOLUTION, _TIMED_OUT = SolveStatus
_STATUSES = np.array([_NO_SOLUTION, _TIMED_OUT, _PARTIAL, _SOLVED], dtype=object)


class IKSolver:
    """Finds many distinct configurations that put a chain's tip on a target, each one verified.

    A solver keeps no state between calls and may be used from several threads at once.

    Args:
        chain: The chain to solve.
        sampler: Where seeds come from; a name of `sampler_names()`, "auto" for the best, or a
            sampler of one's own that was made for this chain.
        device: "cpu", "cuda" or "auto", where a learned sampler's model runs, and the refiner
            "torch_levenberg_marquardt".
        position_tolerance: Largest accepted distance from the target [m]; inf leaves the
            position free.
        orientation_tolerance: Largest accepted angle from the target [rad]; inf leaves the
            orientation free.
        refiner: Local solver that makes seeds exact; a name of `refiner_names()`.
        distinct_distance: Solutions with no joint further apart than this count as one [rad or m].

    Raises:
        UnknownNameError: There is no sampler, refiner or device of that name.
        InvalidArgumentError: A tolerance or the distance is not above 0, or both tolerances are
            infinite, the device is not there, or the sampler was made for another chain.
    """

    def __init__(
        self,
        chain: KinematicChain,
        sampler: str | Sampler = AUTO,
        device: str = AUTO,
        position_tolerance: float = 1e-5,
        orientation_tolerance: float = 1e-5,
        *,
        refiner: str = "levenberg_marquardt",
        distinct_distance: float = 0.05,
    ):
        """Check the settings and prepare what does not depend on the targets."""
        if not isinstance(chain, KinematicChain):
            raise InvalidArgumentError(f"chain must be a KinematicChain, not {type(chain)}")
        for name, value in (
            ("position_tolerance", position_tolerance),
            ("orientation_tolerance", orientation_tolerance),
            ("distinct_distance", distinct_distance),
        ):
            # A whole number may be larger than any float.
            beyond = isinstance(value, int) and value > sys.float_info.max
            if not isinstance(value, int | float) or not value > 0.0 or beyond:
                raise InvalidArgumentError(f"{name} must be a number above 0, not {value!r}")
        if math.isinf(position_tolerance) and math.isinf(orientation_tolerance):
            raise InvalidArgumentError(
                "position_tolerance and orientation_tolerance are both infinite: nothing to solve"
            )
        self.chain = chain
        self.position_tolerance = float(position_tolerance)
        self.orientation_tolerance = float(orientation_tolerance)
        self.distinct_distance = float(distinct_distance)
        where_models_run = _device(device)
        if isinstance(sampler, Sampler):
            if sampler.chain is not chain:
                raise InvalidArgumentError(f"sampler '{sampler.name}' was made for another chain")
            self.sampler = sampler
        else:
            self.sampler = sampler_class(sampler)(chain, where_models_run)
        kind = refiner_class(refiner)
        where = {"device": device} if kind.takes_device else {}
        self.refiner = kind(chain, self.position_tolerance, self.orientation_tolerance, **where)
        self._turning = chain.periodic
        self._scale = np.where(chain.prismatic, characteristic_length(chain), 1.0)
        self._stages = Stages.of(self.sampler, self.refiner, self.distinct_distance)

    def solve(
        self,
        targets: ArrayLike,
        num_solutions: int = 100,
        seed_state: ArrayLike | None = None,
        consistency_limits: ArrayLike | None = None,
        timeout: float | None = None,
        random_seed: int | None = None,
    ) -> IKSolutions:
        """Find distinct configurations for each target.

        Without a seed state they come most diverse first, so that the first k are the best k for
        any k; with one, nearest to it first. Failing to find any is a status, not an exception.

        Args:
            targets: (4, 4) or (B, 4, 4) poses, tip in base [m].
            num_solutions: Number N of solutions wanted for each target.
            seed_state: (n,) configuration to start from and to sort by [rad or m].
            consistency_limits: (n,) largest distance of each joint from the seed state
                [rad or m]; inf is no limit. Every solution respects them.
            timeout: Time for the whole call by a steady clock [s]. Without one the search ends
                by itself, when nothing new turns up.
            random_seed: The same seed gives the same solutions, unless time runs out; None is
                a fixed default, not a new one each time.

        Raises:
            InvalidTargetError: A target is no pose.
            InvalidArgumentError: Another argument is unusable; the message says why.
        """
        start = time.perf_counter()
        request = check_request(
            self.chain, self._stages.whole, self.distinct_distance, targets, num_solutions,
            seed_state, consistency_limits, timeout, random_seed,
        )  # fmt: skip
        search = Search(self._stages, request, start)
        # The result's memory is taken before the search, so that none of it is after the deadline.
        size = len(request.targets), request.num_solutions
        if search.pool.positions.shape[1] > 1:
            positions = np.full((*size, self.chain.num_joints), np.nan)
            errors = np.full((*size, 2), np.nan)
        else:
            positions, errors = search.pool.positions, search.pool.errors
        search.run()
        return self._select(request, search, start, positions, errors)

    def solve_path(
        self,
        targets: ArrayLike,
        seed_state: ArrayLike | None = None,
        max_step: ArrayLike | None = None,
        timeout: float | None = None,
    ) -> IKPath:
        """Find joint positions that follow poses along a path without a jump.

        Solving pose by pose, nearest to the last solution first, comes to an end where a joint
        runs into its limit or the wrong one of two branches was taken at a singularity. This
        looks further: it is complete for arms without joints to spare, up to the resolution of
        the path, and tries many ways of self-motion for others.

        Args:
            targets: (B, 4, 4) poses, tip in base [m]; near enough to each other for `max_step`.
            seed_state: (n,) where the arm is [rad or m]; one step leads to the first pose. None:
                the path begins at whatever solution of the first pose leads furthest.
            max_step: Largest change of each joint from a pose to the next, (n,) or one number
                for all [rad or m]. None is 0.2 rad, and for sliding joints the travel that moves
                the tip as far.
            timeout: Time for the whole call by a steady clock [s].

        Raises:
            InvalidTargetError: A target is no pose.
            InvalidArgumentError: Another argument is unusable; the message says why.
        """
        start = time.perf_counter()
        request = check_request(
            self.chain, self._stages.whole, self.distinct_distance, targets, 1, seed_state, None,
            timeout, None,
        )  # fmt: skip
        step = 0.2 * self._scale if max_step is None else check_max_step(self.chain, max_step)
        search = PathSearch(self._stages, request.targets, step, start + request.timeout)
        if request.seed_state is not None:
            positions = search.run(request.seed_state[None], first=0)[1:]
        elif len(first := self._first_of_path(request)):
            positions = search.run(first, first=1)
        else:
            positions = np.empty((0, self.chain.num_joints))
        reached, size = len(positions), len(request.targets)
        errors = self._stages.verifier.errors(positions, request.targets, np.arange(reached))
        return IKPath(
            joint_names=self.chain.names,
            positions=np.concatenate([positions, np.full((size - reached, len(step)), np.nan)]),
            num_reached=reached,
            position_error=np.append(errors[0], np.full(size - reached, np.nan)),
            orientation_error=np.append(errors[1], np.full(size - reached, np.nan)),
            timed_out=search.timed_out,
            total_time=time.perf_counter() - start,
        )

    def _first_of_path(self, request: SolveRequest) -> NDArray[np.float64]:
        """Return (K, n) diverse solutions of the first pose, for a path to begin at."""
        timeout = None if math.isinf(request.timeout) else request.timeout
        return self.solve(request.targets[:1], NUM_STARTS, timeout=timeout).of(0)

    def warm_up(self) -> float:
        """Compile the kernels, or load them from numba's cache, and return the time [s]."""
        start = time.perf_counter()
        lower = np.where(np.isfinite(self.chain.lower), self.chain.lower, -1.0)
        upper = np.where(np.isfinite(self.chain.upper), self.chain.upper, 1.0)
        target = self.chain.forward((lower + upper) / 2.0)
        for count in (1, 3):
            self.solve(target, num_solutions=count)
        self.solve(target, num_solutions=1, seed_state=lower)
        # Out of reach: what comes closest is looked for.
        target[:3, 3] += 1e3 * (1.0 + self.chain.reach)
        self.solve(target, num_solutions=1)
        return time.perf_counter() - start

    def _select(
        self,
        request: SolveRequest,
        search: Search,
        start: float,
        positions: NDArray[np.float64],
        errors: NDArray[np.float64],
    ) -> IKSolutions:
        """Put the solutions of each target in order and into the result's arrays."""
        begin = time.perf_counter()
        pool, counts = search.pool, search.pool.counts
        if positions is not pool.positions:
            counts = np.zeros(len(request.targets), np.int64)
            left = start + request.timeout - begin - search.finish
            work = int(min(WORK, max(left, 0.0) / (COMPARE * max(len(counts), 1))))

            def order(t: int) -> None:
                found, found_errors, ranks = self._ranked(request, pool, t, work)
                counts[t] = count = len(ranks)
                # A choice of very many needs no memory of its own.
                np.take(found, ranks, axis=0, out=positions[t, :count], mode="clip")
                np.take(found_errors, ranks, axis=0, out=errors[t, :count], mode="clip")

            for_each(order, np.flatnonzero(pool.counts).tolist(), math.inf)
        best_effort, best_errors = positions[:, 0].copy(), errors[:, 0].copy()
        if not counts.all():
            rows = np.flatnonzero(counts == 0)
            positions[rows], errors[rows] = np.nan, np.nan
            closest, gaps = search.best_effort(rows), np.empty((len(rows), 2))

            def measure(i: int) -> None:
                some = slice(i, i + _ROWS)
                gaps[some, 0], gaps[some, 1] = self._stages.verifier.errors(
                    closest[some], request.targets, rows[some]
                )

            for_each(measure, range(0, len(rows), _ROWS), math.inf)
            best_effort[rows], best_errors[rows] = closest, gaps
        end = time.perf_counter()
        return IKSolutions(
            joint_names=self.chain.names,
            positions=positions,
            counts=counts,
            position_error=errors[..., 0],
            orientation_error=errors[..., 1],
            status=_statuses(counts, request.num_solutions, search.timed_out),
            best_effort=best_effort,
            best_effort_position_error=best_errors[:, 0],
            best_effort_orientation_error=best_errors[:, 1],
            sampler=search.sampler.name,
            timings=Timings(
                propose=search.propose_time,
                refine=search.search_time,
                select=end - begin,
                total=end - start,
                **search.work(),
            ),
        )

    def _ranked(
        self, request: SolveRequest, pool: SolutionPool, target: int, work: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return solutions of one target, their errors, and which at most N come in what order."""
        count, seed, space = request.num_solutions, request.seed_state, request.space
        found = pool.positions[target, : pool.counts[target]]
        errors = pool.errors[target, : pool.counts[target]]
        ranks = np.arange(min(count, len(found)))
        if not len(found) or (len(found) == 1 and count == 1):
            return found, errors, ranks
        # Joints with room for several turns reach the same shape of the arm several times.
        repeated = request.space.circular & ~self.chain.continuous
        if seed is None:
            ranks = most_diverse_first(
                found,
                self.chain.lower,
                self.chain.upper,
                self._turning,
                self._scale,
                len(ranks),
                work,
            )
        wish = count if seed is not None else count - len(found)
        if wish > 0 and repeated.any():
            if seed is None:
                found, errors = found[ranks], errors[ranks]
            more = other_turns(found, space.reference, space.lower, space.upper, repeated, wish)
            more_errors = np.stack(
                self._stages.verifier.errors(more, request.targets, np.full(len(more), target)),
                axis=1,
            )
            true = (more_errors <= (self.position_tolerance, self.orientation_tolerance)).all(1)
            found = np.concatenate([found, more[true]])
            errors = np.concatenate([errors, more_errors[true]])
            ranks = np.arange(min(count, len(found)))
        if seed is not None:
            ranks = nearest_first(found, seed, count)
        return found, errors, ranks


def _statuses(
    counts: NDArray[np.int64], wanted: int, timed_out: NDArray[np.bool_]
) -> tuple[SolveStatus, ...]:
    """Say how the search for each target ended; for ten thousand of them that takes its time."""
    if len(counts) == 1 and counts[0] >= wanted:
        return (_SOLVED,)
    kind = np.where(counts > 0, 2 + (counts >= wanted), timed_out)
    return tuple(_STATUSES[kind].tolist())


def _device(device: str) -> str:
    """Return "cpu" or "cuda"."""
    if device not in DEVICES:
        raise UnknownNameError("device", device, DEVICES)
    if device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise InvalidArgumentError("device 'cuda' was asked for, but there is no CUDA device")
    return "cpu" if device == AUTO else device
