"""Preparation of robots and samplers in the background, while the current ones serve."""

import gc
import threading
import time
from collections.abc import Callable

from rclpy.impl.rcutils_logger import RcutilsLogger

from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.solvers import THREAD, RobotSolvers
from generative_ik_ros.samplers.registry import AUTO

_PATIENCE = 2.0
"""Time after which the log says what takes so long [s]."""


class Preparation:
    """Loads what a robot and its settings need, on a thread, and hands it over.

    Args:
        robot: The robot.
        settings: Settings to prepare for.
        build_groups: Builds the solvers of the planning groups.
        load_geometry: Reads the robot's collision geometry; None: it is not needed yet.
        take: Called with this and the default solver once everything is ready.
        refuse: Called with this and the error if that fails.
        logger: Logs what takes long.

    Attributes:
        robot: The robot.
        settings: The settings.
        seconds: How long it took [s].
    """

    def __init__(
        self,
        robot: RobotSolvers,
        settings: Settings,
        build_groups: Callable[[RobotSolvers, Settings], None],
        load_geometry: Callable[[RobotSolvers, Settings], None] | None,
        take: Callable[["Preparation", IKSolver], None],
        refuse: Callable[["Preparation", Exception], None],
        logger: RcutilsLogger,
    ):
        """Remember what to do; `start` does it."""
        self.robot, self.settings, self.seconds = robot, settings, 0.0
        self._build_groups, self._take, self._refuse = build_groups, take, refuse
        self._load_geometry, self._logger = load_geometry, logger
        self._steps = 3 if load_geometry is None else 4
        self._step = self._numbered("building the solver", 1)
        self._begun = time.monotonic()
        self._done = threading.Event()

    def start(self) -> None:
        """Begin, on a daemon thread: the interpreter waits for all others at exit."""
        threading.Thread(target=self._run, name=THREAD, daemon=True).start()

    def wait(self, timeout: float) -> None:
        """Wait until it has been taken or refused, at most for a time [s]."""
        self._done.wait(timeout)

    def __str__(self) -> str:
        """Say what is being done, and since when."""
        seconds = time.monotonic() - self._begun
        return f"preparing robot '{self.robot.description.name}' for {seconds:.0f} s: {self._step}"

    def _run(self) -> None:
        timer = threading.Timer(_PATIENCE, self._log)
        timer.daemon = True
        timer.start()
        try:
            solver = self._prepare()
            self.seconds = time.monotonic() - self._begun
            # Later full collections skip everything imported so far; scanning it
            # would block all callbacks for 0.1 s.
            gc.collect()
            gc.freeze()
            self._take(self, solver)
        except Exception as error:
            self._refuse(self, error)
        finally:
            timer.cancel()
            self._done.set()

    def _prepare(self) -> IKSolver:
        robot, settings = self.robot, self.settings
        tolerances = settings.position_tolerance, settings.orientation_tolerance
        robot.solver(robot.any_tip, AUTO, *tolerances)
        self._step = self._numbered(f"loading sampler '{settings.sampler}'", 2)
        solver = robot.solver(robot.any_tip, settings.sampler, *tolerances)
        self._step = self._numbered("building the solvers of the planning groups", 3)
        self._build_groups(robot, settings)
        if self._load_geometry is not None:
            self._step = self._numbered("reading the collision geometry", 4)
            self._load_geometry(robot, settings)
        return solver

    def _numbered(self, step: str, number: int) -> str:
        return f"{step} ({number} of {self._steps})"

    def _log(self) -> None:
        self._logger.info(str(self))
