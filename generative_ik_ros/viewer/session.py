"""Targets and settings come in as fast as they like, outcomes of the latest ones go out."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.solutions import IKSolutions


@dataclass(frozen=True)
class Settings:
    """What to solve for.

    Attributes:
        num_solutions: Most arms.
        tolerance: Largest distance [m] and angle [rad] from the target.
        position_only: Whether the tip may turn.
        sampler: What proposes the seeds.
        timeout: Longest time for one target [s]; it keeps a target out of reach draggable.
    """

    num_solutions: int = 100
    tolerance: float = 1e-5
    position_only: bool = False
    sampler: str = "auto"
    timeout: float = 0.25


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of one target.

    Attributes:
        target: (4, 4) tip in base [m].
        settings: What was asked for.
        solutions: What was found, or None where the settings cannot be used.
        fault: Why they cannot be used, else empty.
        seconds: Time for solving [s].
    """

    target: NDArray[np.float64]
    settings: Settings
    solutions: IKSolutions | None
    fault: str
    seconds: float


class Session:
    """Solves in a thread of its own; targets that come while it is busy replace each other.

    Args:
        chain: The chain.
        settings: What to solve for, at first.
        show: Called from the thread with each outcome, one at a time.
    """

    def __init__(self, chain: KinematicChain, settings: Settings, show: Callable[[Outcome], None]):
        """Start the thread; the first target comes by `ask`."""
        self.chain, self.settings = chain, settings
        self._show = show
        self._target: NDArray[np.float64] | None = None
        self._news = threading.Condition()
        self._fresh = self._ended = False
        self._solver = lru_cache(maxsize=8)(self._make_solver)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ask(
        self, target: NDArray[np.float64] | None = None, settings: Settings | None = None
    ) -> None:
        """Solve for another target (4, 4), with other settings, or both; returns at once."""
        with self._news:
            self._target = self._target if target is None else target
            self.settings = settings or self.settings
            self._fresh = self._target is not None
            self._news.notify()

    def close(self) -> None:
        """End the thread."""
        with self._news:
            self._ended = True
            self._news.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._fresh or self._ended)
                if self._ended:
                    return
                self._fresh = False
                target, settings = self._target, self.settings
            assert target is not None  # nothing is fresh before there is a target
            self._show(self._solve(target, settings))

    def _solve(self, target: NDArray[np.float64], settings: Settings) -> Outcome:
        start = time.perf_counter()
        try:
            solver = self._solver(settings.sampler, settings.tolerance, settings.position_only)
            start = time.perf_counter()
            solutions = solver.solve(target, settings.num_solutions, timeout=settings.timeout)
        except GenerativeIKError as error:
            return Outcome(target, settings, None, str(error), time.perf_counter() - start)
        return Outcome(target, settings, solutions, "", time.perf_counter() - start)

    def _make_solver(self, sampler: str, tolerance: float, position_only: bool) -> IKSolver:
        turn = float("inf") if position_only else tolerance
        solver = IKSolver(
            self.chain, sampler, position_tolerance=tolerance, orientation_tolerance=turn
        )
        solver.warm_up()
        return solver
