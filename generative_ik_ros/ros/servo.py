"""Commands joint positions towards a stream of targets, on a thread of its own."""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false

import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import PoseArray
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros.collision_checks import CollisionChecks
from generative_ik_ros.ros.conversions import flat, poses_to_transforms
from generative_ik_ros.ros.frames import Frames
from generative_ik_ros.ros.log_lines import error_line
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.servo_inputs import ServoInputs
from generative_ik_ros.ros.servo_motion import Aim, Motion
from generative_ik_ros.ros.servo_status import ServoReport, ServoStatus
from generative_ik_ros.ros.solvers import RobotSolvers
from generative_ik_ros.tracking.step import TrackerStep


@dataclass(frozen=True)
class ServoTuning:
    """How the servo begins and waits."""

    same: float = 0.02
    """An arm that is measured this near to where it was commanded last goes on from there, so that
    commands do not jump by what its controller leaves over [rad or m]."""
    lasting: float = 0.5
    """Time for which a dragged target counts at least [s]."""
    pause: float = 0.1
    """Pause after an error that is no user's [s]."""
    kept: int = 1000
    """Commands that are kept until a reliable subscription has them: some seconds, after which
    the middleware asks again for what did not arrive."""


TUNING = ServoTuning()


class Setup(NamedTuple):
    """What a motion is made with; another one ends it.

    Attributes:
        solver: Of the robot, without collision checks.
        rate: Of commands [Hz].
        velocity_limits: As the parameter has them [rad/s or m/s].
        acceleration_limits: Likewise [rad/s^2 or m/s^2].
        cutoff: Of the filter [Hz].
        clearance: Distance to keep [m]; None: collisions are not checked.
        load: Number of what the robot carries.
    """

    solver: IKSolver
    rate: float
    velocity_limits: tuple[float, ...]
    acceleration_limits: tuple[float, ...]
    cutoff: float
    clearance: float | None
    load: int


