"""The clock of a training: how much of it is done, and what is due."""

import math
import time

import torch

from generative_ik_ros.learned.training.config import TrainOptions
from generative_ik_ros.learned.training.distributed import Peers
from generative_ik_ros.learned.training.state import TrainingState


class Clock:
    """Says how far a training is, by steps or by time, the same in every process.

    Args:
        state: The training's; its counters keep the time.
        options: The training's.
        peers: The processes; the first one's clock counts.
    """

    def __init__(self, state: TrainingState, options: TrainOptions, peers: Peers):
        """Wait for the first step."""
        self._state, self._options, self._peers = state, options, peers
        self._last: float | None = None
        self._since = {"report": 0.0, "evaluate": 0.0, "checkpoint": 0.0}

    def begin(self) -> None:
        """Start after the first step, which may have compiled for a minute."""
        if self._last is None:
            self._last = time.perf_counter()

    def tick(self) -> None:
        """Add the time since the last tick."""
        now = time.perf_counter()
        last = now if self._last is None else self._last
        elapsed = torch.tensor([now - last], dtype=torch.float64)
        if self._peers.count > 1:
            elapsed = self._peers.same(elapsed.to(self._peers.device, torch.float32))
        self._last = now
        self._state.counters.seconds += float(elapsed)
        for name in self._since:
            self._since[name] += float(elapsed)

    def done(self) -> float:
        """Return the share of the training that is over."""
        options, counters = self._options, self._state.counters
        if options.steps is not None:
            return counters.step / options.steps
        return counters.seconds / (60.0 * options.minutes)

    def over(self) -> bool:
        """Say whether the training is over."""
        return self.done() >= 1.0

    def schedule(self) -> float:
        """Return the factor of the learning rate: a linear rise, then half a cosine."""
        rise = min(1.0, (self._state.counters.step + 1) / max(self._options.warm_up, 1))
        return rise * 0.5 * (1.0 + math.cos(math.pi * min(self.done(), 1.0)))

    def due(self, name: str, every: float) -> bool:
        """Say whether something that is done every so many seconds is due."""
        if every <= 0.0 or self._since[name] < every:
            return False
        self._since[name] = 0.0
        return True
