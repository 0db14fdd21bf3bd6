"""The robot and the settings that requests are for; changes are prepared in the background."""

import gc
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from rclpy.node import Node

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.ros.diagnostics import NodeState
from generative_ik_ros.ros.log_lines import error_line
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.solvers import PreparingError, RobotSolvers, load_beside
from generative_ik_ros.samplers.registry import AUTO


@dataclass(frozen=True)
class Patience:
    """How long changes of robot and settings wait for what they need."""

    loading: float = 5.0
    """Longest wait of a change for a sampler to load, so that it can be refused [s]."""
    silent: float = 2.0
    """Time after which the log says what takes so long [s]."""
    applying: float = 1.0
    """Longest time for which a change of parameters waits for what it needs to be ready [s]."""
    first_solve: float = 0.2
    """Longest solve for the markers that are shown before the first request [s]."""


PATIENCE = Patience()
_ROBOT_PARAMETERS = (
    "robot_description", "base_link", "tip_link", "target_tips", "joint_limits", "soft_limits",
    "loops",
)  # fmt: skip
_SOLVER_PARAMETERS = ("sampler", "position_tolerance", "orientation_tolerance")
_PREPARED_PARAMETERS = (*_ROBOT_PARAMETERS, *_SOLVER_PARAMETERS)
"""Parameters whose new values take effect when what they need is loaded."""


class NoRobotDescriptionError(GenerativeIKError):
    """A request arrived before a usable robot description."""


@dataclass(eq=False)
class Preparation:
    """The loading of what a robot and its settings need.

    Attributes:
        robot: The robot.
        settings: Settings to prepare for.
        steps: What is done, and what does it.
        done: Set when the robot is taken over or refused.
    """

    robot: RobotSolvers
    settings: Settings
    steps: Sequence[tuple[str, Callable[[], object]]]
    done: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._step, self._begun = 0, time.monotonic()

    def __str__(self) -> str:
        """Say what is being done, and since when."""
        name, total = self.robot.description.name, len(self.steps)
        step = f"{self.steps[self._step][0]} ({self._step + 1} of {total})"
        return f"preparing robot '{name}' for {self.seconds:.0f} s: {step}"

    @property
    def seconds(self) -> float:
        """Time since the beginning [s]."""
        return time.monotonic() - self._begun

    def run(self) -> None:
        """Take all steps; raises what keeps one from being taken."""
        for number, (_, act) in enumerate(self.steps):
            self._step = number
            act()


