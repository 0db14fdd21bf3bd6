"""A checked request in, a search by the compiled kernel, a pool of solutions out."""

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.parallel import for_each
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.kernel_chain import pose_rows
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.around import seeds_around
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom, recurrence
from generative_ik_ros.search.kernel import OUT_OF_SEEDS, OUT_OF_STEPS, search_kernel
from generative_ik_ros.search.policy import bounded, next_batch
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.search.state import (
    CLOSED,
    CONVERGED,
    ITERATED,
    NUM_COUNTERS,
    SCOUT_LEFT,
    TRIED,
    UNFED,
    WALK_CONVERGED,
    WALKED,
    new_lanes,
)
from generative_ik_ros.select.order import COMPARE, WORK
from generative_ik_ros.select.pool import SolutionPool
from generative_ik_ros.select.turns import nearest_turn

# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

_SEEDS_PER_SOLUTION = 3.5
"""First guess of how many seeds it takes to find one more distinct solution."""
_SCOUTS_PER_SOLUTION = 2.0
"""The same for a chain with joints to spare, whose solution sets are then walked along."""
_SLAB = 65536
"""Most seeds of a sampler that are in memory at a time."""
_PIECE = 64
"""Solutions wanted that a thread looks for at a time. It does not depend on the number of threads,
so that neither do the results."""
_APPROACHES = 64
"""Seeds that are driven to their local minimum to find the closest approach to a target."""
_SPARE, _SPARE_TO = 16, 128
"""At most so many more solutions than asked for are looked for, to choose the most diverse; less
and less up to that many solutions, because it takes long to find the last ones of a set."""
_FINISH, _FINISH_MANY, _FINISH_ONE_MORE = 1e-6, 6e-6, 5e-8
"""Time to finish a target after its search [s]: for one solution, for several, for each more."""
_SHARE = 0.25
"""Largest share of a timeout that is kept for that."""
_FIRST_STEPS, _MOST_STEPS = 64, 1 << 16
"""Steps of the kernel before the clock is looked at: at first, and at most."""

_Given = tuple[Any, ...]
"""Seeds for the kernel: `given`, `row`, `first` and `endless` of `state.Seeds`."""


