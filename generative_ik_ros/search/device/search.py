"""A search whose first random restarts come from a device."""

import time

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.request import SolveRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.device.engine import Device, Refined
from generative_ik_ros.search.search import Search
from generative_ik_ros.search.stages import Stages

_FILL = 1 << 15
"""Seeds for a single solution each, all targets together, that are worth a device's while ..."""
_LEAST, _MOST = 8, 256
"""... and how many of them a target gets at least and at most."""
_SEEDS_PER_SOLUTION = 3.5
"""First guess of how many it takes to find one more distinct solution, redundant or not."""
_SHARE = 0.5
"""Share of the time left after which the device begins nothing more."""


class DeviceSearch(Search):
    """The state of one call, see `Search`; its first restarts are refined on a device.

    Args:
        stages: Sampler, refiner, verifier and the device.
        request: What is wanted, of poses for one tip.
        start: Reading of `time.perf_counter` when the call began [s].
        device: Where to refine.
    """

    def __init__(self, stages: Stages, request: SolveRequest, start: float, device: Device):
        """Choose how many seeds each target gets there."""
        super().__init__(stages, request, start)
        self._device = device
        if request.seed_state is not None:
            self._restarts = self._seeding.first_batch
        elif request.num_solutions == 1:
            self._restarts = min(max(_FILL // max(request.num_targets, 1), _LEAST), _MOST)
        else:
            more = int(_SEEDS_PER_SOLUTION * self._budget.looked_for) + _LEAST
            self._restarts = max(self._seeding.first_batch, more)
        # To know the closest of several takes all of them, and the first may collide.
        simple = request.takes_any and request.check is None
        self._enough = 1 if simple else self._restarts

    def _search(self, first: int, last: int) -> None:
        """Search for solutions of the targets from `first` to before `last`."""
        at = first
        while at < last and self._device.works and not self._late():
            room = self._device.room(self._request.timeout)
            seeds = min(self._restarts, room)
            targets = np.arange(at, min(at + room // seeds, last))
            if refined := self._refined(targets, seeds):
                self._keep(targets, refined)
                at = targets[-1].item() + 1
        self._seeding.begun = at == last
        super()._search(first, last)

    def _refined(self, targets: NDArray[np.int64], count: int) -> Refined | None:
        """Have the device refine the first so many restarts of each of some targets."""
        request, seeding = self._request, self._seeding
        some = targets[:1] if isinstance(self._stages.sampler, QuasiRandom) else targets
        seeds = seeding.unrefined(some, count)
        begin = time.perf_counter()
        # The rest is for the kernel, without which nothing is found.
        deadline = begin + _SHARE * (self._deadline - begin)
        refined = self._device.refined(
            request.targets[targets], seeds, request.space.box[2:4], self._enough, deadline
        )
        seeding.refine_time += time.perf_counter() - begin
        return refined

    def _keep(self, targets: NDArray[np.int64], refined: Refined) -> None:
        """Have the kernel check refined restarts, and decide what is left to do."""
        begin, redundant = time.perf_counter(), self._stages.redundant
        records = self._records[targets[0] : targets[-1] + 1]
        # As if null-space steps were under way: what these would find is not exhausted.
        records["round_size"] = redundant
        given = self._given(refined.rows, targets)
        self._search_pieces(given, 0, targets[0].item(), targets[-1].item() + 1, checks=True)
        records["round_size"] = records["restarts_left"] = 0
        records["restarts"] = records["restarts_ended"] = refined.tried
        records["iterations"] += refined.iterations
        records["needs_seeds"] = False
        records["null_space_pays"] = redundant & (records["usable"] > 0)
        if self._request.seed_state is not None:
            over = records["closed"] | (records["free"] >= self._budget.looked_for)
            records["towards_seed"] = over & records["null_space_pays"]
            records["closed"] = over & ~records["towards_seed"]
        self._kernel_time += time.perf_counter() - begin