class Servo:
    """Follows `~/servo_target` and `~/servo_twist` while the parameter `servo` is set.

    It waits for targets, starts from where `joint_states` has the arm, and commands it until no
    target has come for the timeout; then it brakes, and waits again. Commands are published on
    `~/servo_commands` and `~/servo_trajectory`, one a period. `start` and `stop` are those of a
    `DirectService`.
    """

    def __init__(self, node: Node, served: Served, frames: Frames, collisions: CollisionChecks):
        self._node, self._served = node, served
        self._frames, self._collisions = frames, collisions
        self._wake, self._stopping = threading.Event(), False
        self._inputs: ServoInputs | None = None
        self._motion: Motion | None = None
        self._made_with: Setup | None = None
        self._setup: tuple[RobotSolvers, Settings, Setup] | None = None
        self._scene: Scene | None = None
        self._load: tuple[object, object] = None, None
        self._load_number = 0
        self._aim: Aim | None = None
        self._dragged: Aim | None = None
        self._commanded: tuple[tuple[str, ...], Floats] | None = None
        self._logged = ""
        self._report = ServoReport()
        self._status = ServoStatus(node, self._report)

    def start(self, num_threads: int) -> list[threading.Thread]:
        """Return the thread that commands, whatever the number of threads for a service."""
        thread = threading.Thread(target=self._work, name="generative_ik_servo", daemon=True)
        thread.start()
        return [thread]

    def stop(self) -> None:
        """Tell the thread to end once the arm has braked."""
        self._stopping = True
        self._wake.set()

    def change(self) -> None:
        """Take notice of changed parameters."""
        self._wake.set()

    def drag(self, targets: PoseArray, tips: Sequence[str]) -> None:
        """Follow a target that is dragged in RViz, if the parameter `servo_handle` is set."""
        settings = self._served.settings
        if settings.servo and settings.servo_handle and not tips:
            pose = poses_to_transforms(list(targets.poses)[:1])[0]
            self._dragged = Aim(time.monotonic(), pose, lasting=True)

    def _work(self) -> None:
        due = time.monotonic()
        while True:
            try:
                wanted = self._served.settings.servo and not self._stopping
                if not wanted and self._motion is None:
                    self._close()
                    if self._stopping:
                        return
                    self._wake.wait()
                    self._wake.clear()
                    due = time.monotonic()
                    continue
                period = self._tick(time.monotonic(), wanted)
            except Exception:
                if not self._node.context.ok():
                    return
                self._motion, period = None, TUNING.pause
                self._report.fail(f"internal error: {traceback.format_exc(limit=-1)}")
                self._node.get_logger().error(f"servo failed:\n{traceback.format_exc()}")
            due += period
            time.sleep(max(due - time.monotonic(), 0.0))
            late = time.monotonic() - due
            if late > period:  # the arm waits for what is late; it never hurries after it
                due += late
            self._report.late(late, late > period)

    def _tick(self, now: float, wanted: bool) -> float:
        """Command what is next, and return the time until the next call [s]."""
        inputs, settings = self._open(), self._served.settings
        setup, why = None, ""
        try:
            setup = self._current_setup() if wanted else None
        except GenerativeIKError as error:
            why = error_line(error)
        made_with = self._made_with if self._motion is not None else setup
        if made_with is None:
            self._report.wait(why)
            return 1.0 / settings.servo_rate
        aim = self._newest(inputs, made_with.solver.chain, now, settings.servo_timeout)
        if setup != made_with or not self._keep_away(made_with):
            aim = None
        if self._motion is None and aim is not None:
            self._begin(inputs, made_with, now)
        if self._motion is None:
            self._report.wait()
        else:
            self._command(self._motion, aim)
            if not self._motion.following and self._motion.at_rest:
                self._motion = None
        return 1.0 / made_with.rate

    def _newest(
        self, inputs: ServoInputs, chain: KinematicChain, now: float, timeout: float
    ) -> Aim | None:
        """Return the latest target, unless it is stale."""
        dragged, self._dragged = self._dragged, None
        refused = inputs.refused
        new = inputs.read(chain, now) or dragged
        if inputs.refused > refused:
            self._report.refused += inputs.refused - refused
            self._warn(f"refused: {inputs.refusal}")
        self._aim = new or self._aim
        if self._aim is None or self._aim.expired(now, timeout):
            self._aim = None
        elif self._aim.lasting and self._motion is not None and self._motion.slow:
            if now - self._aim.arrived > TUNING.lasting:
                self._aim = None
        return self._aim

    def _begin(self, inputs: ServoInputs, setup: Setup, now: float) -> None:
        """Begin a motion at where the arm is, if that is known."""
        chain = setup.solver.chain
        try:
            seed = inputs.measured(chain, now)
            if self._commanded is not None and self._commanded[0] == chain.names:
                last = self._commanded[1]
                if np.abs(last - seed).max() <= TUNING.same:
                    seed = last
            self._motion, self._made_with = self._make(setup, seed), setup
            self._logged = ""
        except GenerativeIKError as error:
            self._aim = None
            self._warn(error_line(error))

    def _make(self, setup: Setup, seed_state: Floats) -> Motion:
        """Return a motion that begins at rest.

        Raises:
            GenerativeIKError: The limits or the seed state cannot be used, or the robot's geometry
                is not there.
        """
        solver, checks = setup.solver, {}
        if setup.clearance is not None:
            assert self._setup is not None  # noqa: S101
            robot, now = self._setup[0], time.perf_counter()
            solver, self._scene = self._collisions.checked(robot, solver, {}, now, wait=False)
            checks = {"scene": self._scene, "clearance": setup.clearance}
        tracker = solver.track(
            seed_state,
            1.0 / setup.rate,
            velocity_limits=_limits(setup.velocity_limits),
            acceleration_limits=_limits(setup.acceleration_limits),
            **checks,
        )
        return Motion(tracker, setup.cutoff)

    def _keep_away(self, setup: Setup) -> bool:
        """Have the motion keep away from what is there now; return whether that can be done."""
        if self._motion is None or setup.clearance is None:
            return True
        scene = self._collisions.surroundings.scene
        try:
            if scene is not self._scene:
                self._motion.tracker.set_scene(scene)
                self._scene = scene
        except GenerativeIKError as error:
            self._warn(error_line(error))
            return False
        return True

    def _command(self, motion: Motion, aim: Aim | None) -> None:
        step = motion.follow(aim)
        chain = motion.tracker.chain
        self._commanded = chain.names, step.positions
        self._commands.publish(Float64MultiArray(data=flat(step.positions, "d")))
        if self._trajectories.get_subscription_count():
            self._trajectories.publish(_trajectory(chain.names, step, motion.tracker.period))
        self._report.take(step, motion.following)

    def _current_setup(self) -> Setup:
        """Return what a motion is to be made with now.

        Raises:
            GenerativeIKError: There is no robot yet, or it has several tips.
        """
        robot, settings = self._served.current()
        followed = self._collisions.surroundings.followed
        load = (None, None) if followed is None else (followed.carried, followed.matrix)
        if any(new is not old for new, old in zip(load, self._load, strict=True)):
            self._load, self._load_number = load, self._load_number + 1
            self._setup = None
        known = self._setup
        if known is None or known[0] is not robot or known[1] is not settings:
            tolerances = settings.position_tolerance, settings.orientation_tolerance
            setup = Setup(
                robot.solver("", settings.sampler, *tolerances, time.perf_counter()),
                settings.servo_rate,
                *settings.servo_limits,
                settings.servo_filter,
                settings.servo_clearance if settings.avoid_collisions else None,
                self._load_number,
            )
            known = self._setup = robot, settings, setup
        return known[2]

    def _warn(self, line: str) -> None:
        """Log what keeps the arm from moving, once until it moves."""
        self._report.fail(line)
        if line != self._logged:
            self._logged = line
            self._node.get_logger().warning(f"servo: {line}")

    def _open(self) -> ServoInputs:
        """Return the subscribed topics."""
        if self._inputs is None:
            self._dragged = None  # that may have come as the servo was switched off
            node = self._node
            self._commands = node.create_publisher(
                Float64MultiArray, "~/servo_commands", TUNING.kept
            )
            self._trajectories = node.create_publisher(
                JointTrajectory, "~/servo_trajectory", TUNING.kept
            )
            self._inputs = ServoInputs(node, self._frames)
            self._report.on = True
        return self._inputs

    def _close(self) -> None:
        """Remove all topics."""
        if self._inputs is not None:
            self._inputs.close()
            self._inputs = self._aim = None
            self._node.destroy_publisher(self._commands)
            self._node.destroy_publisher(self._trajectories)
            self._report.on = False


def _limits(values: tuple[float, ...]) -> Floats | float | None:
    """Return limits as `IKSolver.track` takes them: one is for all joints, none is None."""
    if not values:
        return None
    return values[0] if len(values) == 1 else np.array(values)


def _trajectory(names: tuple[str, ...], step: TrackerStep, period: float) -> JointTrajectory:
    """Return a trajectory of one point, which is to be reached a period from now."""
    point = JointTrajectoryPoint(
        positions=flat(step.positions, "d"),
        velocities=flat(step.velocities, "d"),
        time_from_start=Duration(seconds=period).to_msg(),
    )
    return JointTrajectory(joint_names=list(names), points=[point])
