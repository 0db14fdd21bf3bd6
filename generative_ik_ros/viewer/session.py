"""Background solver thread that always works on the latest target."""

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
    """Solver settings.

    Attributes:
        num_solutions: Largest number of solutions.
        tolerance: Largest distance [m] and angle [rad] from the target.
        position_only: Whether the tip's orientation is free.
        sampler: Sampler that proposes the seeds.
        timeout: Longest time for one target [s], so that dragging stays responsive out of reach.
    """

    num_solutions: int = 100
    tolerance: float = 1e-5
    position_only: bool = False
    sampler: str = "auto"
    timeout: float = 0.25


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result for one target.

    Attributes:
        target: (4, 4) tip in base [m].
        settings: The solver settings.
        solutions: The solutions; None if the settings are invalid.
        error: Why the settings are invalid; empty otherwise.
        seconds: Time for solving [s].
    """

    target: NDArray[np.float64]
    settings: Settings
    solutions: IKSolutions | None
    error: str
    seconds: float


class Session:
    """Solves in a thread of its own; a new target replaces one that is still waiting.

    Args:
        chain: The chain.
        settings: Initial solver settings.
        show: Called from the thread with each outcome, one at a time.
    """

    def __init__(self, chain: KinematicChain, settings: Settings, show: Callable[[Outcome], None]):
        """Start the thread, which waits for the first target."""
        self.chain, self.settings = chain, settings
        self._show = show
        self._target: NDArray[np.float64] | None = None
        self._changed = threading.Condition()
        self._pending = self._ended = False
        self._solver = lru_cache(maxsize=8)(self._make_solver)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ask(
        self, target: NDArray[np.float64] | None = None, settings: Settings | None = None
    ) -> None:
        """Solve for a new target (4, 4), with new settings, or both; returns immediately."""
        with self._changed:
            self._target = self._target if target is None else target
            self.settings = settings or self.settings
            self._pending = self._target is not None
            self._changed.notify()

    def close(self) -> None:
        """Stop the thread."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending or self._ended)
                if self._ended:
                    return
                self._pending = False
                target, settings = self._target, self.settings
            assert target is not None  # nothing is pending before there is a target
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
        solver = IKSolver(
            self.chain,
            sampler,
            position_tolerance=tolerance,
            orientation_tolerance=float("inf") if position_only else tolerance,
        )
        solver.warm_up()
        return solver