class Search:
    """The state of one call of IKSolver.solve for T targets.

    Args:
        stages: Sampler, refiner and verifier.
        request: What is wanted.
        start: Reading of `time.perf_counter` when the call began [s].

    Attributes:
        sampler: Where independent seeds come from.
        pool: The solutions found.
        timed_out: (T,) whether the deadline came before the search for a target was over.
        finish: What it takes to finish after the search, besides ranking solutions [s].
        rounds: How often the sampler was asked.
        propose_time: Time spent in the sampler [s].
        search_time: Time spent refining, verifying and keeping [s].
    """

    def __init__(self, stages: Stages, request: SolveRequest, start: float):
        """Prepare an empty pool."""
        self._stages, self._request, self._space = stages, request, request.space
        num_targets, wanted = len(request.targets), request.num_solutions
        # Putting solutions in order takes its time as well, which is seen in large requests only.
        each = _FINISH if wanted == 1 else _FINISH_MANY + _FINISH_ONE_MORE * wanted
        self.finish = num_targets * each
        if wanted > 1 and request.seed_state is None:
            each += COMPARE * min(2 * stages.chain.num_joints * wanted**2, WORK)
        kept = min(num_targets * each, _SHARE * request.timeout)
        self._deadline = start + request.timeout - kept
        guess = _SCOUTS_PER_SOLUTION if stages.spare else _SEEDS_PER_SOLUTION
        around = request.seed_state is not None
        self.sampler = stages.sampler
        # What the kernel can make itself needs no memory and no call.
        quasi_random = isinstance(self.sampler, QuasiRandom)
        self._endless = stages.inline and (quasi_random or self.sampler.only_first)
        self._ask_first = not (self._endless and quasi_random)
        if self.sampler.seeds_per_solution is not None and not around:
            guess = self.sampler.seeds_per_solution
        self._first_batch = bounded(guess * wanted)
        # Where a single solution is wanted, anywhere, the first that converges will do.
        self._enough = 1 if wanted == 1 and not around else np.iinfo(np.int64).max
        # About a seed state all of the first seeds are tried, to find the nearest solutions.
        self._least = self._first_batch if around else 0
        # More than enough, for the most diverse to be chosen among them.
        spare = min(wanted, max(0, _SPARE - wanted * _SPARE // _SPARE_TO))
        spare = 0 if around or wanted == 1 else spare
        self._looked_for = wanted + spare
        self.pool = SolutionPool(
            num_targets, self._looked_for + self._least, stages.chain.num_joints, self._space.grid
        )
        self._counters = np.zeros((num_targets, NUM_COUNTERS), np.int64)
        self._counters[:, SCOUT_LEFT] = self._first_batch
        queue = 2 * self._looked_for if stages.spare else 0
        self._steps = np.empty((num_targets, queue, 2), np.int32)
        self._closest = (
            np.repeat(self._space.reference[None], num_targets, axis=0),
            np.full(num_targets, np.inf),
        )
        self._rows = pose_rows(request.targets)
        self._recurrence = recurrence(request.random_seed, stages.chain.num_joints)
        self.timed_out = np.zeros(num_targets, np.bool_)
        self.rounds = 0
        self.propose_time = self.search_time = 0.0

    def work(self) -> dict[str, int]:
        """Say how much was done so far, all targets together: the numbers in `Timings`."""
        counters = self._counters
        columns = (TRIED, WALKED, CONVERGED, WALK_CONVERGED, ITERATED)
        if len(counters) == 1:
            # A single solution takes 30 us, of which sums of arrays would be five.
            row, distinct = counters[0].tolist(), int(self.pool.counts[0])
            tried, walked, scouts, walks, iterations = [row[k] for k in columns]
        else:
            distinct = int(self.pool.counts.sum())
            tried, walked, scouts, walks, iterations = [int(counters[:, k].sum()) for k in columns]
        return {
            "rounds": self.rounds,
            "seeds": tried + walked,
            "walks": walked,
            "exact": scouts + walks,
            "distinct": distinct,
            "iterations": iterations,
        }

    def run(self) -> None:
        """Search until every target is solved, exhausted or out of time."""
        num_targets = len(self._rows)
        size = max(1, _SLAB // self._first_batch if self._ask_first else num_targets)
        for i in range(0, num_targets, size):
            if self._late():
                break
            self._search(i, min(i + size, num_targets))
        if self._deadline < math.inf:
            self.timed_out[self._counters[:, CLOSED] == 0] = True
        if not self.pool.counts.all():
            unsolved = np.flatnonzero((self.pool.counts == 0) & ~self.timed_out)
            self._approach(unsolved)

    def best_effort(self, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the configuration closest to each of some targets among all that were seen."""
        space = self._space
        return nearest_turn(
            self._closest[0][targets], space.reference, space.lower, space.upper, space.circular
        )

    def _late(self) -> bool:
        return time.perf_counter() >= self._deadline

    def _search(self, first: int, last: int) -> None:
        """Search for solutions of the targets from `first` to before `last`."""
        count = max(1, _PIECE // self._request.num_solutions)
        pieces = [(i, min(i + count, last)) for i in range(first, last, count)]
        seeds = self._first_seeds(first, last)
        while pieces:
            begin = time.perf_counter()
            unfed = []

            def work(piece: tuple[int, int], seeds: _Given = seeds, unfed: list = unfed) -> None:
                if self._run_piece(piece, seeds) == OUT_OF_SEEDS:
                    unfed.append(piece)

            for_each(work, pieces, self._deadline)
            self.search_time += time.perf_counter() - begin
            if not unfed or self._late():
                return
            pieces = sorted(unfed)
            seeds = self._more_seeds(first + np.flatnonzero(self._counters[first:last, UNFED]))

    def _run_piece(self, piece: tuple[int, int], seeds: _Given) -> int:
        """Run the kernel on some targets until they are closed, lack seeds or time is up."""
        stages = self._stages
        lanes = new_lanes(len(stages.chain.joint_origins), stages.chain.num_joints)
        hurry = self._deadline < math.inf
        steps, status = _FIRST_STEPS if hurry else _MOST_STEPS, OUT_OF_STEPS
        begin = time.perf_counter()
        while status == OUT_OF_STEPS and begin < self._deadline:
            status = self._call_kernel(
                stages.problem, self._counters, seeds, piece, lanes, steps, spare=stages.spare
            )
            end = time.perf_counter()
            if hurry:
                # Steps get slower as solutions to compare with become more.
                left = (self._deadline - end) / (end - begin) * steps
                steps = int(min(max(left / 4.0, 1.0), 2 * steps, _MOST_STEPS))
            begin = end
        return status

    def _call_kernel(
        self,
        problem: tuple[Any, ...],
        counters: NDArray[np.int64],
        seeds: _Given,
        piece: tuple[Any, ...],
        lanes: tuple[Any, ...],
        steps: int,
        *,
        spare: bool,
    ) -> int:
        return search_kernel(
            *problem, self._space.box, self._recurrence, *self._space.grid,
            self._rows, self._request.targets, self._looked_for, self._least, spare,
            *self.pool.arrays, counters, self._steps, *self._closest,
            *seeds, *piece, *lanes, steps,
        )  # fmt: skip

    def _first_seeds(self, first: int, last: int) -> _Given:
        """Return the seeds that the targets from `first` to before `last` begin with."""
        if self._request.seed_state is not None:
            targets = np.arange(first, last)
            request = self._seed_request(targets[:1], self._first_batch)
            sequence = QuasiRandom(self._stages.chain)
            return self._given(targets, seeds_around(sequence, request, self._space.reference))
        if not self._ask_first:
            none = np.empty((1, 0, len(self._space.lower)))
            return none, np.zeros(len(self._rows), np.int64), 0, True
        return self._proposed(np.arange(first, last), self._first_batch)

    def _more_seeds(self, targets: NDArray[np.int64]) -> _Given:
        """Return further seeds for targets whose seeds are used up."""
        self._counters[targets, UNFED] = 0
        return self._proposed(targets, max(next_batch(self._counters, t) for t in targets))

    def _proposed(self, targets: NDArray[np.int64], count: int) -> _Given:
        """Ask the sampler for seeds; unless the kernel does it, make them exact."""
        begin = time.perf_counter()
        seeds = self.sampler.propose(self._seed_request(targets, count))
        self.propose_time += time.perf_counter() - begin
        self.rounds += 1
        return self._given(
            targets, seeds if self._stages.inline else self._refined(targets, seeds)
        )

    def _refined(
        self, targets: NDArray[np.int64], seeds: NDArray[np.float64], *, thorough: bool = False
    ) -> NDArray[np.float64]:
        """Let the refiner move (A, K, n) seeds towards their targets."""
        begin, num_targets = time.perf_counter(), len(self._rows)
        refinement = self._stages.refiner.refine(
            RefineTask(
                self._request.targets,
                seeds.reshape(-1, seeds.shape[-1]),
                np.repeat(targets, seeds.shape[1]),
                self._space.box[2],
                self._space.box[3],
                np.full(num_targets, self._enough),
                self._deadline,
                thorough,
            )
        )
        self.search_time += time.perf_counter() - begin
        return refinement.positions.reshape(seeds.shape)

    def _seed_request(self, targets: NDArray[np.int64], count: int) -> SeedRequest:
        return SeedRequest(
            self._request.targets[targets],
            count,
            self._space.lower,
            self._space.upper,
            self._request.random_seed,
            first=int(self._counters[targets[0], TRIED]),
        )

    def _given(self, targets: NDArray[np.int64], seeds: NDArray[np.float64]) -> _Given:
        """Say which of the (A, K, n) seeds are whose; one row is for all of the targets."""
        row = np.zeros(len(self._rows), np.int64)
        if len(seeds) > 1:
            row[targets] = np.arange(len(targets))
        first = int(self._counters[targets[0], TRIED])
        # A read-only array would have the kernel compiled anew.
        given = np.require(seeds, requirements=("C", "W"))
        return given, row, first, self._endless

    def _approach(self, targets: NDArray[np.int64]) -> None:
        """Follow some seeds of unsolved targets to their local minima, for the best effort."""
        size = _SLAB // _APPROACHES
        for i in range(0, len(targets), size):
            if i and self._late():
                return
            slab = targets[i : i + size]
            seeds = self.sampler.propose(self._seed_request(slab, _APPROACHES))
            self._check(slab, self._refined(slab, seeds, thorough=True))

    def _check(self, targets: NDArray[np.int64], positions: NDArray[np.float64]) -> None:
        """Keep what is a solution among (A, K, n) configurations, or else the closest."""
        chain, num_targets = self._stages.chain, len(self._rows)
        counters = np.zeros_like(self._counters)
        counters[:, CLOSED] = 1
        counters[targets, CLOSED] = 0
        given, row, _, _ = self._given(targets, positions)
        lanes = new_lanes(len(chain.joint_origins), chain.num_joints)
        self._call_kernel(
            self._stages.check, counters, (given, row, 0, False), (0, num_targets), lanes,
            np.iinfo(np.int64).max, spare=False,
        )  # fmt: skip
