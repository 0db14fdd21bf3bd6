"""Background solver thread that always works on the latest target."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
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
        avoid_collisions: Whether solutions must be free of collisions, if the robot's geometry is
            known.
        show_colliding: Whether to look for configurations that collide, too.
        beside: Sampler whose arms are shown beside these; "" for none.
        raw: Whether arms are what the samplers propose, instead of the solutions.
    """

    num_solutions: int = 100
    tolerance: float = 1e-5
    position_only: bool = False
    sampler: str = "auto"
    timeout: float = 0.25
    avoid_collisions: bool = True
    show_colliding: bool = False
    beside: str = ""
    raw: bool = False


@dataclass(frozen=True, eq=False)
class Beside:
    """What another sampler makes of the same target.

    Attributes:
        positions: (A, n) its arms [rad or m].
        text: How many solutions, and in what time; or why there are none.
    """

    positions: Floats
    text: str


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result for one target.

    Attributes:
        target: (4, 4) tip in base [m]; (K, 4, 4) for the tips of a tree.
        settings: The solver settings.
        solutions: The solutions; None if the settings are invalid.
        error: Why the settings are invalid; empty otherwise.
        seconds: Time for solving [s].
        scene: The obstacles.
        colliding: (M, n) configurations that reach the target and collide [rad or m].
        raw: (K, n) what the sampler proposes, if that is shown instead of the solutions.
        beside: What the other sampler makes of it, if one is shown.
    """

    target: Floats
    settings: Settings
    solutions: IKSolutions | None
    error: str
    seconds: float
    scene: Scene | None = None
    colliding: Floats | None = None
    raw: Floats | None = None
    beside: Beside | None = None

    @property
    def arms(self) -> Floats:
        """(A, n) the arms to draw; settings must be valid."""
        assert self.solutions is not None
        return self.solutions.of(0) if self.raw is None else self.raw


class Session:
    """Solves in a thread of its own; a new target or scene replaces one that is still waiting.

    Args:
        chain: The chain, or a tree with K tips.
        settings: Initial solver settings.
        show: Called from the thread with each outcome, one at a time.
        collision: The robot's geometry; None: collisions are not checked.
        scene: The obstacles at first.
    """

    def __init__(
        self,
        chain: KinematicChain | KinematicTree,
        settings: Settings,
        show: Callable[[Outcome], None],
        collision: CollisionModel | None = None,
        scene: Scene | None = None,
    ):
        """Start the thread, which waits for the first target."""
        self.chain, self.settings = chain, settings
        self._collision, self._scene = collision, scene
        self._show = show
        self._target: Floats | None = None
        self._changed = threading.Condition()
        self._pending = self._ended = False
        self._solver = lru_cache(maxsize=8)(self._make_solver)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ask(
        self,
        target: Floats | None = None,
        settings: Settings | None = None,
        scene: Scene | None = None,
    ) -> None:
        """Solve for a new target, with new settings or obstacles; returns immediately."""
        with self._changed:
            self._scene = self._scene if scene is None else scene
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
                target, settings, scene = self._target, self.settings, self._scene
            assert target is not None  # nothing is pending before there is a target
            self._show(self._solve(target, settings, scene))

    def _solve(self, target: Floats, settings: Settings, scene: Scene | None) -> Outcome:
        start = time.perf_counter()
        checked = self._collision is not None and settings.avoid_collisions
        how = settings.sampler, settings.tolerance, settings.position_only
        colliding = raw = None
        try:
            solver = self._solver(*how, checked)
            start = time.perf_counter()
            solutions = solver.solve(
                target, settings.num_solutions, timeout=settings.timeout,
                scene=scene if checked else None,
            )  # fmt: skip
            seconds = time.perf_counter() - start
            if checked and settings.show_colliding:
                others = self._solver(*how, False).solve(
                    target, settings.num_solutions, timeout=settings.timeout
                )
                colliding = others.of(0)[solver.collides(others.of(0), scene=scene)]
            if settings.raw and target.ndim == 2:
                raw = solver.sampler.samples(target, settings.num_solutions)
        except GenerativeIKError as error:
            spent = time.perf_counter() - start
            return Outcome(target, settings, None, str(error), spent, scene)
        beside = self._beside(target, settings, scene)
        return Outcome(target, settings, solutions, "", seconds, scene, colliding, raw, beside)

    def _beside(self, target: Floats, settings: Settings, scene: Scene | None) -> Beside | None:
        """Solve with the other sampler, if one is to be shown."""
        if not settings.beside:
            return None
        other = replace(settings, sampler=settings.beside, beside="", show_colliding=False)
        outcome = self._solve(target, other, scene)
        if outcome.solutions is None:
            none = np.empty((0, self.chain.num_joints))
            return Beside(none, f"{settings.beside}: {outcome.error}")
        text = f"{outcome.solutions.counts[0]} solutions in {1e3 * outcome.seconds:.1f} ms"
        return Beside(outcome.arms, f"{settings.beside}: {text}")

    def _make_solver(
        self, sampler: str, tolerance: float, position_only: bool, checked: bool
    ) -> IKSolver:
        return IKSolver(
            self.chain,
            sampler,
            position_tolerance=tolerance,
            orientation_tolerance=float("inf") if position_only else tolerance,
            collision=self._collision if checked else None,
        )