class Served:
    """Keeps the current robot and settings until what is to replace them is ready.

    Args:
        node: The node, which logs.
        settings: The initial values of its parameters.
        build_groups: Builds the solvers of a robot's planning groups.
        load_geometry: Reads a robot's collision geometry.
        show: Called with a new robot, its default solver, and the robot it replaces, if any.

    Attributes:
        settings: The values of the parameters, without those that are still being prepared.

    Raises:
        GenerativeIKError: The robot description in the settings is unusable.
    """

    def __init__(
        self,
        node: Node,
        settings: Settings,
        build_groups: Callable[[RobotSolvers, Settings], None],
        load_geometry: Callable[[RobotSolvers, Settings], None],
        show: Callable[[RobotSolvers, IKSolver, RobotSolvers | None], None],
    ):
        """Check the robot description in the settings, if there is one; `start` prepares it."""
        self._node, self._build_groups, self._show = node, build_groups, show
        self._load_geometry = load_geometry
        self.settings = self._wanted = settings
        self._robot: RobotSolvers | None = None
        self._preparation: Preparation | None = None
        # The first for whole changes, which may wait; the second for the attributes above; the
        # third while a robot is shown, so that the last one shown is the one that is served.
        self._changing, self._lock, self._showing = (threading.Lock() for _ in range(3))
        self._refusal = ""
        self._first = None
        if settings.robot_description:
            self._first = _solvers(settings, settings.robot_description)
            _check_sampler(self._first, settings)

    def start(self) -> None:
        """Begin to prepare the robot in the settings, or log what is waited for."""
        if self._first is not None:
            self._switch(self._first, self._wanted)
        else:
            self._node.get_logger().info(f"waiting for a robot description on {self._topic()}")

    def close(self) -> None:
        """Take over nothing that becomes ready from now on."""
        with self._lock:
            self._preparation = None

    def robot(self) -> RobotSolvers:
        """Return the robot that requests are for.

        Raises:
            PreparingError: The first one is being prepared.
            NoRobotDescriptionError: There is none.
        """
        preparation, robot = self._preparation, self._robot
        if robot is not None:
            return robot
        if preparation is not None:
            raise PreparingError(f"{preparation}; try again in some seconds")
        refused = self._refusal and f" (the last one was refused: {self._refusal})"
        raise NoRobotDescriptionError(
            f"no usable robot description has arrived yet{refused}; publish one on "
            f"{self._topic()} or set the parameter robot_description"
        )

    def current(self) -> tuple[RobotSolvers, Settings]:
        """Return the robot that requests are for and the settings that belong to it.

        Raises:
            GenerativeIKError: As `robot`.
        """
        with self._lock:
            return self.robot(), self.settings

    def state(self) -> NodeState:
        """Return what diagnostics report of robot and sampler."""
        robot = None if self._robot is None else self._robot.description.name or "unnamed"
        preparing = str(self._preparation or "")
        return NodeState(robot, self.settings.sampler, self._refusal, preparing)

    def describe(self, text: str) -> None:
        """Prepare another robot; keep the current one if its description is unusable."""
        with self._changing:
            newest = self._newest()
            if newest is not None and text == newest.text:
                return
            try:
                self._switch(_solvers(self._wanted, text), self._wanted)
            except Exception as error:
                self._refuse(error, "robot description")

    def change(self, values: dict[str, object]) -> Preparation | None:
        """Validate and apply new values of parameters; return the preparation they need, if any.

        Raises:
            GenerativeIKError: A value is invalid; nothing has changed.
        """
        with self._changing:
            settings, newest = self._wanted.changed(values), self._newest()
            robot = newest if any(name in values for name in _SOLVER_PARAMETERS) else None
            if "robot_description" in values:
                robot = _solvers(settings, settings.robot_description)
            elif newest is not None and any(name in values for name in _ROBOT_PARAMETERS):
                robot = _solvers(settings, newest.text)
            if robot is not None:
                _check_sampler(robot, settings)
            return self._switch(robot, settings)

    def _newest(self) -> RobotSolvers | None:
        """Return the robot that is being prepared, else the current one."""
        preparation = self._preparation
        return self._robot if preparation is None else preparation.robot

    def _switch(self, robot: RobotSolvers | None, settings: Settings) -> Preparation | None:
        """Apply settings; prepare a robot, if given, instead of the one that is being prepared."""
        preparation = None
        if robot is not None:
            preparation = Preparation(robot, settings, self._steps(robot, settings))
        with self._lock:
            self._wanted, self._preparation = settings, preparation or self._preparation
            replaces = self._robot is not None or self._preparation is not None
            names = _PREPARED_PARAMETERS if replaces else ()
            kept = {name: getattr(self.settings, name) for name in names}
            self.settings = replace(settings, **kept)
        if preparation is not None:
            load_beside(self._prepare, preparation)
        return preparation

    def _steps(
        self, robot: RobotSolvers, settings: Settings
    ) -> list[tuple[str, Callable[[], object]]]:
        """Return what has to be done before a robot can be served."""
        steps: list[tuple[str, Callable[[], object]]] = [
            ("building the solver", lambda: _default_solver(robot, settings, AUTO)),
            (f"loading sampler '{settings.sampler}'", lambda: _default_solver(robot, settings)),
            (
                "building the solvers of the planning groups",
                lambda: self._build_groups(robot, settings),
            ),
        ]
        if settings.avoid_collisions:
            load = ("reading the collision geometry", lambda: self._load_geometry(robot, settings))
            steps.append(load)
        return steps

    def _prepare(self, preparation: Preparation) -> None:
        timer = threading.Timer(
            PATIENCE.silent, lambda: self._node.get_logger().info(str(preparation))
        )
        timer.daemon = True
        timer.start()
        try:
            preparation.run()
            seconds = preparation.seconds
            # Later full collections skip everything imported so far; scanning it
            # would block all callbacks for 0.1 s.
            gc.collect()
            gc.freeze()
            with self._showing:
                self._take(preparation, seconds)
        except Exception as error:
            self._fail(preparation, error)
        finally:
            timer.cancel()
            preparation.done.set()

    def _take(self, preparation: Preparation, seconds: float) -> None:
        """Serve a robot that is ready, unless another one is being prepared by now."""
        robot = preparation.robot
        solver = _default_solver(robot, preparation.settings)
        chain = solver.chain
        with self._lock:
            if preparation is not self._preparation:
                return
            before, self._robot = self._robot, robot
            self.settings, self._preparation, self._refusal = self._wanted, None, ""
        name = f"robot '{robot.description.name}'"
        if robot is not before:
            self._show(robot, solver, before)
        what = f"{chain.base_link} to {chain.tip_link}, {chain.num_joints} joints"
        if robot.ambiguity:
            what = "without a tip link"
        self._node.get_logger().info(
            f"{name} ready: {what}, sampler {solver.sampler.name}; "
            f"preparation took {seconds:.2f} s"
        )
        if robot.ambiguity and robot is not before and not self.settings.target_tips:
            self._node.get_logger().warning(
                f"{name}: every request must name its tip link, and RViz shows no target, until "
                f"the parameters base_link and tip_link are set: {robot.ambiguity}"
            )

    def _fail(self, preparation: Preparation, error: Exception) -> None:
        with self._lock:
            if preparation is not self._preparation:
                return
            self._preparation = None
        same = preparation.robot is self._robot
        what = f"sampler '{preparation.settings.sampler}'" if same else "robot description"
        self._refuse(error, what)

    def _refuse(self, error: Exception, what: str) -> None:
        self._refusal = error_line(error)
        newest = self._newest()
        kept = "no robot" if newest is None else f"robot '{newest.description.name}'"
        self._node.get_logger().error(f"{what} refused, {kept} kept: {self._refusal}")

    def _topic(self) -> str:
        return self._node.resolve_topic_name("robot_description")


def _solvers(settings: Settings, text: str) -> RobotSolvers:
    """Return the solvers of a robot description; raises as `RobotSolvers` and its `chain`."""
    robot = RobotSolvers(
        text, settings.base_link, settings.tip_link, settings.device, settings.limits,
        settings.soft_limits, settings.loops,
    )  # fmt: skip
    if settings.tips_of_targets:
        robot.chain(settings.tips_of_targets)
    return robot


def _default_solver(
    robot: RobotSolvers, settings: Settings, sampler: str = "", deadline: float = math.inf
) -> IKSolver:
    """Return the solver of requests that name nothing; "": with the sampler of the settings."""
    return robot.solver(
        robot.any_tip,
        sampler or settings.sampler,
        settings.position_tolerance,
        settings.orientation_tolerance,
        deadline,
    )


def _check_sampler(robot: RobotSolvers, settings: Settings) -> None:
    """Refuse a sampler that cannot be loaded for a robot, as far as that is known in time.

    Raises:
        GenerativeIKError: It cannot, for example because it has no weights for the chain.
    """
    with suppress(PreparingError):
        _default_solver(robot, settings, deadline=time.perf_counter() + PATIENCE.loading)
